import type { MachineMap } from '@roastery/contract/machine-map';
import type { BoardOverrides, DeviceConfig, DeviceStatus } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { dropPushedMap, keepPushedMap } from './machine-map-file.ts';
import {
  createSettingsTrial,
  overridesOf,
  type Earlier,
  type readKeptSettings,
  type SettingsTrial,
  type SettingsTrialParts,
} from './settings-trial.ts';

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

interface WaitingConfig {
  readonly rev: number;
  readonly overrides: BoardOverrides;
  readonly map: MachineMap | undefined;
}

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
export class MapChanges {
  readonly #parts: MapChangeParts;
  readonly #log: Logger;
  readonly #usualLevel: string;
  readonly #steps = serial();
  readonly #trial: SettingsTrial;
  #base: MachineMap | undefined;
  #waiting: WaitingConfig | undefined;
  #reported: ConfigReport | undefined;

  constructor(parts: MapChangeParts) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#usualLevel = parts.log.level;
    this.#base = parts.base;
    this.#trial = createSettingsTrial(parts.settings, {
      ...parts,
      revert: (to) => this.#inTurn(() => this.#revert(to)),
    });
  }

  received(config: DeviceConfig): void {
    void this.#inTurn(() => this.#take(config));
  }

  /** A config that is not taken; the board continues as before. */
  refused(rev: number, reason: string): void {
    if (!this.#reported || rev >= this.#reported.rev) {
      this.#report({ rev, state: 'refused', reason: reason.slice(0, 300) });
    }
  }

  /** Call after each reading: cheap while nothing waits. */
  afterReading(hasBean: boolean): void {
    this.#trial.afterReading(hasBean);
    if (this.#waiting && !this.#parts.roastRuns()) void this.#inTurn(() => this.#apply());
  }

  /** The state of the newest config; undefined before one has arrived. */
  state(): ConfigReport | undefined {
    return this.#reported && { ...this.#reported, trial: this.#trial.isOn() };
  }

  async stop(): Promise<void> {
    this.#trial.stop();
    await this.#steps.settled();
  }

  async #revert({ rev, settings, map, reason, isDue, store }: Earlier): Promise<void> {
    if (!isDue()) return;
    if (map && !isSame(map, this.#base)) {
      await this.#storeMap(map);
      this.#base = map;
    }
    await store();
    // Newer ones have arrived and are used next.
    if (this.#waiting) return;
    await this.#useNow(settings);
    if (this.#reported?.rev === rev) this.#report(reverted(rev, reason));
  }

  #report(next: ConfigReport): void {
    this.#reported = next;
    this.#parts.changed();
  }

  #setLevel(level: BoardOverrides['log_level']): void {
    const next = level ?? this.#usualLevel;
    if (this.#log.level === next) return;
    this.#log.info({ level: next }, 'log level changed');
    this.#log.level = next;
  }

  /** The map to use, if it differs from the current one. */
  #otherMap(map: MachineMap | undefined, overrides: BoardOverrides): MachineMap | undefined {
    const wanted = withOverrides(map, overrides);
    return isSame(wanted, this.#parts.current()) ? undefined : wanted;
  }

  /** A map that the board has as its own file needs no copy. */
  async #storeMap(map: MachineMap): Promise<void> {
    const { dataDir, ownFile } = this.#parts;
    await (isSame(map, ownFile) ? dropPushedMap(dataDir) : keepPushedMap(dataDir, map)).catch((error: unknown) =>
      this.#log.error({ reason: String(error) }, 'machine map: write failed'),
    );
  }

  async #useNow(overrides: BoardOverrides): Promise<void> {
    this.#setLevel(overrides.log_level);
    const map = this.#otherMap(this.#base, overrides);
    if (map) {
      this.#log.info({ map: map.id, rev: map.rev, hz: map.hz }, 'machine map: changed');
      await this.#parts.use(map);
    }
    await this.#parts.usePage(overrides.status_page);
    await this.#parts.useTimeServers(overrides.time_servers);
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    return this.#steps(step).catch((error: unknown) => {
      this.#log.error({ err: error }, 'machine map: change failed');
      if (this.#reported)
        this.#report({ rev: this.#reported.rev, state: 'refused', reason: String(error).slice(0, 300) });
    });
  }

  async #apply(): Promise<void> {
    if (!this.#waiting || this.#parts.roastRuns()) return;
    const { rev, overrides, map } = this.#waiting;
    this.#waiting = undefined;
    const isOther = !isSame(map, this.#base);
    if (isOther || this.#trial.differs(overrides))
      await this.#trial.begin(rev, overrides, { from: this.#base, to: map });
    if (map && isOther) {
      await this.#storeMap(map);
      this.#base = map;
    }
    await this.#useNow(overrides);
    this.#trial.applied();
    const because = this.#trial.revertedBecause(rev);
    if (this.#reported?.state === 'waiting')
      this.#report(because === undefined ? { rev, state: 'running' } : reverted(rev, because));
  }

  async #take(config: DeviceConfig): Promise<void> {
    const { rev } = config;
    // A config that arrived after a newer one.
    if (this.#reported && rev < this.#reported.rev) return;
    const because = this.#trial.revertedBecause(rev);
    const overrides = because === undefined ? overridesOf(config) : this.#trial.now();
    this.#setLevel(overrides.log_level);
    const { ownFile, roastRuns } = this.#parts;
    if (config.map && ownFile && ownFile.id === config.map.id && ownFile.rev > config.map.rev) {
      const reason = `the map file on the board is newer: revision ${ownFile.rev}, not ${config.map.rev}`;
      return this.#report({ rev, state: 'refused', reason });
    }
    // A reverted map is not tried again.
    const map = because === undefined ? (config.map ?? this.#base) : this.#base;
    const isInUse =
      isSame(map, this.#base) && this.#otherMap(map, overrides) === undefined && !this.#trial.differs(overrides);
    this.#waiting = isInUse ? undefined : { rev, overrides, map };
    if (this.#waiting === undefined)
      return this.#report(because === undefined ? { rev, state: 'running' } : reverted(rev, because));
    const reason = roastRuns() ? 'a roast is running' : undefined;
    this.#report({ rev, state: 'waiting', ...(reason === undefined ? {} : { reason }) });
    await this.#apply();
  }
}
