import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage of this process. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** The memory that this process holds, bytes: objects, and buffers outside the heap. Garbage does not count. */
export const heldBytes = (): number => {
  // Freed buffers are given back by the collection after the one that finds them.
  for (let collection = 0; collection < 2; collection += 1) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/**
 * What `make` returns, and the bytes that it holds: the median of five rounds. Test files of a worker share one process, and
 * memory of another file that becomes free in a round would be subtracted from its result.
 */
export const measureMemory = <Made>(make: () => Made): { made: Made; cost: number } => {
  const rounds = Array.from({ length: 5 }, () => {
    const before = heldBytes();
    const made = make();
    return { made, cost: heldBytes() - before };
  });
  const median = rounds.sort((a, b) => a.cost - b.cost)[2];
  if (median === undefined) throw new Error('no round');
  return median;
};
