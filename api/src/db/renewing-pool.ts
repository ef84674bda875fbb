import { Socket } from 'node:net';
import { pause } from '@roastery/runtime/backoff';
import type { Logger } from '@roastery/runtime/logger';
import type postgres from 'postgres';

/**
 * A workaround for faults of postgres 3.4.9, open upstream (github.com/porsager/postgres): a connection object is used again after
 * the server closed it, so that the next query can get rows or errors of the earlier one, and a transaction's later queries run on
 * the new connection, outside of it (#1216); a `rollback` on the closed socket is an uncaught exception that ends the process
 * (#1208); queries queued in the transaction never settle (#1186). It can go when these are fixed: renewing-pool.system.test.ts
 * then passes with the driver's own pool.
 *
 * A pool that lost a connection is retired: new work uses a fresh pool, work on its intact connections may end, and nothing
 * reconnects in it.
 */

export interface SocketOptions {
  readonly host: string[];
  readonly port: number[];
  readonly path?: string | false;
}
export type OpenSocket = (options: SocketOptions) => Socket;
/** Makes a pool whose connections use these sockets; `max` overrides its size. */
export type MakePool = (openSocket: OpenSocket, max?: number) => postgres.Sql;

/** A TCP connection that reports when it was lost after it had worked, as opposed to being closed by us. */
class WatchedSocket extends Socket {
  readonly #onLost: () => void;
  #isLeaving = false;

  constructor(onLost: () => void) {
    super();
    this.#onLost = onLost;
  }

  /** The driver closes with a last message; Node itself, answering the other side's end, has none. */
  override end(...args: unknown[]): this {
    if (args.length > 0) this.#isLeaving = true;
    return super.end(...(args as Parameters<Socket['end']>));
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.bytesRead > 0 && !this.#isLeaving) this.#onLost();
    // oxlint-disable-next-line no-underscore-dangle -- Node's own name: every end of a stream passes here
    super._destroy(error, callback);
  }
}

/** Time for work on the intact connections of a retired pool. */
const retireSeconds = 5;
const relistenMs = 500;

const lostConnection = (): Error =>
  Object.assign(new Error('the connection to Postgres was lost'), { code: 'CONNECTION_CLOSED' });

interface Generation {
  readonly sql: postgres.Sql;
  isRetired: boolean;
  /** Settles when its connections are closed. */
  ended: Promise<void> | undefined;
}

const startGeneration = (make: MakePool, log: Logger, onRetired: () => void, max?: number): Generation => {
  const retire = (): void => {
    if (generation.isRetired) return;
    generation.isRetired = true;
    onRetired();
    generation.ended ??= generation.sql
      .end({ timeout: retireSeconds })
      .catch((error: unknown) => log.debug({ err: error }, 'retired pool ended with an error'));
  };
  const openSocket: OpenSocket = ({ host, port, path }) => {
    if (generation.isRetired) throw lostConnection();
    const socket = new WatchedSocket(retire);
    // The driver leaves Nagle's algorithm on; small statements then wait for the peer's delayed acknowledgement.
    socket.setNoDelay(true);
    return path ? socket.connect(path) : socket.connect(port[0] ?? 5432, host[0] ?? '127.0.0.1');
  };
  const generation: Generation = { sql: make(openSocket, max), isRetired: false, ended: undefined };
  return generation;
};

const bound = (target: object, key: PropertyKey): unknown => {
  const value: unknown = Reflect.get(target, key);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
};

type Work = (tx: postgres.TransactionSql) => unknown;
const never = new Promise<never>(() => undefined);

/** A transaction of a retired pool sends no further query; the driver rejects `begin` when the socket is closed. */
const begin = (generation: Generation, options: string, work: Work): Promise<unknown> => {
  const guard = (tx: postgres.TransactionSql): postgres.TransactionSql =>
    new Proxy(tx, {
      apply(target, _self, args: unknown[]) {
        if (generation.isRetired) throw lostConnection();
        return Reflect.apply(target as unknown as (...given: unknown[]) => unknown, undefined, args);
      },
      get: (target, key) => bound(target, key),
    });
  return generation.sql.begin(options, async (tx) => {
    try {
      const result = await work(guard(tx));
      return generation.isRetired ? never : result;
    } catch (error) {
      if (generation.isRetired) return never;
      throw error;
    }
  });
};

interface Listener {
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  readonly onListen: (() => void) | undefined;
}

/** Listens on a connection of its own, again after each loss of it, and calls `onListen` each time. */
const createListening = (make: MakePool, log: Logger) => {
  const listeners = new Set<Listener>();
  let generation: Generation | undefined;
  const stopped = new AbortController();

  const listenOn = async ({ sql }: Generation, channel: string): Promise<void> => {
    await sql.listen(channel, (payload) => {
      for (const listener of listeners) if (listener.channel === channel) listener.onNotify(payload);
    });
  };

  const restart = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await pause(relistenMs, stopped.signal);
      if (stopped.signal.aborted || listeners.size === 0) return;
      const fresh = open();
      try {
        for (const channel of new Set([...listeners].map((listener) => listener.channel)))
          await listenOn(fresh, channel);
        for (const listener of listeners) listener.onListen?.();
        return;
      } catch (error) {
        log.debug({ err: error }, 'listening failed; retrying');
        // The connection was lost during the attempt, which started another one.
        if (fresh.isRetired) return;
        fresh.isRetired = true;
        fresh.ended = fresh.sql.end({ timeout: 1 });
        fresh.ended.catch((failure: unknown) => log.debug({ err: failure }, 'pool ended with an error'));
      }
    }
  };

  const open = (): Generation => {
    generation = startGeneration(make, log, () => void restart(), 1);
    return generation;
  };

  return {
    listen: async (channel: string, onNotify: (payload: string) => void, onListen?: () => void) => {
      const isNew = ![...listeners].some((listener) => listener.channel === channel);
      const listener = { channel, onNotify, onListen };
      if (isNew) await listenOn(generation === undefined || generation.isRetired ? open() : generation, channel);
      listeners.add(listener);
      onListen?.();
      return { unlisten: async () => void listeners.delete(listener) };
    },
    end: async (timeout: number): Promise<void> => {
      stopped.abort();
      listeners.clear();
      await generation?.ended;
      if (generation?.isRetired === false) await generation.sql.end({ timeout });
    },
  };
};

/** A pool with the driver's interface that survives the loss of its server. */
export const openRenewingPool = (make: MakePool, log: Logger): postgres.Sql => {
  let hasEnded = false;
  const start = (): Generation =>
    startGeneration(make, log, () => {
      if (!hasEnded) current = start();
    });
  let current = start();
  const listening = createListening(make, log);

  const own: Record<string, unknown> = {
    begin: (optionsOrWork: string | Work, work?: Work) =>
      typeof optionsOrWork === 'string'
        ? begin(current, optionsOrWork, work as Work)
        : begin(current, '', optionsOrWork),
    listen: listening.listen,
    end: async ({ timeout = 5 }: { timeout?: number } = {}) => {
      hasEnded = true;
      await Promise.all([listening.end(timeout), current.ended ?? current.sql.end({ timeout })]);
    },
  };
  return new Proxy((() => undefined) as unknown as postgres.Sql, {
    apply: (_target, _self, args: unknown[]) =>
      Reflect.apply(current.sql as unknown as (...given: unknown[]) => unknown, undefined, args),
    get: (_target, key) => (typeof key === 'string' && key in own ? own[key] : bound(current.sql, key)),
  });
};
