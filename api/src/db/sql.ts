import { type Clock, realClock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import postgres from 'postgres';
import { arrayTypes } from './array-types.ts';
import { apiName, followServers, type DatabaseServers } from './database-servers.ts';
import { openRenewingPool, type MakePool } from './renewing-pool.ts';
import type { Database } from './statements.ts';

export type { Database, Sql, Statement } from './statements.ts';

/** A timestamp of a row in ISO 8601, limited to the years 0001 to 9999. */
const isoMoment = (text: string): string => {
  if (text.endsWith(' BC') || text === '-infinity') return '0001-01-01T00:00:00.000Z';
  return /^\d{4}-/.test(text) ? new Date(text).toISOString() : '9999-12-31T23:59:59.999Z';
};

/** Types of the driver's rows are these: timestamptz and timestamp → ISO 8601 string in UTC with milliseconds; date → `yyyy-mm-dd`;
 * int8 and numeric → number (sequence numbers stay below 2^53, weights have at most 14 digits); bytea → Buffer. */
const rowTypes = {
  date: {
    to: 1184,
    from: [1114, 1184],
    serialize: (value: string | Date): string => (value instanceof Date ? value.toISOString() : value),
    parse: isoMoment,
  },
  day: { to: 1082, from: [1082], serialize: (value: string): string => value, parse: (text: string): string => text },
  number: {
    to: 0,
    from: [20, 21, 23, 26, 700, 701, 1700],
    serialize: (value: number): string => String(value),
    parse: (text: string): number => Number(text),
  },
};

export interface DatabaseOptions {
  readonly url: string;
  readonly log: Logger;
  /** Of an address with several hosts, where several pools share them. */
  readonly servers?: DatabaseServers | undefined;
  readonly connections?: number;
  /** Shown in pg_stat_activity. */
  readonly name?: string;
  /** Default 15 s; 0: statements may take any time. */
  readonly statementTimeoutMs?: number;
  /** Default: the computer's. It only measures how long an answer is overdue. */
  readonly clock?: Clock;
}

/**
 * A commit waited for the synchronous standby and was cancelled. Postgres warns and calls it committed, but the standby may lack it,
 * so it counts as unanswered.
 */
const isUnconfirmedCommit = (notice: postgres.Notice): boolean => notice['routine'] === 'SyncRepWaitForLSN';

const logNotice = (notice: postgres.Notice, log: Logger): void => {
  log.debug({ notice: notice['message'] }, 'postgres notice');
  // An error here rejects the statement of the notice.
  if (isUnconfirmedCommit(notice))
    throw Object.assign(new Error('the standby did not confirm a commit in time'), { code: 'COMMIT_UNCONFIRMED' });
};

/**
 * Connects lazily: not before the first query. A lost server is reconnected to within about a second of its return. Of
 * several hosts the primary is used, and the next one within seconds of its promotion.
 */
export const openDatabase = ({
  url,
  log,
  servers: shared,
  connections = 10,
  name = apiName,
  statementTimeoutMs = 15_000,
  clock = realClock,
}: DatabaseOptions): Database => {
  const own = shared === undefined ? followServers(url, log) : undefined;
  const servers = shared ?? own;
  const make: MakePool = (openSocket, max = connections) =>
    postgres(servers?.firstUrl ?? url, {
      max,
      connect_timeout: 5,
      idle_timeout: 300,
      max_lifetime: 3600,
      keep_alive: 30,
      backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 1),
      types: { ...arrayTypes, ...rowTypes },
      fetch_types: false,
      ...(servers === undefined ? {} : { target_session_attrs: 'primary' as const }),
      // Not in the driver's types: a factory for the connection's socket.
      ...({ socket: openSocket } as object),
      connection: {
        application_name: name,
        TimeZone: 'UTC',
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: 30_000,
        // The data is in memory or on an SSD: a random page costs hardly more than a sequential one. The default is for spinning
        // disks and makes Postgres scan whole tables.
        random_page_cost: 1.1,
        // Sums over years of roasts fit, so that they are hashed in memory and not sorted on disk.
        work_mem: '16MB',
        // Compiling a statement takes longer than any of ours runs.
        jit: 'off',
      },
      onnotice: (notice) => logNotice(notice, log),
    });
  return openRenewingPool({ make, log, servers, clock, statementTimeoutMs, onEnd: () => own?.close() });
};

/** Pattern of ILIKE for texts that contain `q`; `%` and `_` in it are literal. */
export const containing = (q: string): string => `%${q.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
