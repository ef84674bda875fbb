import { type Ack, maxAckRanges, topicOf } from '@roastery/contract/mqtt';
import type { Message } from '../broker/plain-messages.ts';
import { type SeqRange, type SeqRanges, withRange } from '../db/seq-ranges.ts';

/** Sent to a board after the commit. */
export interface Acknowledgement {
  readonly serialNumber: string;
  readonly epoch: string;
  /** All entries in the database, or only those that this message claimed when its machine is unknown. */
  readonly ranges: SeqRanges;
  /** Entries that the messages of this commit covered. */
  readonly covered: readonly SeqRange[];
}

/** A healthy stream has a handful of ranges. With more than this, only those that the commits touched are sent. */
const maxWholeRanges = 50;

const touches = (range: SeqRange, parts: readonly SeqRange[]): boolean =>
  parts.some((part) => part.start < range.end && part.end > range.start);

/**
 * Acknowledgements for a board: the entries of its stream that it may delete. While the list is short they name all of
 * them, which also repairs lost acknowledgements.
 */
const ackMessages = ({ serialNumber, epoch, ranges, covered }: Acknowledgement): Message[] => {
  const sent: SeqRanges = ranges.length <= maxWholeRanges ? ranges : ranges.filter((range) => touches(range, covered));
  const messages: Message[] = [];
  for (let from = 0; from < sent.length; from += maxAckRanges) {
    const part = sent.slice(from, from + maxAckRanges);
    const ack: Ack = { v: 1, epoch, ranges: part.map(({ start, end }) => [start, end - 1]) };
    messages.push({ topic: topicOf(serialNumber, 'ack'), payload: JSON.stringify(ack) });
  }
  return messages;
};

/**
 * Shorter than the second between two batches of a board, by more than the jitter of network and flush. With a whole
 * second, most acknowledgements would wait for the next batch.
 */
const everyMs = 500;
const tickMs = 100;
/**
 * A board with this many unacknowledged batches may be waiting for room in its window: the smallest window of an agent
 * is two.
 */
const minBatchesOfWaiting = 2;

interface Stream {
  sentAtMs: number;
  /** Committed but not sent yet. */
  pending: Acknowledgement | undefined;
}

const merged = (earlier: Acknowledgement | undefined, next: Acknowledgement): Acknowledgement =>
  earlier === undefined
    ? next
    : {
        ...next,
        ranges: earlier.ranges.reduce(withRange, next.ranges),
        covered: [...earlier.covered, ...next.covered],
      };

/**
 * Sends acknowledgements of commits: without delay to a board that sends a batch a second or drains a backlog,
 * otherwise at most two a second.
 */
export const createAcknowledgements = (send: (messages: readonly Message[]) => void, now: () => number = Date.now) => {
  const streams = new Map<string, Stream>();
  const take = (stream: Stream, acknowledgement: Acknowledgement): Message[] => {
    stream.pending = undefined;
    stream.sentAtMs = now();
    return ackMessages(acknowledgement);
  };
  const sendAll = (messages: readonly Message[]): void => {
    if (messages.length > 0) send(messages);
  };
  const sendDue = (): void => {
    const due: Message[] = [];
    for (const [key, stream] of streams) {
      if (now() - stream.sentAtMs < everyMs) continue;
      if (stream.pending === undefined) streams.delete(key);
      else due.push(...take(stream, stream.pending));
    }
    sendAll(due);
  };
  const timer = setInterval(sendDue, tickMs);
  timer.unref();
  return {
    /** The acknowledgements of one commit, together. */
    add(acknowledgements: readonly Acknowledgement[]): void {
      const due: Message[] = [];
      for (const acknowledgement of acknowledgements) {
        const key = `${acknowledgement.epoch}/${acknowledgement.serialNumber}`;
        const stream = streams.get(key) ?? { sentAtMs: 0, pending: undefined };
        streams.set(key, stream);
        const next = merged(stream.pending, acknowledgement);
        const isDue = now() - stream.sentAtMs >= everyMs || next.covered.length >= minBatchesOfWaiting;
        if (isDue) due.push(...take(stream, next));
        else stream.pending = next;
      }
      sendAll(due);
    },
    /** Sends the pending acknowledgements: their entries are committed. */
    close(): void {
      clearInterval(timer);
      sendAll(
        [...streams.values()].flatMap((stream) => (stream.pending === undefined ? [] : take(stream, stream.pending))),
      );
    },
  };
};
