import type { MachineMap } from '@roastery/contract/machine-map';
import type { Logger } from '@roastery/runtime/logger';
import { keepPushedMap } from './machine-map-file.ts';

export interface MapChangeParts {
  readonly dataDir: string;
  readonly log: Logger;
  readonly current: () => MachineMap;
  readonly roastRuns: () => boolean;
  readonly use: (map: MachineMap) => Promise<void>;
}

/**
 * Takes the maps that the server pushes: kept on disk at once, used from the next moment without a roast on, since a
 * curve must not change its meaning half way.
 */
export const createMapChanges = ({ dataDir, log, current, roastRuns, use }: MapChangeParts) => {
  let waiting: MachineMap | undefined;
  let working = Promise.resolve();

  const apply = async (): Promise<void> => {
    if (!waiting || roastRuns()) return;
    const map = waiting;
    waiting = undefined;
    log.info({ map: map.id, rev: map.rev }, 'reading by a new machine map');
    await use(map);
  };
  const inTurn = (step: () => Promise<void>): void => {
    working = working.then(step).catch((error: unknown) => log.error({ err: error }, 'could not take the machine map'));
  };

  return {
    received(map: MachineMap): void {
      inTurn(async () => {
        const known = waiting ?? current();
        const older = map.id === known.id && map.rev < known.rev;
        if (older || JSON.stringify(map) === JSON.stringify(known)) return;
        await keepPushedMap(dataDir, map);
        waiting = map;
        await apply();
      });
    },
    /** To be called after each reading: cheap while nothing waits. */
    afterReading(): void {
      if (waiting && !roastRuns()) inTurn(apply);
    },
    settled: (): Promise<void> => working,
  };
};
