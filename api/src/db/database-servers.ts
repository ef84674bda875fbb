import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { pause } from '@roastery/runtime/backoff';
import { parseDatabaseUrl, type DatabasePlace } from '@roastery/runtime/database-url';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import postgres from 'postgres';
import { isDatabaseUnavailable } from './postgres-errors.ts';

/**
 * A database on several servers, one of which accepts writes. Each server is queried once a second over its own
 * connection: whether it is the primary, and on which timeline, since a promotion begins a new one. The primary of the
 * newest timeline is used as soon as it answers, and all connections to other servers are closed, including those to a
 * frozen server. A former primary that returns is on an older timeline, so nothing is written to it. (The driver's own
 * choice among hosts takes a standby for a primary and retries without end or pause.) Commits that wait for a lost
 * synchronous standby have no timeout and would occupy all connections: they are cancelled after 10 s, and fail with
 * `COMMIT_UNCONFIRMED`.
 */

const everyMs = 1000;
/** A server that has not answered for this long is ignored. */
const silentMs = 5000;

/** `application_name` of the api's pools. */
export const apiName = 'roastery-api';

type Verdict =
  | { readonly is: 'unknown' | 'standby' }
  | { readonly is: 'away'; readonly why: string }
  | { readonly is: 'primary'; readonly timeline: number };

interface Server {
  readonly place: DatabasePlace;
  readonly name: string;
  verdict: Verdict;
}

/** One connection to one server; after a failure another one is made. */
const openProbe = (url: string, { host, port }: DatabasePlace) => {
  let socket: Socket | undefined;
  const sql = postgres(url, {
    max: 1,
    connect_timeout: silentMs / 1000,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: 'roastery-watch', statement_timeout: silentMs },
    // Not in the driver's types: a factory for the connection's socket, and its host for TLS.
    ...({ socket: () => (socket = Object.assign(connect(port, host), { host })) } as object),
  });
  return {
    async ask(withTimeline: boolean): Promise<Verdict> {
      // A standby has no current position, so the query must not request one there.
      const timeline = withTimeline
        ? sql`('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`
        : sql`0`;
      const [row] = await sql<{ timeline: number | null }[]>`
        SELECT CASE WHEN pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' THEN NULL
          ELSE ${timeline} END AS timeline,
        (SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
          WHERE usename = current_user AND datname = current_database() AND application_name = ${apiName}
            AND wait_event = 'SyncRep' AND state_change < now() - interval '10 s') AS unconfirmed`;
      return typeof row?.timeline === 'number' ? { is: 'primary', timeline: row.timeline } : { is: 'standby' };
    },
    close(): void {
      socket?.destroy();
      sql.end({ timeout: 0 }).catch(() => undefined);
    },
  };
};

const stateOf = ({ name, verdict }: Server): string => {
  if (verdict.is === 'away') return `${name}: ${verdict.why}`;
  return `${name}: ${verdict.is === 'primary' ? 'former primary' : verdict.is}`;
};

const noPrimary = (servers: readonly Server[]): Error => {
  const message = `no server of the database accepts writes (${servers.map(stateOf).join('; ')})`;
  return Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' });
};

/** Fails with the first statement. */
const failing = (error: Error): Duplex =>
  new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done(error) });

/** Queries one server until the signal aborts. */
const follow = async (server: Server, url: string, stop: AbortSignal, onVerdict: () => void): Promise<void> => {
  let probe: ReturnType<typeof openProbe> | undefined;
  // Some managed servers do not report theirs.
  let hasTimeline = true;
  const answer = async (): Promise<Verdict> => {
    const answered = new AbortController();
    const silence = pause(silentMs, AbortSignal.any([stop, answered.signal])).then((): Verdict => {
      return { is: 'away', why: 'does not answer' };
    });
    try {
      return await Promise.race([(probe ??= openProbe(url, server.place)).ask(hasTimeline), silence]);
    } catch (error) {
      if (error instanceof postgres.PostgresError && !isDatabaseUnavailable(error)) hasTimeline = false;
      return { is: 'away', why: error instanceof Error ? error.message : 'failed' };
    } finally {
      answered.abort();
    }
  };
  while (!stop.aborted) {
    server.verdict = await answer();
    if (server.verdict.is === 'away') {
      probe?.close();
      probe = undefined;
    }
    if (!stop.aborted) onVerdict();
    await pause(everyMs, stop);
  }
  probe?.close();
};

/** Follows the servers of an address from the first connection on; undefined where there is only one. */
export const followServers = (url: string, log: Logger) => {
  const address = parseDatabaseUrl(url);
  if (address === undefined || address.places.length < 2) return undefined;
  const servers = address.places.map((place): Server => {
    return { place, name: `${place.host}:${place.port}`, verdict: { is: 'unknown' } };
  });
  const sockets = new Map<Socket, Server>();
  const stopping = new AbortController();
  const waiting = new Set<() => void>();
  const mayLog = createLogGate(60_000);
  let following: Promise<unknown> | undefined;
  let newest = 0;
  /** The server of the open connections. */
  let home: Server | undefined;

  const timelineOf = ({ verdict }: Server): number => (verdict.is === 'primary' ? verdict.timeline : -1);
  const isWritable = (server: Server): boolean => timelineOf(server) >= newest;

  const choose = (): void => {
    newest = Math.max(newest, ...servers.map(timelineOf));
    // At the start a former primary may answer before the current one.
    const isUnknown = home === undefined && servers.some(({ verdict }) => verdict.is === 'unknown');
    const next = home !== undefined && isWritable(home) ? home : isUnknown ? undefined : servers.find(isWritable);
    if (next !== undefined && next !== home) {
      log.info({ server: next.name, timeline: timelineOf(next), before: home?.name }, 'database primary');
      home = next;
      for (const [socket, server] of sockets) if (server !== next) socket.destroy();
    }
    for (const server of servers) {
      const isFormer = server.verdict.is === 'primary' && !isWritable(server);
      if (isFormer && mayLog(server.name) !== undefined)
        log.error(
          { server: server.name, timeline: timelineOf(server), newest },
          'former database primary still writable',
        );
    }
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const start = (): void => {
    following ??= Promise.all(servers.map((server) => follow(server, address.firstUrl, stopping.signal, choose)));
  };

  return {
    /** Connection settings for the driver: credentials and options from the address of the database. */
    firstUrl: address.firstUrl,
    /**
     * A connection to the primary, as soon as there is one; without one, a connection that fails. It is closed when another server
     * becomes the primary.
     */
    async connect(open: (place: DatabasePlace) => Socket): Promise<Duplex> {
      start();
      for (;;) {
        if (home !== undefined && isWritable(home)) {
          const socket = open(home.place);
          sockets.set(socket, home);
          return socket;
        }
        // The driver never reuses a connection whose factory threw.
        if (stopping.signal.aborted || servers.every(({ verdict }) => verdict.is !== 'unknown'))
          return failing(noPrimary(servers));
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
    },
    release: (socket: Socket): void => void sockets.delete(socket),
    async close(): Promise<void> {
      stopping.abort();
      for (const wake of waiting) wake();
      await following;
    },
  };
};
export type DatabaseServers = NonNullable<ReturnType<typeof followServers>>;
