import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pause } from '@roastery/runtime/backoff';
import type { Logger } from '@roastery/runtime/logger';
import type postgres from 'postgres';
import type { DatabaseServers } from './database-servers.ts';
import { type AnswerWatch, guardedBegin, watchAnswers } from './conditions.ts';
import { databaseOn, type Database, type Driver, type PoolWay, type Way } from './statements.ts';

/**
 * A workaround for faults of postgres 3.4.9 (github.com/porsager/postgres): after the server closed a connection, its object is
 * used again, so the next query can get rows of the earlier one and a transaction's later queries run outside of it (issue 1216,
 * fix proposed in pull request 1215); a `rollback` on the closed socket ends the process (1208); queries queued in the transaction
 * never settle (1186). It can go when these are fixed: renewing-pool.system.test.ts then passes with the driver's own pool.
 *
 * A pool that lost a connection, or gets no answer over one, is retired: new work uses a fresh pool, work on its intact connections
 * may end, and nothing reconnects in it.
 */

export interface SocketOptions {
  readonly host: string[];
  readonly port: number[];
  readonly path?: string | false;
}
export type OpenSocket = (options: SocketOptions) => Duplex | Promise<Duplex>;
/** Makes a pool whose connections use these sockets; `max` overrides its size. */
export type MakePool = (openSocket: OpenSocket, max?: number) => postgres.Sql;

export interface PoolParts extends Pick<AnswerWatch, 'clock' | 'statementTimeoutMs'> {
  readonly make: MakePool;
  readonly log: Logger;
  /** Where the database has standbys: connections are made to its primary. */
  readonly servers: DatabaseServers | undefined;
  readonly onEnd: () => Promise<void> | undefined;
}

/** A TCP connection that reports when it was lost after it had worked, as opposed to being closed by us. */
class WatchedSocket extends Socket {
  readonly #onLost: () => void;
  readonly #onGone: (socket: Socket) => void;
  #isLeaving = false;
  /** The driver verifies a certificate against this name. */
  readonly host: string;

  constructor(host: string, onLost: () => void, onGone: (socket: Socket) => void) {
    super();
    this.host = host;
    this.#onLost = onLost;
    this.#onGone = onGone;
    // The driver leaves Nagle's algorithm on; small statements then wait for the peer's delayed acknowledgement.
    this.setNoDelay(true);
  }

  /** The driver ends a connection with a last message; Node's own end, in response to the other side's, has none. */
  override end(...args: unknown[]): this {
    if (args.length > 0) this.#isLeaving = true;
    return super.end(...(args as Parameters<Socket['end']>));
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.bytesRead > 0 && !this.#isLeaving) this.#onLost();
    this.#onGone(this);
    // Every end of a stream passes here.
    super._destroy(error, callback);
  }
}

/** Time for work on the intact connections of a retired pool. */
const retireSeconds = 5;
const relistenMs = 500;

const lostConnection = (): Error =>
  Object.assign(new Error('the connection to Postgres was lost'), { code: 'CONNECTION_CLOSED' });

const wayOf = (driver: Driver): Way => ({ driver: () => driver, send: async (statement) => statement.on(driver) });

/** A pool until it loses a connection. */
interface Generation extends Pick<PoolWay, 'begin' | 'send'> {
  readonly sql: postgres.Sql;
  isRetired: boolean;
  /** Settles when its connections are closed. */
  ended: Promise<void> | undefined;
  readonly retire: () => void;
  readonly end: (timeout: number) => Promise<void>;
}

const startGeneration = (parts: PoolParts, onRetired: () => void, max?: number): Generation => {
  const { make, log, servers, clock, statementTimeoutMs } = parts;
  const sockets = new Set<Socket>();
  const openWatched = (host: string, onGone: (socket: Socket) => void = () => undefined): WatchedSocket => {
    const socket = new WatchedSocket(host, generation.retire, (gone) => {
      sockets.delete(gone);
      onGone(gone);
    });
    sockets.add(socket);
    return socket;
  };
  const openSocket: OpenSocket = ({ host: [host = '127.0.0.1'], port: [port = 5432], path }) => {
    if (generation.isRetired) throw lostConnection();
    if (servers !== undefined) return openToPrimary(servers);
    const socket = openWatched(host);
    return path ? socket.connect(path) : socket.connect(port, host);
  };
  const openToPrimary = async (among: DatabaseServers): Promise<Duplex> => {
    const socket = await among.connect(({ host, port }) => openWatched(host, among.release).connect(port, host));
    if (!generation.isRetired) return socket;
    socket.destroy();
    throw lostConnection();
  };
  const sql = make(openSocket, max);
  const { send } = wayOf(sql);
  const begin = async <Result>(options: string, work: (tx: Way) => Promise<Result>): Promise<Result> => {
    // The driver does not get the result: of a list it would wait for the elements, and each connection keeps the result of its
    // last transaction until the next one, which with ten connections is all that ingest stored in several seconds.
    let result!: Result;
    await sql.begin(options, async (tx) => {
      result = await work(wayOf(tx));
    });
    return result;
  };
  const onSilent = (): void => {
    log.warn('no answer over a connection to Postgres');
    generation.retire();
  };
  const watched = watchAnswers({ send, begin }, { clock, statementTimeoutMs, onSilent });
  const end = (timeout: number): Promise<void> => {
    watched.stop();
    // The driver waits for the other side to close, which one that is dead never does.
    return sql.end({ timeout }).finally(() => {
      for (const socket of sockets) socket.destroy();
    });
  };
  const generation: Generation = {
    sql,
    send: watched.send,
    begin: guardedBegin(watched.begin, {
      ended: () => (generation.isRetired ? lostConnection() : undefined),
      // The driver itself rejects `begin` when the socket is closed.
      leave: () => new Promise<never>(() => undefined),
    }),
    isRetired: false,
    ended: undefined,
    retire: () => {
      if (generation.isRetired) return;
      generation.isRetired = true;
      onRetired();
      generation.ended ??= end(retireSeconds).catch((error: unknown) =>
        log.debug({ err: error }, 'retired pool ended with an error'),
      );
    },
    end,
  };
  return generation;
};

interface Listener {
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  readonly onListen: (() => void) | undefined;
}

/** Listens on its own connection, reconnects after each loss, and calls `onListen` each time. */
const createListening = (parts: PoolParts) => {
  const { log } = parts;
  const listeners = new Set<Listener>();
  const stopped = new AbortController();
  const open = (): Generation => startGeneration(parts, () => void relisten(), 1);
  let generation: Generation | undefined;

  const listenOn = ({ sql }: Generation, channel: string) =>
    sql.listen(channel, (payload) => {
      for (const listener of listeners) if (listener.channel === channel) listener.onNotify(payload);
    });

  const relisten = async (): Promise<void> => {
    await pause(relistenMs, stopped.signal);
    if (stopped.signal.aborted || listeners.size === 0) return;
    const fresh = (generation = open());
    try {
      for (const channel of new Set(Array.from(listeners, (listener) => listener.channel)))
        await listenOn(fresh, channel);
      for (const { onListen } of listeners) onListen?.();
    } catch (error) {
      log.debug({ err: error }, 'listening failed; retrying');
      fresh.retire();
    }
  };

  return {
    listen: async (channel: string, onNotify: (payload: string) => void, onListen?: () => void) => {
      const isNew = !Array.from(listeners).some((listener) => listener.channel === channel);
      if (isNew) {
        if (generation === undefined || generation.isRetired) generation = open();
        await listenOn(generation, channel);
      }
      const listener = { channel, onNotify, onListen };
      listeners.add(listener);
      onListen?.();
      return { unlisten: async () => void listeners.delete(listener) };
    },
    end: async (timeout: number): Promise<void> => {
      stopped.abort();
      listeners.clear();
      await (generation?.ended ?? generation?.end(timeout));
    },
  };
};

/** A pool that survives the loss of its server. */
export const openRenewingPool = (parts: PoolParts): Database => {
  let hasEnded = false;
  const start = (): Generation =>
    startGeneration(parts, () => {
      if (!hasEnded) current = start();
    });
  let current = start();
  const listening = createListening(parts);
  return databaseOn({
    driver: () => current.sql,
    send: (statement) => current.send(statement),
    begin: (options, work) => current.begin(options, work),
    listen: listening.listen,
    end: async ({ timeout = 5 } = {}) => {
      hasEnded = true;
      await Promise.all([listening.end(timeout), current.ended ?? current.end(timeout)]);
      await parts.onEnd();
    },
  });
};
