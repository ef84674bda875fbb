import type { MachineMap } from '@roastery/contract/machine-map';
import type { BoardOverrides, DeviceConfig, DeviceStatus } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { dropPushedMap, keepPushedMap } from './machine-map-file.ts';
import { createSettingsTrial, overridesOf, type readKeptSettings, type SettingsTrialParts } from './settings-trial.ts';

export interface MapChangeParts extends Pick<
  SettingsTrialParts,
  'isMachineRead' | 'reachServer' | 'time' | 'timeServers'
> {
  readonly dataDir: string;
  readonly log: Logger;
  /** The map without the settings of the board. */
  readonly base: MachineMap | undefined;
  readonly current: () => MachineMap | undefined;
  /** The map file on this board. A newer revision there is not replaced by an older one from the server. */
  readonly ownFile: MachineMap | undefined;
  readonly settings: Awaited<ReturnType<typeof readKeptSettings>>;
  readonly roastRuns: () => boolean;
  readonly use: (map: MachineMap) => Promise<void>;
  readonly usePage: (mode: BoardOverrides['status_page']) => Promise<void>;
  readonly useTimeServers: (servers: BoardOverrides['time_servers']) => Promise<void>;
  /** The state of the newest config has changed. */
  readonly changed: () => void;
}

type ConfigReport = NonNullable<DeviceStatus['config']>;

/** The map as this board reads with it. Settings of the board override the map. */
export const withOverrides = <T extends MachineMap | undefined>(
  map: T,
  { hz, timeout_ms: timeoutMs, gap_ms: gapMs }: BoardOverrides,
): T =>
  map === undefined
    ? map
    : {
        ...map,
        ...(hz === undefined ? {} : { hz }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(gapMs === undefined ? {} : { gapMs }),
      };

const reverted = (rev: number, reason: string): ConfigReport => ({ rev, state: 'refused', reason, reverted: true });

const isSame = (a: MachineMap | undefined, b: MachineMap | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * Applies the server's settings for this board. A log level applies at once; a map is stored and used at the next time
 * without a roast, since a curve must not change its meaning half way, not even by a restart of the board. A map by
 * which the machine can't be read any more, and settings that cut the board off, are reverted.
 */
export const createMapChanges = (parts: MapChangeParts) => {
  const { dataDir, log, current, ownFile, roastRuns, use } = parts;
  const usualLevel = log.level;
  let base = parts.base;
  let waiting:
    | { readonly rev: number; readonly overrides: BoardOverrides; readonly map: MachineMap | undefined }
    | undefined;
  let reported: ConfigReport | undefined;
  const steps = serial();

  const report = (next: ConfigReport): void => {
    reported = next;
    parts.changed();
  };
  const setLevel = (level: BoardOverrides['log_level']): void => {
    const next = level ?? usualLevel;
    if (log.level === next) return;
    log.info({ level: next }, 'log level changed');
    log.level = next;
  };
  /** The map to use, if it differs from the current one. */
  const otherMap = (map: MachineMap | undefined, overrides: BoardOverrides): MachineMap | undefined => {
    const wanted = withOverrides(map, overrides);
    return isSame(wanted, current()) ? undefined : wanted;
  };
  /** A map that the board has as its own file needs no copy. */
  const storeMap = async (map: MachineMap): Promise<void> => {
    await (isSame(map, ownFile) ? dropPushedMap(dataDir) : keepPushedMap(dataDir, map)).catch((error: unknown) =>
      log.error({ reason: String(error) }, 'machine map: write failed'),
    );
  };
  const useNow = async (overrides: BoardOverrides): Promise<void> => {
    setLevel(overrides.log_level);
    const map = otherMap(base, overrides);
    if (map) {
      log.info({ map: map.id, rev: map.rev, hz: map.hz }, 'machine map: changed');
      await use(map);
    }
    await parts.usePage(overrides.status_page);
    await parts.useTimeServers(overrides.time_servers);
  };
  const inTurn = (step: () => Promise<void>): Promise<void> =>
    steps(step).catch((error: unknown) => {
      log.error({ err: error }, 'machine map: change failed');
      if (reported) report({ rev: reported.rev, state: 'refused', reason: String(error).slice(0, 300) });
    });
  const trial = createSettingsTrial(parts.settings, {
    ...parts,
    revert: ({ rev, settings, map, reason, isDue, store }) =>
      inTurn(async () => {
        if (!isDue()) return;
        if (map && !isSame(map, base)) {
          await storeMap(map);
          base = map;
        }
        await store();
        // Newer ones have arrived and are used next.
        if (waiting) return;
        await useNow(settings);
        if (reported?.rev === rev) report(reverted(rev, reason));
      }),
  });

  const apply = async (): Promise<void> => {
    if (!waiting || roastRuns()) return;
    const { rev, overrides, map } = waiting;
    waiting = undefined;
    const isOther = !isSame(map, base);
    if (isOther || trial.differs(overrides)) await trial.begin(rev, overrides, { from: base, to: map });
    if (map && isOther) {
      await storeMap(map);
      base = map;
    }
    await useNow(overrides);
    trial.applied();
    const because = trial.revertedBecause(rev);
    if (reported?.state === 'waiting')
      report(because === undefined ? { rev, state: 'running' } : reverted(rev, because));
  };

  const take = async (config: DeviceConfig): Promise<void> => {
    const { rev } = config;
    // A config that arrived after a newer one.
    if (reported && rev < reported.rev) return;
    const because = trial.revertedBecause(rev);
    const overrides = because === undefined ? overridesOf(config) : trial.now();
    setLevel(overrides.log_level);
    if (config.map && ownFile && ownFile.id === config.map.id && ownFile.rev > config.map.rev) {
      const reason = `the map file on the board is newer: revision ${ownFile.rev}, not ${config.map.rev}`;
      return report({ rev, state: 'refused', reason });
    }
    // A reverted map is not tried again.
    const map = because === undefined ? (config.map ?? base) : base;
    const isInUse = isSame(map, base) && otherMap(map, overrides) === undefined && !trial.differs(overrides);
    waiting = isInUse ? undefined : { rev, overrides, map };
    if (waiting === undefined)
      return report(because === undefined ? { rev, state: 'running' } : reverted(rev, because));
    const reason = roastRuns() ? 'a roast is running' : undefined;
    report({ rev, state: 'waiting', ...(reason === undefined ? {} : { reason }) });
    await apply();
  };

  return {
    received(config: DeviceConfig): void {
      void inTurn(() => take(config));
    },
    /** A config that was not understood; the board continues as before. */
    refused(rev: number, issue: string): void {
      if (!reported || rev >= reported.rev) {
        report({ rev, state: 'refused', reason: `this agent does not understand it: ${issue}`.slice(0, 300) });
      }
    },
    /** Call after each reading: cheap while nothing waits. */
    afterReading(hasBean: boolean): void {
      trial.afterReading(hasBean);
      if (waiting && !roastRuns()) void inTurn(apply);
    },
    /** The state of the newest config; undefined before one has arrived. */
    state: (): ConfigReport | undefined => reported && { ...reported, trial: trial.isOn() },
    async stop(): Promise<void> {
      trial.stop();
      await steps.settled();
    },
  };
};
