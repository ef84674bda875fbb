import { hash } from 'node:crypto';
import type { WaitingMessage } from './journal-message.ts';

/** An object, its place in the queue and its key cost about this much beside the payload. */
const messageOverhead = 768;
const costOf = ({ payload }: WaitingMessage): number => payload.length + messageOverhead;

/** A machine whose messages could not be stored for now. */
interface Parked {
  readonly messages: WaitingMessage[];
  dueAtMs: number;
  tries: number;
}
const firstParkMs = 1000;
const longestParkMs = 30_000;

/**
 * Messages from their arrival to their commit, with a limit in bytes that counts those under way too. Boards repeat what is
 * not acknowledged: what waits already is not kept twice. Messages of a parked machine wait apart from the others.
 */
export const createWaitingMessages = (maxBytes: number) => {
  let queue: WaitingMessage[] = [];
  let head = 0;
  let bytes = 0;
  const held = new Map<WaitingMessage, string>();
  const keys = new Set<string>();
  const parked = new Map<string, Parked>();

  const waitingNow = (): number => queue.length - head;
  const putInFront = (messages: readonly WaitingMessage[]): void => {
    queue = [...messages, ...queue.slice(head)];
    head = 0;
  };

  return {
    /** Answers false when there is no room. */
    add(message: WaitingMessage): boolean {
      const key = `${message.serialNumber}/${hash('sha1', message.payload, 'base64')}`;
      if (keys.has(key)) return true;
      if (bytes + costOf(message) > maxBytes) return false;
      keys.add(key);
      held.set(message, key);
      queue.push(message);
      bytes += costOf(message);
      return true;
    },
    /** The next message of a machine that is not parked. */
    next(): WaitingMessage | undefined {
      while (head < queue.length) {
        const message = queue[head];
        head += 1;
        if (head > 1000 && head * 2 > queue.length) {
          queue = queue.slice(head);
          head = 0;
        }
        if (message === undefined) continue;
        const apart = parked.get(message.serialNumber);
        if (apart === undefined) return message;
        apart.messages.push(message);
      }
      return undefined;
    },
    /** One message of a machine that was parked long enough: it is tried alone. */
    nextTrial(nowMs: number): WaitingMessage | undefined {
      for (const apart of parked.values()) {
        if (apart.dueAtMs > nowMs) continue;
        // The other worker leaves it alone until this trial has ended.
        apart.dueAtMs = Number.POSITIVE_INFINITY;
        return apart.messages.shift();
      }
      return undefined;
    },
    putBack: putInFront,
    /** Sets a machine's messages aside; answers for how long, ms. */
    park(message: WaitingMessage, nowMs: number): number {
      const apart = parked.get(message.serialNumber) ?? { messages: [], dueAtMs: 0, tries: 0 };
      const waitMs = Math.min(longestParkMs, firstParkMs * 2 ** apart.tries);
      apart.messages.unshift(message);
      apart.tries += 1;
      apart.dueAtMs = nowMs + waitMs;
      parked.set(message.serialNumber, apart);
      return waitMs;
    },
    /** These are committed, or will be sent again. */
    release(messages: readonly WaitingMessage[]): void {
      for (const message of messages) {
        const key = held.get(message);
        if (key === undefined) continue;
        held.delete(message);
        keys.delete(key);
        bytes -= costOf(message);
        const apart = parked.get(message.serialNumber);
        if (apart === undefined) continue;
        parked.delete(message.serialNumber);
        putInFront(apart.messages);
      }
    },
    get count(): number {
      return waitingNow();
    },
    get bytes(): number {
      return bytes;
    },
    /** When the oldest message arrived that is not committed. */
    get oldestAtMs(): number | undefined {
      // A Map keeps the order of insertion: the first one is the oldest.
      const [first] = held.keys();
      return first?.receivedAtMs;
    },
    get parkedMachines(): number {
      return parked.size;
    },
  };
};
export type WaitingMessages = ReturnType<typeof createWaitingMessages>;
