import type { MachineMap } from '@roastery/contract/machine-map';
import type { DeviceConfig, DeviceStatus } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { keepPushedMap } from './machine-map-file.ts';

export interface MapChangeParts {
  readonly dataDir: string;
  readonly log: Logger;
  readonly current: () => MachineMap | undefined;
  /** The map file on this board. A newer revision there is not replaced by an older one from the server. */
  readonly ownFile: MachineMap | undefined;
  readonly roastRuns: () => boolean;
  readonly use: (map: MachineMap) => Promise<void>;
  /** The state of the newest config has changed. */
  readonly changed: () => void;
}

type ConfigReport = NonNullable<DeviceStatus['config']>;

/**
 * Takes what the server sets for this board. A log level counts at once; a map is kept on disk at once and used from the
 * next moment without a roast on, since a curve must not change its meaning half way.
 */
export const createMapChanges = (parts: MapChangeParts) => {
  const { dataDir, log, current, ownFile, roastRuns, use } = parts;
  const usualLevel = log.level;
  /** The map without what is set beside it. */
  let base = current();
  let waiting: MachineMap | undefined;
  let reported: ConfigReport | undefined;
  let working = Promise.resolve();

  const report = (next: ConfigReport): void => {
    reported = next;
    parts.changed();
  };
  const apply = async (): Promise<void> => {
    if (!waiting || roastRuns()) return;
    const map = waiting;
    waiting = undefined;
    log.info({ map: map.id, rev: map.rev, hz: map.hz }, 'machine map: changed');
    await use(map);
    if (reported?.state === 'waiting') report({ rev: reported.rev, state: 'running' });
  };
  const inTurn = (step: () => Promise<void>): void => {
    working = working.then(step).catch((error: unknown) => {
      log.error({ err: error }, 'machine map: change failed');
      if (reported) report({ rev: reported.rev, state: 'refused', reason: String(error).slice(0, 300) });
    });
  };

  const take = async (config: DeviceConfig): Promise<void> => {
    // A config that was overtaken on its way.
    if (reported && config.rev < reported.rev) return;
    const level = config.log_level ?? usualLevel;
    if (log.level !== level) {
      log.info({ level }, 'log level changed');
      log.level = level;
    }
    if (config.map && ownFile && ownFile.id === config.map.id && ownFile.rev > config.map.rev) {
      const reason = `the map file on the board is revision ${ownFile.rev} of it, newer than revision ${config.map.rev}`;
      return report({ rev: config.rev, state: 'refused', reason });
    }
    const kept = JSON.stringify(base);
    base = config.map ?? base;
    if (config.map && JSON.stringify(config.map) !== kept)
      await keepPushedMap(dataDir, config.map).catch((error: unknown) =>
        log.error({ reason: String(error) }, 'machine map: write failed'),
      );
    const wanted = base === undefined || config.hz === undefined ? base : { ...base, hz: config.hz };
    waiting = JSON.stringify(wanted) === JSON.stringify(current()) ? undefined : wanted;
    if (waiting === undefined) return report({ rev: config.rev, state: 'running' });
    const reason = roastRuns() ? 'it waits for the end of the roast' : undefined;
    report({ rev: config.rev, state: 'waiting', ...(reason === undefined ? {} : { reason }) });
    await apply();
  };

  return {
    received(config: DeviceConfig): void {
      inTurn(() => take(config));
    },
    /** A config that was not understood; the board goes on as before. */
    refused(rev: number, issue: string): void {
      if (!reported || rev >= reported.rev) {
        report({ rev, state: 'refused', reason: `this agent does not understand it: ${issue}`.slice(0, 300) });
      }
    },
    /** To be called after each reading: cheap while nothing waits. */
    afterReading(): void {
      if (waiting && !roastRuns()) inTurn(apply);
    },
    /** What became of the newest config; undefined before one has come. */
    state: (): ConfigReport | undefined => reported,
    settled: (): Promise<void> => working,
  };
};
