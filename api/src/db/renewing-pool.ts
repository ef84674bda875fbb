import { pause } from '@roastery/runtime/backoff';
import type { Logger } from '@roastery/runtime/logger';
import type postgres from 'postgres';
import { WatchedSocket } from './watched-socket.ts';

/**
 * postgres 3.4.9 uses a connection object again after the server dropped it, with what was left of the interrupted query
 * in it: the next query can get rows or errors of the earlier one, a place in the pool can stop working for good, and
 * a `rollback` on the closed socket throws where nobody can catch it. So a pool that lost a connection is retired: new work
 * goes to a fresh one, work on its sound connections may end, and nothing reconnects in it.
 */

export interface SocketOptions {
  readonly host: string[];
  readonly port: number[];
  readonly path?: string | false;
}
export type OpenSocket = (options: SocketOptions) => WatchedSocket;
/** Makes a pool whose connections use these sockets; `max` overrides its size. */
export type MakePool = (openSocket: OpenSocket, max?: number) => postgres.Sql;

/** Work on the sound connections of a retired pool gets this long. */
const retireSeconds = 5;
const listenAgainMs = 500;

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
      .catch((error: unknown) => log.debug({ err: error }, 'a retired pool did not end cleanly'));
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

/** A transaction whose pool was retired sends nothing more; the driver rejects `begin` when the socket is closed. */
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

/** Listens on a connection of its own, and again whenever that was lost, calling `onListen` each time. */
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
      await pause(listenAgainMs, stopped.signal);
      if (stopped.signal.aborted || listeners.size === 0) return;
      const fresh = open();
      try {
        for (const channel of new Set([...listeners].map((listener) => listener.channel)))
          await listenOn(fresh, channel);
        for (const listener of listeners) listener.onListen?.();
        return;
      } catch (error) {
        log.debug({ err: error }, 'listening is not possible yet');
        // Lost meanwhile: its own retirement has begun another attempt.
        if (fresh.isRetired) return;
        fresh.isRetired = true;
        fresh.ended = fresh.sql.end({ timeout: 1 });
        fresh.ended.catch((failure: unknown) => log.debug({ err: failure }, 'a pool did not end cleanly'));
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

/** A pool in the driver's own interface that survives the loss of its server. */
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
