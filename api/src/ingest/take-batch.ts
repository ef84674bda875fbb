import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { JournalMessage, QueuedMessage } from '../recordings/recordings.ts';
import { decodedBytes } from './decode-batch.ts';
import type { MessageQueue } from './message-queue.ts';
import { sharedDecoder } from './shared-decoder.ts';

/** A larger transaction is no faster and holds locks for longer. */
const maxDecodedBytes = 16 * 1024 * 1024;
/** Decoding yields to the event loop after this long. */
const sliceMs = 10;

const decoded = (message: QueuedMessage): JournalMessage => ({
  ...message,
  decoded: sharedDecoder.forStorage(message.payload),
});

export interface Taken {
  readonly raw: QueuedMessage[];
  readonly batch: JournalMessage[];
  /** The machines of the messages: their next ones wait until `MessageQueue.stored`. */
  readonly machines: ReadonlySet<string>;
  /** A message of a parked machine, alone. */
  readonly isTrial: boolean;
}

/** Decodes as many messages as fit into a transaction. */
export const takeBatch = async (queue: MessageQueue, now: number, limit: number): Promise<Taken> => {
  const trial = queue.nextTrial(now);
  if (trial !== undefined) return { raw: [trial], batch: [decoded(trial)], machines: new Set(), isTrial: true };
  const raw: QueuedMessage[] = [];
  const batch: JournalMessage[] = [];
  const machines = new Set<string>();
  let bytes = 0;
  let since = performance.now();
  while (raw.length < limit && bytes < maxDecodedBytes) {
    const message = queue.next(machines);
    if (message === undefined) break;
    raw.push(message);
    const read = decoded(message);
    batch.push(read);
    bytes += decodedBytes(read.decoded) + message.payload.length;
    if (performance.now() - since < sliceMs) continue;
    await yieldToEventLoop();
    since = performance.now();
  }
  return { raw, batch, machines, isTrial: false };
};
