import { setTimeout as sleep } from 'node:timers/promises';
import type { AppContext } from '../../context.ts';
import { isDatabaseUnavailable, loggable } from '../../db/postgres-errors.ts';
import { AppError } from '../../http/app-error.ts';

const idleMs = 1000;
/** Between two pieces of work the api and Postgres belong to everybody else. */
const restMs = 5;

/** Does one piece of work; false when there is none. */
export type WorkOnce = () => Promise<boolean>;

/** Works beside everything else until it is closed. A piece that fails is tried again. */
export const workInBackground = (
  { log }: AppContext,
  workers: number,
  workOnce: WorkOnce,
): { close(): Promise<void> } => {
  const stop = new AbortController();
  const rest = (ms: number) => sleep(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await rest((await workOnce()) ? restMs : idleMs);
      } catch (error) {
        const isBusy = error instanceof AppError || isDatabaseUnavailable(error);
        if (!isBusy) log.warn(loggable(error), 'import failed, retrying');
        await rest(idleMs);
      }
    }
  };
  const running = Array.from({ length: workers }, run);
  return {
    async close() {
      stop.abort();
      await Promise.all(running);
    },
  };
};
