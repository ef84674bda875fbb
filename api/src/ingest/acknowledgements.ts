import { type Ack, maxAckRanges, topicOf } from '@roastery/contract/mqtt';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Message } from '../broker/plain-messages.ts';
import { type SeqRange, type SeqRanges, withRange } from '../db/seq-ranges.ts';
import type { Acknowledgement } from '../recordings/recordings.ts';

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
 * An acknowledgement may wait so long since the oldest of its batches arrived. Agents send a batch again after ten seconds:
 * the rest is for the ways through the broker.
 */
const longestHoldMs = 4000;
const tickMs = 250;
/** Half of the window of a board that has just connected. */
const batchesAtOnce = 4;
/** In a roast a board sends a batch each second. One whose batches come faster sends what waited, or leaves. */
const livePaceMs = 500;

interface Stream {
  sentAtMs: number;
  /** When its newest batch arrived. */
  newestAtMs: number;
  /** The end of all that is committed, sent or not. */
  through: number;
  /** Sent with so many batches. */
  due: number;
  /** When its board said that it disconnects. */
  leftAtMs: number;
  /** Committed but not sent yet. */
  pending: Acknowledgement | undefined;
  /** When the oldest of its batches arrived. */
  oldestAtMs: number;
}

const merged = (earlier: Acknowledgement | undefined, next: Acknowledgement): Acknowledgement =>
  earlier === undefined
    ? next
    : {
        ...next,
        ranges: earlier.ranges.reduce(withRange, next.ranges),
        covered: [...earlier.covered, ...next.covered],
      };

const keyOf = ({ serialNumber, epoch }: Pick<Acknowledgement, 'serialNumber' | 'epoch'>): string =>
  `${epoch}/${serialNumber}`;

/**
 * Sends acknowledgements of commits. Each is a write to the socket of a board, half of a broker's work, so those of a board
 * that does not wait for them are merged: it continues its stream at the pace of its readings. At once goes the first
 * one after a pause, and that of a board that may be waiting for room in its window, sends what waited, or leaves.
 */
export const createAcknowledgements = (
  send: (messages: readonly Message[]) => void,
  { now, every }: Pick<Clock, 'now' | 'every'> = realClock,
  holdMs = longestHoldMs,
) => {
  const streams = new Map<string, Stream>();
  const take = (stream: Stream, acknowledgement: Acknowledgement): Message[] => {
    stream.pending = undefined;
    stream.oldestAtMs = Infinity;
    stream.sentAtMs = now();
    return ackMessages(acknowledgement);
  };
  const sendAll = (messages: readonly Message[]): void => {
    if (messages.length > 0) send(messages);
  };
  const isOld = ({ oldestAtMs }: Stream, time: number): boolean => time - oldestAtMs >= holdMs;
  const sendDue = (): void => {
    const due: Message[] = [];
    const time = now();
    for (const [key, stream] of streams) {
      if (stream.pending === undefined) {
        if (time - stream.sentAtMs >= holdMs) streams.delete(key);
      } else if (isOld(stream, time)) due.push(...take(stream, stream.pending));
    }
    sendAll(due);
  };
  const cancel = every(tickMs, sendDue, { keepsAlive: false });
  /** Takes note of these batches, and tells whether they only continue the stream at the pace of a machine. */
  const isLive = (stream: Stream, { covered }: Acknowledgement): boolean => {
    let live = true;
    for (const { start, end, receivedAtMs } of covered) {
      live &&= start >= stream.through && receivedAtMs - stream.newestAtMs >= livePaceMs;
      stream.through = Math.max(stream.through, end);
      stream.newestAtMs = Math.max(stream.newestAtMs, receivedAtMs);
      stream.oldestAtMs = Math.min(stream.oldestAtMs, receivedAtMs);
    }
    return live;
  };
  return {
    /** The acknowledgements of one commit, together. */
    add(acknowledgements: readonly Acknowledgement[]): void {
      const due: Message[] = [];
      for (const acknowledgement of acknowledgements) {
        const key = keyOf(acknowledgement);
        const known = streams.get(key);
        // Boards that came back together are acknowledged in different seconds.
        const stream = known ?? {
          sentAtMs: 0,
          newestAtMs: 0,
          through: 0,
          due: 1 + Math.floor(Math.random() * batchesAtOnce),
          leftAtMs: 0,
          pending: undefined,
          oldestAtMs: Infinity,
        };
        if (known === undefined) streams.set(key, stream);
        const isLeaving = now() - stream.leftAtMs < holdMs;
        const mayWait = isLive(stream, acknowledgement) && known !== undefined && !isLeaving;
        const next = merged(stream.pending, acknowledgement);
        if (mayWait && next.covered.length < stream.due && !isOld(stream, now())) {
          stream.pending = next;
          continue;
        }
        if (known !== undefined) stream.due = batchesAtOnce;
        due.push(...take(stream, next));
      }
      sendAll(due);
    },
    /** A board that is about to disconnect waits for the last acknowledgements of its stream. */
    leaves(serialNumber: string, epoch: string): void {
      const stream = streams.get(keyOf({ serialNumber, epoch }));
      if (stream === undefined) return;
      stream.leftAtMs = now();
      if (stream.pending !== undefined) sendAll(take(stream, stream.pending));
    },
    /** Sends the pending acknowledgements: their entries are committed. */
    close(): void {
      cancel();
      sendAll(
        [...streams.values()].flatMap((stream) => (stream.pending === undefined ? [] : take(stream, stream.pending))),
      );
    },
  };
};
