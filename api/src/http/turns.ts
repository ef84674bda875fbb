import { setImmediate as nextIteration } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * A turn for a piece of a long answer. All long answers share them: an iteration of the event loop has one, so that requests
 * and messages of boards wait for one piece at most, however many files are saved at once.
 */
export const nextTurn = (): Promise<void> => {
  last = last.then(() => nextIteration());
  return last;
};
