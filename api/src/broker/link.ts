import { randomBytes } from 'node:crypto';
import { allMachines, maxPacketBytes, serviceUserName, topicKinds, type TopicKind } from '@roastery/contract/mqtt';
import { createBackoff } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { MqttClient, type IClientOptions } from 'mqtt';
import { connectTo, publishPackets, type BrokerStream, type Message } from './plain-messages.ts';

export type MessageHandler = (topic: string, payload: Buffer) => void;

/** Subscribes to one kind of message, of all machines or of some. Returns a function that unsubscribes. */
export type SubscribeKind = (kind: TopicKind, qos: 0 | 1, handler: MessageHandler) => () => void;
/** … of all machines. */
export const subscribeAll =
  (mqtt: Pick<MqttLink, 'subscribe'>): SubscribeKind =>
  (kind, qos, handler) =>
    mqtt.subscribe(allMachines(kind), qos, handler);

/** Topics that come and go while their handler stays. */
export interface TopicSet {
  readonly topics: ReadonlySet<string>;
  add(topics: Iterable<string>): void;
  remove(topics: Iterable<string>): void;
}

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
  /** A changing set of topics with one handler, some hundred in a packet. A topic that is added twice counts once. */
  subscribeSet(qos: 0 | 1, handler: MessageHandler): TopicSet;
  /** Connected, and the broker has confirmed every subscription. */
  readonly isSubscribed: boolean;
  /** Called at once when connected, and on every (re)connect. Returns a function that removes the handler. */
  onConnect(handler: () => void): () => void;
  close(): Promise<void>;
}

export type IsDue = (serialNumber: string) => boolean;

/** The machines whose retained messages, config and plans, this instance publishes. */
export interface PublishingShare {
  /** Whether it publishes what changes of this machine. */
  readonly owns: IsDue;
  /**
   * Calls when messages are to be published again, and for which machines: the broker may have lost them, or another
   * instance that published them may have missed a change before it left. Returns a function that removes the handler.
   */
  onDue(handler: (isDue: IsDue) => void): () => void;
}

const all: IsDue = () => true;

/** All machines, after each (re)connect. */
export const wholeShare = (mqtt: Pick<MqttLink, 'onConnect'>): PublishingShare => ({
  owns: all,
  onDue: (handler) => mqtt.onConnect(() => handler(all)),
});

export interface MqttLinkOptions {
  readonly url: string;
  readonly secret: string;
  readonly log: Logger;
  /** The broker ends a connection that is silent for one and a half times as long. */
  readonly keepaliveSeconds?: number;
}

/** The size of a packet without its topic and header. */
const maxPayloadBytes = maxPacketBytes - 1024;
/** A packet of so many topics is far below the limit of a broker. */
const topicsPerPacket = 400;

const filterOfKind = new Map(topicKinds.map((kind) => [`/${kind}`, allMachines(kind)]));
/** The filter over all machines for the kind of this topic. */
const allMachinesOf = (topic: string): string => filterOfKind.get(topic.slice(topic.lastIndexOf('/'))) ?? topic;

interface Subscription {
  readonly qos: 0 | 1;
  readonly handlers: readonly MessageHandler[];
}

/** Connects in the background and reconnects indefinitely, 1 to 10 s apart with jitter. */
export const openMqttLink = ({ url, secret, log, keepaliveSeconds = 15 }: MqttLinkOptions): MqttLink => {
  const backoff = createBackoff(500, 10_000);
  const subscriptions = new Map<string, Subscription>();
  const unconfirmed = new Set<string>();
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
  let stream: BrokerStream | undefined;
  const client = new MqttClient(() => (stream = connectTo(new URL(url))), options);
  const mayLogFault = createLogGate(60_000);
  const guard = (about: { topic?: string; bytes?: number }, work: () => void): void => {
    try {
      work();
    } catch (error) {
      const held = mayLogFault(about.topic ?? 'connect');
      if (held !== undefined) log.error({ ...about, err: error, held }, 'mqtt handler failed');
    }
  };
  const subscribeNow = (filters: readonly string[], qos: 0 | 1): void => {
    for (const filter of filters) unconfirmed.add(filter);
    for (let at = 0; at < filters.length; at += topicsPerPacket) {
      const some = filters.slice(at, at + topicsPerPacket);
      client.subscribe(some, { qos }, (error, granted) => {
        const refused = granted?.filter((grant) => grant.qos > 2).map(({ topic }) => topic) ?? [];
        if (error || refused.length > 0) log.warn({ err: error, refused }, 'broker refused a subscription');
        if (!error) for (const filter of some) if (!refused.includes(filter)) unconfirmed.delete(filter);
      });
    }
  };
  const unsubscribeNow = (filters: readonly string[]): void => {
    for (const filter of filters) unconfirmed.delete(filter);
    for (let at = 0; at < filters.length && client.connected; at += topicsPerPacket)
      client.unsubscribe(filters.slice(at, at + topicsPerPacket));
  };
  /** Returns those without a subscription. */
  const addHandler = (filters: readonly string[], qos: 0 | 1, handler: MessageHandler): string[] =>
    filters.filter((filter) => {
      const known = subscriptions.get(filter);
      subscriptions.set(filter, { qos: known?.qos ?? qos, handlers: [...(known?.handlers ?? []), handler] });
      return known === undefined;
    });
  /** Returns those without a handler. */
  const removeHandler = (filters: readonly string[], handler: MessageHandler): string[] =>
    filters.filter((filter) => {
      const known = subscriptions.get(filter);
      if (known === undefined) return false;
      const handlers = known.handlers.filter((one) => one !== handler);
      if (handlers.length > 0) subscriptions.set(filter, { ...known, handlers });
      else subscriptions.delete(filter);
      return handlers.length === 0;
    });
  const deliver = (topic: string, payload: Buffer): void => {
    const ofAll = allMachinesOf(topic);
    for (const filter of ofAll === topic ? [topic] : [topic, ofAll])
      for (const handler of subscriptions.get(filter)?.handlers ?? [])
        guard({ topic, bytes: payload.length }, () => handler(topic, payload));
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
    stream?.deliverTo((topic, payload) => {
      pingUnderLoad();
      deliver(topic, payload);
    });
    log.info('broker connected');
    for (const qos of [0, 1] as const)
      subscribeNow(
        Array.from(subscriptions).flatMap(([filter, { qos: wanted }]) => (wanted === qos ? filter : [])),
        qos,
      );
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
      if (!client.connected || stream === undefined) return false;
      stream.write(publishPackets(messages));
      return true;
    },
    get isSubscribed() {
      return client.connected && unconfirmed.size === 0;
    },
    subscribe(filter, qos, handler) {
      const fresh = addHandler([filter], qos, handler);
      if (client.connected) subscribeNow(fresh, qos);
      return () => unsubscribeNow(removeHandler([filter], handler));
    },
    subscribeSet(qos, handler) {
      const topics = new Set<string>();
      return {
        topics,
        add(wanted) {
          const added = [...new Set(wanted)].filter((topic) => !topics.has(topic));
          for (const topic of added) topics.add(topic);
          const fresh = addHandler(added, qos, handler);
          if (client.connected) subscribeNow(fresh, qos);
        },
        remove(removed) {
          const gone = [...removed].filter((topic) => topics.delete(topic));
          unsubscribeNow(removeHandler(gone, handler));
        },
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
