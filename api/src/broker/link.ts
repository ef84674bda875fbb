import { randomBytes } from 'node:crypto';
import { allMachines, maxPacketBytes, parseTopic, serviceUserName } from '@roastery/contract/mqtt';
import { createBackoff } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { connect, type IClientOptions } from 'mqtt';
import { interceptMessages, publishPackets, type Message } from './plain-messages.ts';

export type MessageHandler = (topic: string, payload: Buffer) => void;

/** The api's own connection to the broker. */
export interface MqttLink {
  readonly isConnected: boolean;
  /**
   * Rejects when there is no connection: nothing is queued, callers decide what to repeat. Also rejects a message that
   * is too large for the broker, because the broker would close this connection and with it stop all journals.
   */
  publish(topic: string, payload: string | Buffer, options?: { qos?: 0 | 1; retain?: boolean }): Promise<void>;
  /** Sends messages of QoS 0 with one write. Returns false without a connection. Throws when one is too large. */
  sendAll(messages: readonly Message[]): boolean;
  /**
   * Subscribes now and after every reconnect: to a topic, or to all machines of a kind. Several handlers may share a
   * filter. Returns a function that unsubscribes. A message whose handler throws is logged and skipped: no message
   * ends the process.
   */
  subscribe(filter: string, qos: 0 | 1, handler: MessageHandler): () => void;
  /** Called at once when connected, and on every (re)connect. Returns a function that removes the handler. */
  onConnect(handler: () => void): () => void;
  close(): Promise<void>;
}

export interface MqttLinkOptions {
  readonly url: string;
  readonly secret: string;
  readonly log: Logger;
  /** The broker ends a connection that is silent for one and a half times as long. */
  readonly keepaliveSeconds?: number;
}

/** The size of a packet without its topic and header. */
const maxPayloadBytes = maxPacketBytes - 1024;
/** A few for each machine of a large fleet. */
const maxRoutes = 100_000;

/** Whether a filter matches this topic: it is the topic itself, or the filter for its kind over all machines. */
export const matcherOf = (topic: string): ((filter: string) => boolean) => {
  const kind = parseTopic(topic)?.kind;
  const ofAll = kind === undefined ? undefined : allMachines(kind);
  return (filter) => filter === topic || filter === ofAll;
};

/** Connects in the background and reconnects indefinitely, 1 to 10 s apart with jitter. */
export const openMqttLink = ({ url, secret, log, keepaliveSeconds = 15 }: MqttLinkOptions): MqttLink => {
  const backoff = createBackoff(500, 10_000);
  const handlers = new Map<string, { qos: 0 | 1; handlers: Set<MessageHandler> }>();
  const connectHandlers = new Set<() => void>();
  const options: IClientOptions = {
    clientId: `api-${randomBytes(8).toString('hex')}`,
    username: serviceUserName,
    password: secret,
    clean: true,
    keepalive: keepaliveSeconds,
    connectTimeout: 5000,
    // We resubscribe ourselves, and a refused CONNACK must not end the attempts (mqtt.js would give up by default).
    resubscribe: false,
    reconnectOnConnackError: true,
    queueQoSZero: false,
    reconnectPeriod: backoff.nextMs(),
  };
  const client = connect(url, options);
  const mayLogFault = createLogGate(60_000);
  const guard = (about: { topic?: string; bytes?: number }, work: () => void): void => {
    try {
      work();
    } catch (error) {
      const held = mayLogFault(about.topic ?? 'connect');
      if (held !== undefined) log.error({ ...about, err: error, held }, 'mqtt handler failed');
    }
  };
  const subscribeNow = (filter: string, qos: 0 | 1): void => {
    client.subscribe(filter, { qos }, (error, granted) => {
      const refused = granted?.some((grant) => grant.qos > 2) ?? false;
      if (error || refused) log.warn({ filter, err: error, refused }, 'broker refused a subscription');
    });
  };
  /** Handlers by topic, for topics received since the subscriptions last changed. */
  const routes = new Map<string, ReadonlySet<MessageHandler>[]>();
  const deliver = (topic: string, payload: Buffer): void => {
    let route = routes.get(topic);
    if (route === undefined) {
      const matches = matcherOf(topic);
      route = [...handlers].filter(([filter]) => matches(filter)).map(([, entry]) => entry.handlers);
      if (routes.size >= maxRoutes) routes.clear();
      routes.set(topic, route);
    }
    for (const ofFilter of route)
      for (const handler of ofFilter) guard({ topic, bytes: payload.length }, () => handler(topic, payload));
  };
  /**
   * The answer to a ping is queued behind the messages that a busy broker has for us. While they arrive, the client
   * only sends its pings. If it waited for the answers, it would end the connection and lose the messages exactly when
   * there are most of them.
   */
  let pingedAt = 0;
  const pingUnderLoad = (): void => {
    const now = performance.now();
    if (now - pingedAt < (keepaliveSeconds * 1000) / 3) return;
    pingedAt = now;
    client.sendPing();
    client.reschedulePing(true);
  };
  let connectedAt: number | undefined;
  client.on('connect', () => {
    connectedAt = performance.now();
    interceptMessages(client.stream, (topic, payload) => {
      pingUnderLoad();
      deliver(topic, payload);
    });
    log.info('broker connected');
    for (const [filter, entry] of handlers) subscribeNow(filter, entry.qos);
    for (const handler of connectHandlers) guard({}, handler);
  });
  client.on('close', () => {
    const lastedMs = connectedAt === undefined ? 0 : performance.now() - connectedAt;
    connectedAt = undefined;
    client.options.reconnectPeriod = backoff.nextMs({ lastedMs });
  });
  const gate = createLogGate(60_000);
  client.on('offline', () => {
    if (gate('offline') !== undefined) log.warn('broker unreachable, retrying');
  });
  client.on('error', (error) => {
    if (gate(error.message) !== undefined) log.warn({ reason: error.message }, 'broker connection failed');
  });
  client.on('message', deliver);
  return {
    get isConnected() {
      return client.connected;
    },
    async publish(topic, payload, { qos = 1, retain = false } = {}) {
      if (!client.connected) throw new Error('the broker is not connected');
      const bytes = Buffer.byteLength(payload);
      if (bytes > maxPayloadBytes) throw new Error(`a message of ${bytes} bytes is too large for the broker: ${topic}`);
      await client.publishAsync(topic, payload, { qos, retain });
    },
    sendAll(messages) {
      if (!client.connected) return false;
      client.stream.write(publishPackets(messages));
      return true;
    },
    subscribe(filter, qos, handler) {
      const entry = handlers.get(filter) ?? { qos, handlers: new Set() };
      entry.handlers.add(handler);
      if (!handlers.has(filter)) {
        handlers.set(filter, entry);
        routes.clear();
        if (client.connected) subscribeNow(filter, qos);
      }
      return () => {
        entry.handlers.delete(handler);
        if (entry.handlers.size > 0) return;
        handlers.delete(filter);
        routes.clear();
        if (client.connected) client.unsubscribe(filter);
      };
    },
    onConnect(handler) {
      connectHandlers.add(handler);
      if (client.connected) guard({}, handler);
      return () => connectHandlers.delete(handler);
    },
    async close() {
      await client.endAsync(!client.connected);
    },
  };
};
