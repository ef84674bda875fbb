import { setPriority } from 'node:os';
import { setImmediate as nextIteration } from 'node:timers/promises';

let last: Promise<void> = Promise.resolve();

/**
 * A turn for a piece of long work. All long responses share the turns: each iteration of the event loop has one, so
 * that requests and messages of boards wait for at most one piece, however many files are saved at once.
 */
export const nextTurn = (): Promise<void> => {
  last = last.then(() => nextIteration());
  return last;
};

/** For work that no request waits for. */
const niceness = 10;

/**
 * Lets all other threads run first. Threads that the process starts later inherit it; `0` is the calling thread on
 * Linux and the whole process elsewhere. If a sandbox forbids it, all run alike; and a process may have ended.
 */
export const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, niceness);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
};
