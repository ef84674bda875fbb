import { type Ack, maxAckRanges, topicOf } from '@roastery/contract/mqtt';
import type { Acknowledgement } from './commit.ts';
import { type SeqRange, type SeqRanges, withRange } from './seq-ranges.ts';

/** A healthy stream has a handful of ranges. With more than this, only those that the commits touched are sent. */
const maxWholeRanges = 50;

const touches = (range: SeqRange, parts: readonly SeqRange[]): boolean =>
  parts.some((part) => part.start < range.end && part.end > range.start);

export interface AckMessage {
  readonly topic: string;
  readonly payload: string;
}

/**
 * Acknowledgements for a board: the entries of its stream that it may delete. All of them while the list is short, which also
 * repairs lost acknowledgements.
 */
const ackMessages = ({ serialNumber, epoch, ranges, covered }: Acknowledgement): AckMessage[] => {
  const sent: SeqRanges = ranges.length <= maxWholeRanges ? ranges : ranges.filter((range) => touches(range, covered));
  const messages: AckMessage[] = [];
  for (let from = 0; from < sent.length; from += maxAckRanges) {
    const part = sent.slice(from, from + maxAckRanges);
    const ack: Ack = { v: 1, epoch, ranges: part.map(({ start, end }) => [start, end - 1]) };
    messages.push({ topic: topicOf(serialNumber, 'ack'), payload: JSON.stringify(ack) });
  }
  return messages;
};

/**
 * Shorter than the second between two batches of a board by more than network and flush vary: a second itself would hold most
 * acknowledgements back until the next batch comes.
 */
const everyMs = 500;
const tickMs = 100;
/** A board that has so many batches under way may wait for room in its window: the smallest window of an agent is two. */
const minBatchesOfWaiting = 2;

interface Stream {
  sentAtMs: number;
  /** Committed and not sent yet. */
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
 * Sends acknowledgements of commits: to a board that sends a batch a second, or drains a backlog, without delay; to others at most
 * two a second.
 */
export const createAcknowledgements = (send: (message: AckMessage) => void, now: () => number = Date.now) => {
  const streams = new Map<string, Stream>();
  const sendNow = (stream: Stream, acknowledgement: Acknowledgement): void => {
    stream.pending = undefined;
    stream.sentAtMs = now();
    for (const message of ackMessages(acknowledgement)) send(message);
  };
  const sendDue = (): void => {
    for (const [key, stream] of streams) {
      if (now() - stream.sentAtMs < everyMs) continue;
      if (stream.pending === undefined) streams.delete(key);
      else sendNow(stream, stream.pending);
    }
  };
  const timer = setInterval(sendDue, tickMs);
  timer.unref();
  return {
    add(acknowledgement: Acknowledgement): void {
      const key = `${acknowledgement.epoch}/${acknowledgement.serialNumber}`;
      const stream = streams.get(key) ?? { sentAtMs: 0, pending: undefined };
      streams.set(key, stream);
      const next = merged(stream.pending, acknowledgement);
      const isDue = now() - stream.sentAtMs >= everyMs || next.covered.length >= minBatchesOfWaiting;
      if (isDue) sendNow(stream, next);
      else stream.pending = next;
    },
    /** Sends what is pending: it is committed. */
    close(): void {
      clearInterval(timer);
      for (const stream of streams.values()) if (stream.pending !== undefined) sendNow(stream, stream.pending);
    },
  };
};
