import { pause } from '@roastery/runtime/backoff';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { Aedes } from 'aedes';
import { createSocketCount } from './admission.ts';
import { createApiAccess } from './api-access.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import { createDeviceAccess } from './device-access.ts';
import { createForwarding, type Forwarding } from './forwarding.ts';
import { defaultLimits, type BrokerLimits } from './limits.ts';
import { listenTcp, listenTls, listenWebSocket, type Accepted, type TlsFiles } from './listeners.ts';
import { listenManagement } from './management.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { handlers } from './handlers.ts';
import { createPersistence } from './persistence.ts';
import type { RefusalReason } from './refusals.ts';

export interface BrokerConfig {
  readonly log: Logger;
  /** Listener without TLS. Port 0 selects a free one. Keep the host at loopback unless the network is trusted. */
  readonly mqtt: { readonly host: string; readonly port: number };
  readonly management: { readonly host: string; readonly port: number };
  readonly tls?: { readonly host: string; readonly port: number } & TlsFiles;
  readonly webSocket?: { readonly host: string; readonly port: number };
  /** Base URL of the api, e.g. `http://127.0.0.1:3000/api/v1`. */
  readonly apiUrl: string;
  /** Secret shared with the api: the broker sends it to the api, and the management pages require it. */
  readonly brokerSecret: string;
  readonly limits?: Partial<BrokerLimits>;
  /** Connections that each listener accepts in a turn of the event loop; 1 by default, more take a process to start. */
  readonly acceptedPerTurn?: number;
  readonly clock?: Clock;
}

export interface Broker {
  readonly ports: {
    readonly mqtt: number;
    readonly management: number;
    readonly tls?: number;
    readonly webSocket?: number;
  };
  /** Loads renewed TLS files for new connections; does nothing without TLS. Rejects when they can't be used. */
  reloadCertificate(): Promise<void>;
  /** Stops accepting and closes every client; resolves within a few seconds. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Reasons that a board's owner or an operator can act on. */
const worthWarning = new Set<RefusalReason>(['too_many_connections', 'too_many_from_address', 'frozen', 'too_slow']);

/** A connection's name in the log. */
const describe = (connection: Connection) => ({
  address: connection.address,
  ...(connection.username ? { username: connection.username.slice(0, 120) } : {}),
});

interface RefusalLogParts {
  readonly log: Logger;
  readonly logGate: ReturnType<typeof createLogGate>;
  readonly metrics: Metrics;
}

const refusalLog =
  ({ log, logGate, metrics }: RefusalLogParts) =>
  (reason: RefusalReason, about: { address: string; username?: string; detail?: string }): void => {
    metrics.refused(reason);
    const held = logGate(`${reason} ${about.username ?? about.address}`);
    if (held === undefined) return;
    // A board that is switched off is no fault.
    const isUsual = reason === 'keepalive' || about.username === undefined;
    const level = isUsual && !worthWarning.has(reason) ? 'info' : 'warn';
    log[level]({ reason, ...about, held }, 'refused');
  };

const newAedes = (limits: BrokerLimits, decisions: ReturnType<typeof handlers>): Aedes =>
  new Aedes({
    // Measured: with a limit here one slow subscriber blocks all others, and acknowledged messages are lost.
    concurrency: 0,
    connectTimeout: limits.connectTimeoutMs * 2,
    // Our own check is faster and gives a reason.
    drainTimeout: limits.frozenAfterMs * 2,
    keepaliveLimit: limits.maxKeepaliveSeconds,
    // Boards and the api use QoS 1; each open QoS 2 message holds up to a whole packet in memory.
    maxInflightInbound: 20,
    maxClientsIdLength: 1024,
    persistence: createPersistence(),
    ...decisions,
  });

interface AedesFollowers {
  readonly connections: Connections;
  readonly forwarding: Forwarding;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** What aedes has decided: which clients are ready, which subscriptions are granted, which connections failed. */
const followAedes = (aedes: Aedes, { connections, forwarding, metrics, log }: AedesFollowers): void => {
  aedes.on('clientReady', ({ conn }) => {
    const connection = connections.of(conn);
    if (connection) connection.isReady = true;
  });
  aedes.on('subscribe', (subscriptions, { conn }) => {
    const connection = connections.of(conn);
    // 128 instead of a QoS means refused.
    const granted = subscriptions.filter(({ qos }) => qos <= 2).map(({ topic }) => topic);
    if (connection && connections.open.has(connection)) forwarding.subscribe(connection, granted);
  });
  aedes.on('unsubscribe', (filters, { conn }) => {
    const connection = connections.of(conn);
    if (connection) forwarding.unsubscribe(connection, filters);
  });
  const onProtocolFault = (client: { conn: object }, error: Error): void => {
    const connection = connections.of(client.conn);
    if (!connection || connection.refused) return;
    if ('code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return;
    log.debug({ ...describe(connection), detail: error.message }, 'connection failed');
    metrics.refused('protocol');
  };
  aedes.on('clientError', onProtocolFault);
  aedes.on('connectionError', onProtocolFault);
  (aedes as NodeJS.EventEmitter).on('error', (error: unknown) => log.error({ err: error }, 'broker failed'));
};

/** Starts the broker. Throws `ConfigError` when a port is taken or a certificate can't be used. */
export const startBroker = async (config: BrokerConfig): Promise<Broker> => {
  const { log, clock = realClock } = config;
  const limits: BrokerLimits = { ...defaultLimits, ...config.limits };
  const logGate = createLogGate(60_000, clock.monotonic);
  const metrics = createMetrics();
  const noteRefusal = refusalLog({ log, logGate, metrics });

  const sockets = createSocketCount(limits, (reason, address) => noteRefusal(reason, { address }));
  const connections = new Connections(
    limits,
    {
      onAdmitted: ({ socket }) => sockets.admit(socket),
      onRefused: (connection, reason) => noteRefusal(reason, describe(connection)),
      onThrottled: () => metrics.throttled.inc(),
      onClosed: (connection) => forwarding.forget(connection),
      forward: (connection, bytes, frame) => forwarding.forward(connection, bytes, frame),
    },
    clock,
  );
  const forwarding = createForwarding(connections, metrics);
  metrics.watch(connections, sockets);

  const api = createApiAccess({ apiUrl: config.apiUrl, brokerSecret: config.brokerSecret, log, clock });
  const deviceAccess = createDeviceAccess(api, (clientId) => {
    connections.closeClient(clientId, 'revoked');
  });

  const aedes = newAedes(
    limits,
    handlers({
      connections,
      deviceAccess,
      metrics,
      onRefused: (connection, reason, detail) => noteRefusal(reason, { ...describe(connection), detail }),
      onFault(error) {
        const held = logGate('handler');
        if (held !== undefined) log.error({ err: error, held }, 'mqtt handler failed');
      },
    }),
  );
  followAedes(aedes, { connections, forwarding, metrics, log });
  await aedes.listen();

  const accepted: Accepted = {
    perTurn: config.acceptedPerTurn ?? 1,
    onConnection: (listener, carrier, socket) => void aedes.handle(connections.add(listener, carrier, socket).stream),
    onRefused: (reason, address) => noteRefusal(reason, { address }),
    onSlowAccept: (error) => log.warn({ err: error }, 'only one connection is accepted in each turn of the event loop'),
  };

  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(listener: T): T => {
    opened.push(listener);
    return listener;
  };
  const listenAll = async () => {
    const mqtt = keep(await listenTcp(config.mqtt.host, config.mqtt.port, sockets, accepted));
    const tls = config.tls
      ? keep(await listenTls(config.tls.host, config.tls.port, config.tls, limits, sockets, accepted))
      : undefined;
    const webSocket = config.webSocket
      ? keep(await listenWebSocket(config.webSocket.host, config.webSocket.port, limits, sockets, accepted))
      : undefined;
    const management = keep(
      await listenManagement({
        ...config.management,
        brokerSecret: config.brokerSecret,
        connections,
        metrics,
        api,
        revoke(clientId) {
          deviceAccess.forget(clientId);
          return connections.closeClient(clientId, 'revoked');
        },
      }),
    );
    const ports = {
      mqtt: mqtt.port,
      management: management.port,
      ...(tls ? { tls: tls.port } : {}),
      ...(webSocket ? { webSocket: webSocket.port } : {}),
    };
    return { ports, reload: async () => tls?.reload() };
  };
  let cancelSweeps: Cancel | undefined;

  const close = async (): Promise<void> => {
    cancelSweeps?.();
    const closed = Promise.all(opened.splice(0).map((listener) => listener.close()));
    const aedesClosed = new Promise<void>((resolve) => aedes.close(() => resolve()));
    // Connections that have not ended by themselves (handshakes, a subscriber that reads nothing) are destroyed, so
    // that a stop never waits for a client.
    const cancelCut = clock.after(500, () => {
      for (const { socket } of connections.open) socket.destroy();
    });
    const isClosed = new AbortController();
    await Promise.race([Promise.all([closed, aedesClosed]), pause(5_000, isClosed.signal, clock)]);
    isClosed.abort();
    cancelCut();
  };

  try {
    const { ports, reload } = await listenAll();
    cancelSweeps = clock.every(Math.max(100, limits.frozenAfterMs / 10), () => connections.cutUnresponsive());
    log.info({ ports }, 'broker listening');
    return {
      ports,
      reloadCertificate: reload,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
