import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '../../context.ts';
import { isConnectionLost, loggable, statementOf } from '../../db/postgres-errors.ts';
import { yieldingDatabase } from '../../db/conditions.ts';
import { AppError } from '../../http/app-error.ts';
import { maxYieldMs } from '../../http/open-requests.ts';

const idleMs = 1000;
const minRestMs = 5;
/** On a computer that is busy with other programs, a piece takes long without delaying requests. */
const maxRestMs = 50;

/** A fault may have ended by the next attempt; a permanent one must not delay later work. */
export const maxTries = 3;
/** Finished imports are deleted after this. */
export const keepDays = 14;

const restAfter = (workedMs: number, restShare: number): number =>
  Math.min(maxRestMs, Math.max(minRestMs, workedMs * restShare));

/**
 * Runs tasks one after the other, in order, with a rest after each. A browser sends files as fast as they are stored:
 * without rests they would delay pages.
 * @param restShare rest after a task, as a share of its duration
 */
export const createTurns = (restShare: number) => {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const started = last.then(() => performance.now());
    const result = started.then(work);
    const rest = async (): Promise<void> => sleep(restAfter(performance.now() - (await started), restShare));
    last = result.then(rest, rest);
    return result;
  };
};

/** The parts of the api that imports need; they have them in their own thread. */
export type ImportContext = Pick<AppContext, 'log' | 'sql' | 'files' | 'openRequests'>;

/** Does one piece of work; false when there is none. */
export type WorkOnce = (context: ImportContext) => Promise<boolean>;

/**
 * Works in the background until it is closed, one piece at a time. Each statement of its context is sent when no
 * request waits for its answer. A failed piece is retried.
 * @param restShare rest after a piece, as a share of its duration: then the api, its readers and Postgres are free for
 * requests
 */
export const workInBackground = (
  context: ImportContext,
  restShare: number,
  workOnce: WorkOnce,
): { close(): Promise<void> } => {
  const { log, openRequests } = context;
  const stop = new AbortController();
  const rest = (ms: number) => sleep(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        const from = performance.now();
        const sql = yieldingDatabase(context.sql, openRequests.turns(maxYieldMs));
        const found = await workOnce({ ...context, sql });
        await rest(found ? restAfter(performance.now() - from, restShare) : idleMs);
      } catch (error) {
        const isBusy = error instanceof AppError || isConnectionLost(error);
        if (!isBusy) log.warn({ ...loggable(error), statement: statementOf(error) }, 'import failed, retrying');
        await rest(idleMs);
      }
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
};
