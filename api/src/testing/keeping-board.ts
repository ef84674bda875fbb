import { randomUUID } from 'node:crypto';
import {
  ackShape,
  entryCount,
  topicOf,
  type Ack,
  type DeviceStatus,
  type HeldStream,
  type JournalBatch,
} from '@roastery/contract/mqtt';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { JournalBoard } from '@roastery/testing/journal-board';
import { connectAsync, type MqttClient } from 'mqtt';
import { missingFrom, withRange, type SeqRanges } from '../db/seq-ranges.ts';
import { fromNow } from './present.ts';

interface Kept {
  readonly journal: JournalBoard;
  acknowledged: SeqRanges;
  /** The owner of the stream: the first owner that a statement named. */
  owner: string | undefined;
  sealed: boolean;
}

const rangesOf = ({ ranges }: Ack): SeqRanges =>
  ranges.reduce<SeqRanges>((all, [from, to]) => withRange(all, { start: from, end: to + 1 }), []);

/**
 * A board in memory that follows the contract: it keeps acknowledged entries, names its streams in its status, and
 * sends again what a statement of the server lacks, unless the stream was recorded for another owner.
 */
export const createKeepingBoard = (serialNumber: string, journals: readonly JournalBoard[]) => {
  const streams = new Map<string, Kept>(
    journals.map((journal) => [journal.epoch, { journal, acknowledged: [], owner: undefined, sealed: false }]),
  );
  const session = { id: '', client: undefined as MqttClient | undefined };
  const statements: Ack[] = [];
  let sent = 0;

  const held = (): HeldStream[] =>
    Array.from(streams.values(), ({ journal, sealed }) => ({
      epoch: journal.epoch,
      entries: journal.length,
      bytes: journal.length * 40,
      from: fromNow(-3_600_000),
      to: fromNow(0),
      sealed,
    }));
  const publishStatus = async (online = true): Promise<void> => {
    const status: DeviceStatus = { v: 1, online, session: session.id, t: fromNow(0), history: held() };
    await session.client?.publishAsync(topicOf(serialNumber, 'status'), JSON.stringify(status), {
      qos: 1,
      retain: true,
    });
  };
  const lacks = ({ acknowledged }: Kept, batch: JournalBatch): boolean =>
    missingFrom(acknowledged, { start: batch.seq, end: batch.seq + entryCount(batch) }).length > 0;
  const sendWaiting = async (kept: Kept): Promise<void> => {
    if (kept.sealed) return;
    for (const batch of kept.journal.batches()) {
      if (!lacks(kept, batch)) continue;
      sent += 1;
      await session.client?.publishAsync(topicOf(serialNumber, 'journal'), JSON.stringify(batch), { qos: 1 });
    }
  };
  const receive = async (ack: Ack): Promise<void> => {
    const kept = streams.get(ack.epoch);
    if (kept === undefined) return;
    if (ack.through === undefined) {
      for (const range of rangesOf(ack)) kept.acknowledged = withRange(kept.acknowledged, range);
      return;
    }
    statements.push(ack);
    const wasSealed = kept.sealed;
    const knows = ack.ranges.length > 0 || kept.acknowledged.length === 0;
    if (ack.restore === true || (kept.owner === undefined && knows)) kept.owner = ack.owner;
    kept.sealed = kept.owner !== ack.owner;
    if (kept.sealed !== wasSealed) await publishStatus();
    if (kept.sealed) return;
    kept.acknowledged = rangesOf(ack);
    await sendWaiting(kept);
  };

  const disconnect = async (): Promise<void> => {
    await publishStatus(false);
    await session.client?.endAsync();
    session.client = undefined;
  };
  return {
    async connect(mqttUrl: string): Promise<void> {
      session.id = randomUUID();
      session.client = await connectAsync(mqttUrl, { reconnectPeriod: 200 });
      session.client.on('message', (_topic, payload) => {
        void receive(parseOrThrow(ackShape, JSON.parse(payload.toString())));
      });
      await session.client.subscribeAsync(topicOf(serialNumber, 'ack'), { qos: 1 });
      await publishStatus();
      for (const kept of streams.values()) await sendWaiting(kept);
    },
    disconnect,
    isDelivered: (): boolean =>
      [...streams.values()].every(
        ({ journal, acknowledged }) => missingFrom(acknowledged, { start: 0, end: journal.length }).length === 0,
      ),
    sealed: (): string[] => held().flatMap(({ epoch, sealed }) => (sealed ? [epoch] : [])),
    statements,
    /** Batches published so far. */
    get sent(): number {
      return sent;
    },
    [Symbol.asyncDispose]: disconnect,
  };
};
