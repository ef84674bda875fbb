import { setImmediate as nextIteration } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * A turn for a piece of long work. All long answers share the turns: each iteration of the event loop has one, so that
 * requests and messages of boards wait for one piece at most, however many files are saved at once.
 */
export const nextTurn = (): Promise<void> => {
  last = last.then(() => nextIteration());
  return last;
};
