import { randomBytes } from 'node:crypto';
import { maxPacketBytes, serviceUserName } from '@roastery/contract/mqtt';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { MqttClient, type IClientOptions } from 'mqtt';
import { brokerAt, connectTo, type BrokerStream } from './broker-stream.ts';
import type { MessageHandler, MqttLink, Origin, TopicSet } from './channel.ts';
import { publishPackets, type Message } from './plain-messages.ts';
import { Subscriptions } from './subscriptions.ts';

export interface MqttLinkOptions {
  readonly url: string;
  readonly isOneOfSeveral?: boolean;
  readonly boardUrls?: readonly string[];
  readonly secret: string;
  readonly log: Logger;
  /** The broker ends a connection that is silent for one and a half times as long. */
  readonly keepaliveSeconds?: number;
}

/** The size of a packet without its topic and header. */
const maxPayloadBytes = maxPacketBytes - 1024;
/** A packet of so many topics is far below the limit of a broker. */
const topicsPerPacket = 400;
const closeWithinMs = 1000;
const answerWithinMs = 3000;

/** The answer of a broker, which may hang. */
export const inTime = async <Result>(answer: Promise<Result>): Promise<Result> => {
  const answered = new AbortController();
  const late = pause(answerWithinMs, answered.signal).then(() => {
    throw new Error('the broker did not answer in time');
  });
  return await Promise.race([answer, late]).finally(() => answered.abort());
};

class BrokerLink implements MqttLink {
  readonly broker: string;
  readonly knownAs: string;
  readonly boardUrls: readonly string[];
  readonly links: readonly MqttLink[] = [this];
  readonly #client: MqttClient;
  readonly #log: Logger;
  readonly #subscriptions = new Subscriptions<MessageHandler>();
  readonly #unconfirmed = new Set<string>();
  readonly #connectHandlers = new Set<() => void>();
  readonly #backoff = createBackoff(500, 10_000);
  readonly #mayLog = createLogGate(60_000);
  readonly #mayLogFault = createLogGate(60_000);
  readonly #pingEveryMs: number;
  readonly #plain: Origin = { link: this, retained: false };
  readonly #kept: Origin = { link: this, retained: true };
  #stream: BrokerStream | undefined;
  #connectedAt: number | undefined;
  #pingedAt = 0;

  constructor({ url, isOneOfSeveral = false, boardUrls = [], secret, log, keepaliveSeconds = 15 }: MqttLinkOptions) {
    const at = new URL(url);
    this.broker = brokerAt(at);
    this.knownAs = isOneOfSeveral ? this.broker : 'the broker';
    this.boardUrls = boardUrls;
    this.#log = log;
    this.#pingEveryMs = (keepaliveSeconds * 1000) / 3;
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
      reconnectPeriod: this.#backoff.nextMs(),
    };
    this.#client = new MqttClient(() => (this.#stream = connectTo(at)), options);
    this.#follow();
  }

  get isConnected(): boolean {
    return this.#client.connected;
  }

  get missing(): readonly string[] {
    return this.#client.connected ? [] : [this.broker];
  }

  get isSubscribed(): boolean {
    return this.#client.connected && this.#unconfirmed.size === 0;
  }

  async publish(
    topic: string,
    payload: string | Buffer,
    { qos = 1, retain = false }: { qos?: 0 | 1; retain?: boolean } = {},
  ): Promise<void> {
    if (!this.#client.connected) throw new Error('the broker is not connected');
    const bytes = Buffer.byteLength(payload);
    if (bytes > maxPayloadBytes) throw new Error(`a message of ${bytes} bytes is too large for the broker: ${topic}`);
    await this.#client.publishAsync(topic, payload, { qos, retain });
  }

  sendAll(messages: readonly Message[]): boolean {
    if (!this.#client.connected || this.#stream === undefined) return false;
    this.#stream.write(publishPackets(messages));
    return true;
  }

  subscribe(filter: string, qos: 0 | 1, handler: MessageHandler): () => void {
    this.#add([filter], qos, handler);
    return () => this.#unsubscribeNow(this.#subscriptions.remove([filter], handler));
  }

  subscribeSet(qos: 0 | 1, handler: MessageHandler): TopicSet {
    const topics = new Set<string>();
    return {
      topics,
      add: (wanted) => {
        const added = [...new Set(wanted)].filter((topic) => !topics.has(topic));
        for (const topic of added) topics.add(topic);
        this.#add(added, qos, handler);
      },
      remove: (removed) => {
        const gone = [...removed].filter((topic) => topics.delete(topic));
        this.#unsubscribeNow(this.#subscriptions.remove(gone, handler));
      },
    };
  }

  async readRetained(topic: string): Promise<string | undefined> {
    const end = randomBytes(8).toString('hex');
    let kept: string | undefined;
    let finish: (() => void) | undefined;
    const isRead = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const handler: MessageHandler = (_topic, payload, { retained }) => {
      const text = payload.toString();
      if (retained) kept = text;
      if (text === end) finish?.();
    };
    this.#subscriptions.add([topic], 1, handler);
    try {
      const granted = await inTime(this.#client.subscribeAsync(topic, { qos: 1 }));
      if (granted.some(({ qos }) => qos > 2)) return undefined;
      // What is retained arrives right after the confirmation, before the next message.
      await inTime(this.publish(topic, end));
      // A broker may also confirm a subscription that it does not permit: then nothing arrives.
      await inTime(isRead).catch(() => undefined);
      return kept;
    } finally {
      this.#unsubscribeNow(this.#subscriptions.remove([topic], handler));
    }
  }

  onConnect(handler: () => void): () => void {
    this.#connectHandlers.add(handler);
    if (this.#client.connected) this.#guard({}, handler);
    return () => this.#connectHandlers.delete(handler);
  }

  async close(): Promise<void> {
    const ended = this.#client.endAsync(!this.#client.connected);
    // A broker that hangs confirms nothing.
    await Promise.race([ended, pause(closeWithinMs)]);
    await this.#client.endAsync(true);
  }

  #follow(): void {
    const client = this.#client;
    const warn = (key: string, message: string, about: object = {}): void => {
      if (this.#mayLog(key) !== undefined) this.#log.warn({ ...about, broker: this.broker }, message);
    };
    client.on('connect', () => this.#connected());
    client.on('close', () => {
      const lastedMs = this.#connectedAt === undefined ? 0 : performance.now() - this.#connectedAt;
      this.#connectedAt = undefined;
      client.options.reconnectPeriod = this.#backoff.nextMs({ lastedMs });
    });
    client.on('offline', () => warn('offline', 'broker unreachable, retrying'));
    client.on('error', (error) => warn(error.message, 'broker connection failed', { reason: error.message }));
    client.on('message', (topic, payload, { retain }) => this.#deliver(topic, payload, retain));
  }

  #connected(): void {
    this.#connectedAt = performance.now();
    this.#stream?.deliverTo((topic, payload) => {
      this.#pingUnderLoad();
      this.#deliver(topic, payload, false);
    });
    this.#log.info({ broker: this.broker }, 'broker connected');
    for (const qos of [0, 1] as const) this.#subscribeNow(this.#subscriptions.filters(qos), qos);
    for (const handler of this.#connectHandlers) this.#guard({}, handler);
  }

  #deliver(topic: string, payload: Buffer, retained: boolean): void {
    const origin = retained ? this.#kept : this.#plain;
    for (const handler of this.#subscriptions.handlersOf(topic))
      this.#guard({ topic, bytes: payload.length }, () => handler(topic, payload, origin));
  }

  #guard(about: { topic?: string; bytes?: number }, work: () => void): void {
    try {
      work();
    } catch (error) {
      const held = this.#mayLogFault(about.topic ?? 'connect');
      if (held !== undefined) this.#log.error({ ...about, err: error, held }, 'mqtt handler failed');
    }
  }

  /**
   * The answer to a ping is queued behind the messages that a busy broker has for us. While they arrive, the client
   * only sends its pings. If it waited for the answers, it would end the connection and lose the messages exactly when
   * there are most of them.
   */
  #pingUnderLoad(): void {
    const now = performance.now();
    if (now - this.#pingedAt < this.#pingEveryMs) return;
    this.#pingedAt = now;
    this.#client.sendPing();
    this.#client.reschedulePing(true);
  }

  #add(filters: readonly string[], qos: 0 | 1, handler: MessageHandler): void {
    const fresh = this.#subscriptions.add(filters, qos, handler);
    if (this.#client.connected) this.#subscribeNow(fresh, qos);
  }

  #subscribeNow(filters: readonly string[], qos: 0 | 1): void {
    for (const filter of filters) this.#unconfirmed.add(filter);
    for (let at = 0; at < filters.length; at += topicsPerPacket) {
      const some = filters.slice(at, at + topicsPerPacket);
      this.#client.subscribe(some, { qos }, (error, granted) => {
        const refused = granted?.filter((grant) => grant.qos > 2).map(({ topic }) => topic) ?? [];
        if (error || refused.length > 0) this.#log.warn({ err: error, refused }, 'broker refused a subscription');
        if (!error) for (const filter of some) if (!refused.includes(filter)) this.#unconfirmed.delete(filter);
      });
    }
  }

  #unsubscribeNow(filters: readonly string[]): void {
    for (const filter of filters) this.#unconfirmed.delete(filter);
    for (let at = 0; at < filters.length && this.#client.connected; at += topicsPerPacket)
      this.#client.unsubscribe(filters.slice(at, at + topicsPerPacket));
  }
}

/** Connects in the background and reconnects indefinitely, 1 to 10 s apart with jitter. */
export const openMqttLink = (options: MqttLinkOptions): MqttLink => new BrokerLink(options);
