import { hash } from 'node:crypto';
import type { QueuedMessage } from '../recordings/recordings.ts';

/** Approximate memory of an object, its queue slot and its key besides the payload. */
const messageOverhead = 768;
const costOf = ({ payload }: QueuedMessage): number => payload.length + messageOverhead;

/** A machine whose messages could not be stored yet. */
interface Parked {
  readonly messages: QueuedMessage[];
  dueAtMs: number;
  tries: number;
}
const minParkMs = 1000;
const maxParkMs = 30_000;

/** The machines whose messages are being stored, and their next messages, which wait. */
const createTurns = () => {
  const beingStored = new Set<string>();
  let aside: QueuedMessage[] = [];
  return {
    /** Whether these machines may be joined by that of the message; otherwise the message waits. */
    take(message: QueuedMessage, taken: Set<string>): boolean {
      const { serialNumber } = message;
      if (beingStored.has(serialNumber) && !taken.has(serialNumber)) {
        aside.push(message);
        return false;
      }
      beingStored.add(serialNumber);
      taken.add(serialNumber);
      return true;
    },
    /** Returns the messages that waited for these machines. */
    end(taken: ReadonlySet<string>): QueuedMessage[] {
      for (const serialNumber of taken) beingStored.delete(serialNumber);
      const freed = aside.filter(({ serialNumber }) => !beingStored.has(serialNumber));
      if (freed.length > 0) aside = aside.filter(({ serialNumber }) => beingStored.has(serialNumber));
      return freed;
    },
  };
};

/**
 * Messages from their arrival to their commit, limited in bytes. Boards resend what is not acknowledged: a message that
 * is already queued is not queued twice. Messages of a parked machine wait apart from the others, and those of a machine whose
 * earlier ones are being stored until these are: two transactions would only wait for each other.
 */
export const createMessageQueue = (maxBytes: number) => {
  /** Those before `head` were taken: `held` keeps them until they are committed, and this list no longer. */
  let queue: (QueuedMessage | undefined)[] = [];
  let head = 0;
  let bytes = 0;
  const held = new Map<QueuedMessage, string>();
  const keys = new Set<string>();
  const parked = new Map<string, Parked>();
  const turns = createTurns();

  /** Ends the wait of `untilWoken`. */
  let wake: (() => void) | undefined;

  const waitingNow = (): number => queue.length - head;
  const requeue = (messages: readonly QueuedMessage[]): void => {
    queue = [...messages, ...queue.slice(head)];
    head = 0;
  };

  return {
    /** Returns false when the queue is full. */
    add(message: QueuedMessage): boolean {
      const key = `${message.serialNumber}/${hash('sha1', message.payload, 'base64')}`;
      if (keys.has(key)) return true;
      if (bytes + costOf(message) > maxBytes) return false;
      keys.add(key);
      held.set(message, key);
      queue.push(message);
      bytes += costOf(message);
      return true;
    },
    /**
     * The next message of a machine that is neither parked nor being stored, or is one of `taken`, to which it is added: `stored`
     * ends that.
     */
    next(taken: Set<string>): QueuedMessage | undefined {
      while (head < queue.length) {
        const message = queue[head];
        queue[head] = undefined;
        head += 1;
        if (head > 1000 && head * 2 > queue.length) {
          queue = queue.slice(head);
          head = 0;
        }
        if (message === undefined) continue;
        const apart = parked.get(message.serialNumber);
        if (apart !== undefined) apart.messages.push(message);
        else if (turns.take(message, taken)) return message;
      }
      return undefined;
    },
    /** One message of a machine that was parked long enough; it is retried alone. */
    nextTrial(nowMs: number): QueuedMessage | undefined {
      for (const apart of parked.values()) {
        if (apart.dueAtMs > nowMs) continue;
        // The other worker does not take it until this retry has ended.
        apart.dueAtMs = Number.POSITIVE_INFINITY;
        return apart.messages.shift();
      }
      return undefined;
    },
    /** The messages of these machines are stored, or are about to be queued again. */
    stored(taken: ReadonlySet<string>): void {
      const freed = turns.end(taken);
      if (freed.length > 0) requeue(freed);
    },
    requeue,
    /** Waits until `wake` is called, or for at most `timeoutMs`. For one caller at a time. */
    untilWoken: (timeoutMs?: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          resolve();
        };
      }),
    wake: (): void => wake?.(),
    /** Parks a machine's messages; returns for how many ms. */
    park(message: QueuedMessage, nowMs: number): number {
      const apart = parked.get(message.serialNumber) ?? { messages: [], dueAtMs: 0, tries: 0 };
      const waitMs = Math.min(maxParkMs, minParkMs * 2 ** apart.tries);
      apart.messages.unshift(message);
      apart.tries += 1;
      apart.dueAtMs = nowMs + waitMs;
      parked.set(message.serialNumber, apart);
      return waitMs;
    },
    /** Removes messages that are committed or that boards will resend. */
    release(messages: readonly QueuedMessage[]): void {
      for (const message of messages) {
        const key = held.get(message);
        if (key === undefined) continue;
        held.delete(message);
        keys.delete(key);
        bytes -= costOf(message);
        const apart = parked.get(message.serialNumber);
        if (apart === undefined) continue;
        parked.delete(message.serialNumber);
        requeue(apart.messages);
      }
    },
    get count(): number {
      return waitingNow();
    },
    get bytes(): number {
      return bytes;
    },
    /** Arrival time of the oldest message that is not committed. */
    get oldestAtMs(): number | undefined {
      // A Map keeps the order of insertion: its first entry is the oldest.
      const [first] = held.keys();
      return first?.receivedAtMs;
    },
    get parkedMachines(): number {
      return parked.size;
    },
  };
};
export type MessageQueue = ReturnType<typeof createMessageQueue>;
