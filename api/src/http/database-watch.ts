import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { isDatabaseUnavailable, loggable } from '../db/postgres-errors.ts';
import { guardTransactions } from '../db/conditions.ts';
import type { Database } from '../db/sql.ts';
import { AppError } from './app-error.ts';

/**
 * A hanging Postgres accepts connections and answers none of them: no statement fails, and its own timeout does not
 * run. While requests wait, one statement is sent on a connection of its own; when it stays unanswered, all requests
 * are answered with 503 and new ones at once, so that nothing piles up. Slow statements and locks do not count: the
 * probe is answered.
 */

const tickMs = 1000;
/** Shorter requests do not trigger the probe. */
const maxQuickMs = 2000;
/**
 * Unanswered for this many ticks, the database hangs. Ticks are counted, because a blocked event loop does not catch up
 * on late ones.
 */
const maxUnansweredTicks = 10;
const retryAfterSeconds = 5;

const hangs = (): AppError =>
  new AppError('not_ready', 'The database does not answer now. Try again in a moment.', retryAfterSeconds);

interface Waiting {
  readonly since: number;
  giveUp(error: AppError): void;
  isGivenUp: boolean;
}

/** The database for one request: a transaction that ends after its request was answered with 503 is rolled back. */
const untilGivenUp = (sql: Database, waiting: Waiting): Database =>
  guardTransactions(sql, {
    ended: () => (waiting.isGivenUp ? hangs() : undefined),
    leave: async (error) => {
      throw error;
    },
  });

/**
 * Takes room on the disk as a statement that stores rows does, and gives it back: a sort that does not fit its memory. Without
 * rows nothing has to be cleaned up. A server that only reads, such as a standby, refuses too.
 */
const tryToWrite = async (sql: Database): Promise<boolean> =>
  sql.begin(async (tx) => {
    await tx`SET LOCAL work_mem = '64kB'`;
    const [row] = await tx<{ isWritable: boolean }[]>`
      SELECT count(*) > 0 AND current_setting('transaction_read_only') = 'off' AS "isWritable"
      FROM generate_series(1, 5000)`;
    return row?.isWritable === true;
  });

/** @param open opens a pool of one connection to the same database */
export const createDatabaseWatch = (sql: Database, open: () => Database, log: Logger, clock: Clock) => {
  const requests = new Set<Waiting>();
  let own: Database | undefined;
  let probing: Promise<boolean> | undefined;
  let unansweredTicks = 0;
  let isClosed = false;
  const isHanging = (): boolean => unansweredTicks >= maxUnansweredTicks;

  const ask = async (): Promise<boolean> => {
    try {
      own ??= open();
      await own`SELECT 1`;
      unansweredTicks = 0;
      return true;
    } catch (error) {
      // A server that refuses or drops connections is down, which every statement reports itself.
      const isSilent = error instanceof Error && 'code' in error && error.code === 'CONNECT_TIMEOUT';
      if (!isSilent) unansweredTicks = 0;
      if (!isDatabaseUnavailable(error) && !isClosed) log.warn({ err: error }, 'database probe failed');
      return false;
    } finally {
      probing = undefined;
    }
  };
  /** One statement at a time for all callers. */
  const probe = (): Promise<boolean> => (probing ??= ask());

  let writing: Promise<boolean> | undefined;
  const write = async (): Promise<boolean> => {
    try {
      own ??= open();
      return await tryToWrite(own);
    } catch (error) {
      if (!isClosed) log.warn(loggable(error), 'database can not write');
      return false;
    } finally {
      writing = undefined;
    }
  };

  const tick = (): void => {
    const oldest = Math.min(...[...requests].map(({ since }) => since));
    if (unansweredTicks === 0 && probing === undefined && clock.monotonic() - oldest < maxQuickMs) return;
    const wasHanging = isHanging();
    if (probing !== undefined || unansweredTicks > 0) unansweredTicks += 1;
    if (requests.size > 0 || unansweredTicks > 0) void probe();
    if (!isHanging()) return;
    if (!wasHanging) log.error({ requests: requests.size }, 'database does not answer');
    for (const request of requests) request.giveUp(hangs());
  };
  const cancelTicks = clock.every(tickMs, tick, { keepsAlive: false });

  return {
    /** Runs the work of a request with a database of its own, as long as the database answers. */
    async during<T>(work: (sql: Database) => Promise<T>): Promise<T> {
      if (isHanging()) throw hangs();
      const waiting: Waiting = { since: clock.monotonic(), giveUp: () => undefined, isGivenUp: false };
      const givenUp = new Promise<never>((_, reject) => {
        waiting.giveUp = (error) => {
          waiting.isGivenUp = true;
          requests.delete(waiting);
          reject(error);
        };
      });
      requests.add(waiting);
      try {
        return await Promise.race([work(untilGivenUp(sql, waiting)), givenUp]);
      } finally {
        requests.delete(waiting);
      }
    },
    /** Whether the database has written something within this time; a full disk still answers what is read. */
    async writesWithin(ms: number): Promise<boolean> {
      let cancel: Cancel | undefined;
      const late = new Promise<boolean>((resolve) => {
        cancel = clock.after(ms, () => resolve(false));
      });
      return Promise.race([(writing ??= write()), late]).finally(() => cancel?.());
    },
    /** Requests that are being answered. */
    get waiting(): number {
      return requests.size;
    },
    async close(): Promise<void> {
      isClosed = true;
      cancelTicks();
      await own?.end({ timeout: 1 });
    },
  };
};
export type DatabaseWatch = ReturnType<typeof createDatabaseWatch>;
