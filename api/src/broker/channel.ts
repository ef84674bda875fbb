import { allMachines, type TopicKind } from '@roastery/contract/mqtt';
import type { Message } from './plain-messages.ts';

/** Where a message came from. */
export interface Origin {
  readonly link: MqttLink;
  /** The broker kept it: it may be older than what another broker has. */
  readonly retained: boolean;
}
/** The payload is valid until it returns: the next read uses the same memory. */
export type MessageHandler = (topic: string, payload: Buffer, origin: Origin) => void;

/** Subscribes to one kind of message, of all machines or of some. Returns a function that unsubscribes. */
export type SubscribeKind = (kind: TopicKind, qos: 0 | 1, handler: MessageHandler) => () => void;
/** … of all machines. */
export const subscribeAll =
  (mqtt: Pick<MqttChannel, 'subscribe'>): SubscribeKind =>
  (kind, qos, handler) =>
    mqtt.subscribe(allMachines(kind), qos, handler);

/** Topics that come and go while their handler stays. */
export interface TopicSet {
  readonly topics: ReadonlySet<string>;
  add(topics: Iterable<string>): void;
  remove(topics: Iterable<string>): void;
}

/** One broker, or all brokers together. */
export interface MqttChannel {
  /** With several brokers: to one of them at least. */
  readonly isConnected: boolean;
  /** The brokers without a connection. */
  readonly missing: readonly string[];
  readonly links: readonly MqttLink[];
  /** The addresses of all brokers for boards. */
  readonly boardUrls: readonly string[];
  /**
   * Rejects when there is no connection: nothing is queued, callers decide what to repeat. Also rejects a message that
   * is too large for the broker, because the broker would close this connection and with it stop all journals. With several
   * brokers the message goes to each that is connected, and one that has it is enough.
   */
  publish(topic: string, payload: string | Buffer, options?: { qos?: 0 | 1; retain?: boolean }): Promise<void>;
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

/** The api's own connection to a broker. */
export interface MqttLink extends MqttChannel {
  /** `host:port` of the broker: with several brokers the same in every api. */
  readonly broker: string;
  /** The broker to all instances: several addresses may lead to the only one. */
  readonly knownAs: string;
  /** Sends messages of QoS 0 with one write. Returns false without a connection. Throws when one is too large. */
  sendAll(messages: readonly Message[]): boolean;
  /** A changing set of topics with one handler, some hundred in a packet. A topic that is added twice counts once. */
  subscribeSet(qos: 0 | 1, handler: MessageHandler): TopicSet;
  /** What the broker retains for this topic: undefined where there is nothing, or where it may not be read. */
  readRetained(topic: string): Promise<string | undefined>;
  /** Connected, and the broker has confirmed every subscription. */
  readonly isSubscribed: boolean;
}

export type IsDue = (serialNumber: string) => boolean;

/** The machines whose retained messages, config and plans, this instance publishes at a broker. */
export interface PublishingShare {
  /** Whether it publishes what changes of this machine; not before it knows what the broker retains. */
  readonly owns: IsDue;
  /**
   * Calls when messages are to be compared with what the broker retains, and for which machines: it may have lost them, or
   * another instance that published them may have missed a change before it left. Returns a function that removes the handler.
   */
  onDue(handler: (isDue: IsDue) => void): () => void;
}

/** All machines, after each (re)connect. */
export const wholeShare = (link: Pick<MqttLink, 'isConnected' | 'onConnect'>): PublishingShare => {
  const owns: IsDue = () => link.isConnected;
  return { owns, onDue: (handler) => link.onConnect(() => handler(owns)) };
};
