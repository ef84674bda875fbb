import { setPriority } from 'node:os';
import { setImmediate as nextIteration } from 'node:timers/promises';

/** Runs a task after those that were given before it, also when one of them failed. Its result is that of the task. */
export interface Serial {
  <Result>(task: () => Result | Promise<Result>): Promise<Result>;
  /** Resolves when the tasks that were given until now are done. Never rejects. */
  readonly settled: () => Promise<void>;
}

/** One task at a time, in the order in which they are given. */
export const serial = (): Serial => {
  let last: Promise<void> = Promise.resolve();
  const run = <Result>(task: () => Result | Promise<Result>): Promise<Result> => {
    const result = last.then(task);
    last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  };
  return Object.assign(run, { settled: () => last });
};

const inTurn = serial();

/**
 * A turn for a piece of long work. All long responses share the turns: each iteration of the event loop has one, so
 * that requests and messages of boards wait for at most one piece, however many files are saved at once.
 */
export const nextTurn = (): Promise<void> => inTurn(() => nextIteration());

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
