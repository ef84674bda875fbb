import { allMachines, deviceMaySubscribe, type TopicKind, topicKinds } from '@roastery/contract/mqtt';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import type { Frame } from '@roastery/runtime/mqtt-frames';
import type { Metrics } from './metrics.ts';
import { kindOf, mayPublish, mayReceive } from './topic-rules.ts';

const wildcards = new Map(topicKinds.map((kind) => [kind, allMachines(kind)]));

const isSlow = (to: Connection): boolean => to.principal?.kind === 'service' && to.stream.isFull;

/**
 * Forwards messages of QoS 0 to their subscribers as the received bytes: journals, live readings and acknowledgements,
 * nearly all messages of boards. aedes would parse each, match its topic against a tree of all subscriptions and write
 * it again in five pieces, which took most of the broker's CPU. Every special case is left to aedes.
 */
export const createForwarding = (connections: Pick<Connections, 'checkWaiting'>, metrics: Metrics) => {
  const subscribers = new Map<string, Set<Connection>>();
  const subscriptions = new WeakMap<Connection, Set<string>>();

  const unsubscribe = (connection: Connection, filters: Iterable<string>): void => {
    for (const filter of filters) {
      const here = subscribers.get(filter);
      here?.delete(connection);
      if (here?.size === 0) subscribers.delete(filter);
      subscriptions.get(connection)?.delete(filter);
    }
  };

  return {
    /** Subscriptions that aedes has granted. */
    subscribe(connection: Connection, filters: readonly string[]): void {
      const own = subscriptions.get(connection) ?? new Set();
      subscriptions.set(connection, own);
      for (const filter of filters) {
        own.add(filter);
        subscribers.set(filter, (subscribers.get(filter) ?? new Set()).add(connection));
      }
    },
    unsubscribe,
    forget: (connection: Connection): void => unsubscribe(connection, [...(subscriptions.get(connection) ?? [])]),
    /**
     * False: aedes must handle this message; it refuses what is forbidden and makes publishers wait for a slow api.
     */
    forward(from: Connection, bytes: Buffer, { start, body, end }: Frame): boolean {
      const topicAt = body + 2;
      if (topicAt > end || from.principal === undefined) return false;
      const payloadAt = topicAt + bytes.readUInt16BE(body);
      if (payloadAt > end) return false;
      const topic = bytes.toString('latin1', topicAt, payloadAt);
      const kind = kindOf(topic);
      if (kind === undefined) return false;
      const ofTopic = subscribers.get(topic);
      // The api may publish on this topic because a board was allowed to subscribe to it.
      const isGranted = ofTopic !== undefined && from.principal.kind === 'service' && isForBoards.has(kind);
      if (!isGranted && !mayPublish(from.principal, topic, end - payloadAt)) return false;
      const ofKind = subscribers.get(wildcards.get(kind) ?? '');
      const to = ofTopic && ofKind ? new Set([...ofTopic, ...ofKind]) : (ofTopic ?? ofKind ?? none);
      for (const subscriber of to) if (isSlow(subscriber)) return false;
      metrics.messageIn(kind);
      for (const subscriber of to) {
        const { principal } = subscriber;
        if (!principal || !mayReceive(principal, topic) || !connections.checkWaiting(subscriber)) continue;
        metrics.messageOut(kind);
        subscriber.stream.deliver(bytes.subarray(start, end));
      }
      return true;
    },
  };
};

export type Forwarding = ReturnType<typeof createForwarding>;

const isForBoards: ReadonlySet<TopicKind> = new Set(deviceMaySubscribe);
const none: ReadonlySet<Connection> = new Set();
