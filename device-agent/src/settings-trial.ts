import { join } from 'node:path';
import { sentMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { boardOverridesShape, type BoardOverrides, type DeviceConfig } from '@roastery/contract/mqtt';
import { describeRefusal, parseJson, parseOrThrow } from '@roastery/contract/parse-shape';
import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { z } from 'zod';
import { readFileIfThere, writeFileAtomically } from './atomic-file.ts';
import type { TimeServersState } from './time-servers.ts';

/** How long new settings may take to succeed. */
const trialMs = 120_000;
/** How long the machine has to be read without a failure. */
const steadyMs = 10_000;
const pollIntervalMs = 1000;

const keptShape = z.object({
  /** Serial number of the machine that they were set for. */
  machine: z.string(),
  /** Revision of the config that `now` is of. */
  rev: z.number().int(),
  now: boardOverridesShape,
  /** While they are on trial: the previous settings, and whether the machine was read with them. */
  trial: z
    .object({
      before: boardOverridesShape,
      machine: z.boolean(),
      /** The previous map; absent without one, and in a file of an agent that had only settings on trial. */
      map: sentMapShape.optional().catch(undefined),
      /** Whether the bean temperature was read with it. */
      bean: z.boolean().optional().catch(undefined),
    })
    .optional(),
  /** The newest config whose map and settings were reverted. */
  reverted: z.object({ rev: z.number().int(), reason: z.string() }).optional(),
});
type Kept = z.infer<typeof keptShape>;

export const settingsFile = (dataDir: string): string => join(dataDir, 'board-settings.json');

/** The settings of a config beside its map. */
export const overridesOf = (config: DeviceConfig): BoardOverrides => parseOrThrow(boardOverridesShape, config);

/** With sorted names. */
const textOf = ({ hz, log_level, timeout_ms, gap_ms, status_page, time_servers }: BoardOverrides): string =>
  JSON.stringify({ hz, log_level, timeout_ms, gap_ms, status_page, time_servers });
/** A log level can't cut a board off. */
const differInLogOnly = (a: BoardOverrides, b: BoardOverrides): boolean =>
  textOf({ ...a, log_level: undefined }) === textOf({ ...b, log_level: undefined });

const reasonOf = (wasSteady: boolean, time: TimeServersState, isMapOnly: boolean): string => {
  if (time.state === 'refused') return time.reason;
  if (!wasSteady) return `the machine did not answer reliably with ${isMapOnly ? 'this map' : 'these settings'}`;
  return time.state === 'waiting'
    ? 'no time server answered'
    : 'the board did not reach the server with these settings';
};

/** Map and settings that ran before a trial and are to be used again. */
export interface Earlier {
  readonly rev: number;
  readonly settings: BoardOverrides;
  /** Undefined: the trial was about settings only. */
  readonly map: MachineMap | undefined;
  readonly reason: string;
  /** Whether the trial is still the newest one. */
  readonly isDue: () => boolean;
  /** Ends the trial on the disk. The map must be stored before: a power cut in between only repeats the trial. */
  readonly store: () => Promise<void>;
}

export interface SettingsTrialParts {
  readonly dataDir: string;
  readonly log: Logger;
  readonly time: Clock;
  readonly isMachineRead: () => boolean;
  /** Whether the server answers now. */
  readonly reachServer: () => Promise<boolean>;
  readonly roastRuns: () => boolean;
  /** Whether one of the set time servers has answered. */
  readonly timeServers: () => Promise<TimeServersState>;
  /** Stores and uses them again. */
  readonly revert: (to: Earlier) => Promise<void>;
  readonly changed: () => void;
}

/** The map in use, and the one that a config brings. */
export interface MapChange {
  readonly from?: MachineMap | undefined;
  readonly to?: MachineMap | undefined;
}

/** The last settings of a board on its disk, for this machine or any; none if the file can't be read. */
export const readKeptSettings = async (dataDir: string, machine?: string, log?: Logger): Promise<Kept> => {
  const none: Kept = { machine: machine ?? '', rev: 0, now: {} };
  const text = await readFileIfThere(settingsFile(dataDir)).catch((error: unknown) => {
    log?.warn({ reason: String(error) }, 'settings: stored file unreadable');
    return undefined;
  });
  if (text === undefined) return none;
  const parsed = parseJson(keptShape, text);
  if (parsed.success) return machine === undefined || parsed.data.machine === machine ? parsed.data : none;
  log?.warn({ reason: describeRefusal(parsed) }, 'settings: stored file ignored');
  return none;
};

/**
 * Stores the server's settings, also through a restart. New ones, and a new map, are on trial: unless the server is
 * reached, the machine is read as before and a new time server answers, within two minutes, the previous ones are
 * restored. A map can't cut the board off from the server: if nothing else has changed, an unreachable server only
 * prolongs the trial.
 */
export const createSettingsTrial = (kept: Kept, parts: SettingsTrialParts) => {
  const { dataDir, log, time } = parts;
  let begunAt = time.monotonic();
  let steadyFrom: number | undefined;
  /**
   * Once is enough: a failure while the board still waits for the server or a time server does not count against these
   * settings.
   */
  let wasSteady = false;
  let hasRead = false;
  let hasBean = false;
  let cancelPolls: Cancel | undefined;
  let looking = false;

  const keep = async (next: Omit<Kept, 'machine'>): Promise<void> => {
    kept = { machine: kept.machine, ...next };
    await writeFileAtomically(settingsFile(dataDir), `${JSON.stringify(kept)}\n`).catch((error: unknown) =>
      log.error({ reason: String(error) }, 'settings: write failed'),
    );
  };
  const end = async (next: Omit<Kept, 'machine'>): Promise<void> => {
    cancelPolls?.();
    cancelPolls = undefined;
    await keep(next);
  };
  const timeState = async (now: BoardOverrides, before: BoardOverrides): Promise<TimeServersState> =>
    now.time_servers === undefined || String(now.time_servers) === String(before.time_servers)
      ? { state: 'answered' }
      : parts.timeServers();
  const poll = async (trial: NonNullable<Kept['trial']>): Promise<void> => {
    const { rev, now } = kept;
    const isMapOnly = textOf(now) === textOf(trial.before);
    const isRead = !trial.machine || (parts.isMachineRead() && hasRead && (hasBean || trial.bean !== true));
    const moment = time.monotonic();
    steadyFrom = isRead ? (steadyFrom ?? moment) : undefined;
    wasSteady ||= steadyFrom !== undefined && moment - steadyFrom >= steadyMs;
    const timeServers = await timeState(now, trial.before);
    if (wasSteady && timeServers.state === 'answered' && (await parts.reachServer())) {
      // Newer ones have been set.
      if (kept.trial !== trial) return;
      log.info({ rev }, 'settings: confirmed');
      await end({ rev, now });
      return parts.changed();
    }
    const isLate = time.monotonic() - begunAt >= trialMs && !(isMapOnly && wasSteady);
    const isOver = timeServers.state === 'refused' || isLate;
    if (kept.trial !== trial || !isOver) return;
    // A running roast is not interrupted.
    if (parts.roastRuns() && parts.isMachineRead()) return;
    const reason = reasonOf(wasSteady, timeServers, isMapOnly);
    const settings = trial.before;
    await parts.revert({
      rev,
      settings,
      map: trial.map,
      reason,
      isDue: () => kept.trial === trial,
      store: () => {
        log.warn({ rev, reason }, 'settings: reverted');
        return end({ rev, now: settings, reverted: { rev, reason } });
      },
    });
  };
  const pollInTurn = (): void => {
    const { trial } = kept;
    if (looking || trial === undefined) return;
    looking = true;
    poll(trial)
      .catch((error: unknown) => log.error({ err: error }, 'settings: trial failed'))
      .finally(() => (looking = false));
  };
  const watch = (): void => {
    begunAt = time.monotonic();
    steadyFrom = undefined;
    wasSteady = false;
    hasRead = false;
    hasBean = false;
    cancelPolls ??= time.every(pollIntervalMs, pollInTurn, { keepsAlive: false });
  };
  // The board was restarted during the trial.
  if (kept.trial) watch();

  return {
    now: (): BoardOverrides => kept.now,
    isOn: (): boolean => kept.trial !== undefined,
    /** Why the settings of this config are no longer used. */
    revertedBecause: (rev: number): string | undefined =>
      kept.reverted?.rev === rev ? kept.reverted.reason : undefined,
    /** Whether a config has other settings than those in use. */
    differs: (wanted: BoardOverrides): boolean => textOf(wanted) !== textOf(kept.now),
    /** Call before settings and map are used, and before the map is stored. */
    async begin(rev: number, now: BoardOverrides, maps: MapChange = {}): Promise<void> {
      const before = kept.trial?.before ?? kept.now;
      const map = kept.trial?.map ?? maps.from;
      // A first map has nothing to return to.
      const isSameMap = map === undefined || JSON.stringify(map) === JSON.stringify(maps.to);
      if (differInLogOnly(now, before) && isSameMap) return end({ rev, now });
      const machine = kept.trial?.machine ?? parts.isMachineRead();
      const bean = kept.trial === undefined ? hasBean : kept.trial.bean;
      await keep({ rev, now, trial: { before, machine, bean, map } });
      watch();
    },
    /** The settings are in use from here on: earlier readings do not count. */
    applied(): void {
      if (kept.trial) watch();
    },
    afterReading(bean: boolean): void {
      hasRead = true;
      hasBean = bean;
    },
    stop: (): void => cancelPolls?.(),
  };
};
export type SettingsTrial = ReturnType<typeof createSettingsTrial>;
