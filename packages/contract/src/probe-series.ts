import { placeKey, type RegisterSeries } from './decodings.ts';
import type { ProbeBlock } from './probe.ts';

/** Readings kept of each register: two minutes at one per second. */
const maxReadings = 120;

/** The readings of each register during a probe. A round in which a register did not answer has no reading of it. */
export const createProbeSeries = () => {
  const places = new Map<string, RegisterSeries>();
  return {
    /** Adds the readings of `seconds` since the probe began. */
    take(blocks: readonly ProbeBlock[], seconds: number): void {
      for (const { unit, table, start, words } of blocks) {
        for (const [index, word] of words.entries()) {
          const key = placeKey({ unit, table, address: start + index });
          const known = places.get(key);
          places.set(key, {
            unit,
            table,
            address: start + index,
            words: [...(known?.words ?? []), word].slice(-maxReadings),
            seconds: [...(known?.seconds ?? []), seconds].slice(-maxReadings),
          });
        }
      }
    },
    places: (): RegisterSeries[] => [...places.values()],
    size: (): number => places.size,
    clear: (): void => places.clear(),
  };
};
export type ProbeSeries = ReturnType<typeof createProbeSeries>;
