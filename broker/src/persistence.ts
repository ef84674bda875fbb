import { Readable } from 'node:stream';
import { allMachines, parseTopic, type TopicKind } from '@roastery/contract/mqtt';
import type { PublishPacket } from 'aedes';
import { kindOf } from './topic-rules.ts';

interface ClientRef {
  readonly id: string;
}
interface Will extends PublishPacket {
  brokerId?: string;
  clientId?: string;
}

/**
 * Memory storage for aedes. The one of aedes compares every retained topic with each subscription, which is quadratic
 * in the number of boards. Here an exact topic is a lookup, and `roastery/v1/+/<kind>`, the only permitted filter with
 * a wildcard, selects one kind. No session outlives its connection, so subscriptions and messages of disconnected
 * clients are not stored.
 */
export const createPersistence = () => {
  const retained = new Map<TopicKind, Map<string, PublishPacket>>();
  const wills = new Map<string, Will>();
  /** QoS 2 messages by client and message id, from PUBLISH to PUBREL. */
  const incoming = new Map<string, Map<number, PublishPacket>>();
  let brokerId = '';

  const select = function* (filters: readonly string[]): Iterable<PublishPacket> {
    for (const filter of filters) {
      const kind = kindOf(filter);
      const kept = kind && retained.get(kind);
      if (kept === undefined || kind === undefined) continue;
      if (filter === allMachines(kind)) {
        yield* kept.values();
        continue;
      }
      const packet = kept.get(filter);
      if (packet !== undefined) yield packet;
    }
  };

  return {
    // This function is async, so aedes expects promises from the others too.
    async setup(broker: ClientRef): Promise<void> {
      brokerId = broker.id;
      return done;
    },
    storeRetained(packet: PublishPacket): Promise<void> {
      const kind = parseTopic(packet.topic)?.kind;
      if (kind === undefined) return done;
      const kept = retained.get(kind) ?? new Map<string, PublishPacket>();
      retained.set(kind, kept);
      if (packet.payload.length === 0) kept.delete(packet.topic);
      // aedes keeps using the packet that it passed.
      else kept.set(packet.topic, { ...packet });
      return done;
    },
    createRetainedStreamCombi: (filters: readonly string[]): Readable => Readable.from(select(filters)),

    subscriptionsByTopic: (): Promise<readonly never[]> => none,
    cleanSubscriptions: (): Promise<void> => done,
    outgoingEnqueueCombi: (): Promise<void> => done,
    outgoingUpdate: (): Promise<void> => done,
    outgoingClearMessageId: (): Promise<void> => done,
    outgoingStream: (): Readable => Readable.from([]),

    incomingStorePacket({ id }: ClientRef, packet: PublishPacket & { messageId: number }): Promise<void> {
      const open = incoming.get(id) ?? new Map<number, PublishPacket>();
      incoming.set(id, open.set(packet.messageId, { ...packet }));
      return done;
    },
    incomingGetPacket({ id }: ClientRef, { messageId }: { messageId: number }): Promise<PublishPacket> {
      const packet = incoming.get(id)?.get(messageId);
      return packet ? Promise.resolve(packet) : Promise.reject(new Error('no such packet'));
    },
    incomingDelPacket({ id }: ClientRef, { messageId }: { messageId: number }): Promise<void> {
      return incoming.get(id)?.delete(messageId) ? done : Promise.reject(new Error('no such packet'));
    },
    cleanIncoming({ id }: ClientRef): Promise<void> {
      incoming.delete(id);
      return done;
    },

    putWill({ id }: ClientRef, will: Will): Promise<void> {
      wills.set(id, Object.assign(will, { brokerId, clientId: id }));
      return done;
    },
    delWill({ id }: ClientRef): Promise<Will | undefined> {
      const will = wills.get(id);
      wills.delete(id);
      return Promise.resolve(will);
    },
    /** Wills of other brokers that stopped. There is only one broker. */
    streamWill: (): Readable => Readable.from([]),
  };
};

const done = Promise.resolve();
const none: Promise<readonly never[]> = Promise.resolve([]);
