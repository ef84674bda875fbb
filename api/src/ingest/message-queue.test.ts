import { gzipSync } from 'node:zlib';
import { collectGarbage, measureMemory } from '@roastery/testing/held-memory';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import type { QueuedMessage } from '../recordings/recordings.ts';
import { decodeBatch, decodedBytes } from './decode-batch.ts';
import { createMessageQueue } from './message-queue.ts';
import { fromNow } from '../testing/present.ts';

/** The machines of one transaction. */
const taken = new Set<string>();

const messageOf = (serialNumber: string, payload: Buffer | string): QueuedMessage => ({
  topic: `roastery/v1/${serialNumber}/journal`,
  serialNumber,
  payload: Buffer.from(payload),
  receivedAtMs: fromNow(0),
});

const channels = Array.from({ length: 8 }, (_, n) => `channel_${n}`);
/** The largest batch of a backlog: compressed it is many times smaller than in memory. */
const backlog = (count: number): Buffer[] => {
  const board = createJournalBoard({ channels });
  for (let n = 0; n < 600 * count; n++)
    board.sample(n * 250, ...channels.map((_, column) => (n % 7 === column ? null : 150 + (n % 50) / 10)));
  return board.batches(() => 600).map((batch) => gzipSync(JSON.stringify(batch)));
};

const payloads = backlog(40);

describe('message queue', () => {
  it('uses at most a quarter more memory than it counts, also for highly compressed messages', () => {
    const limit = 8 * 1024 * 1024;
    const {
      made: { queue, kept },
      cost,
    } = measureMemory(() => {
      const queue = createMessageQueue(limit);
      let kept = 0;
      while (queue.add(messageOf(`B-${kept}`, payloads[kept % payloads.length] ?? ''))) kept++;
      return { queue, kept };
    });
    expect(queue.bytes).toBeLessThanOrEqual(limit);
    expect(kept).toBeGreaterThan(500);
    expect(cost).toBeLessThan(queue.bytes * 1.25);
    expect(queue.next(taken)?.serialNumber).toBe('B-0');
  });

  it('decodedBytes: estimates the memory of a decoded batch', () => {
    const { made, cost } = measureMemory(() => payloads.map(decodeBatch));
    const estimated = made.reduce((sum, one) => sum + decodedBytes(one), 0);
    expect(estimated).toBeGreaterThan(cost * 0.8);
    expect(estimated).toBeLessThan(cost * 2.5);
  });

  it('keeps a repeated message once until it is stored, and accepts it again afterwards', () => {
    const queue = createMessageQueue(1e6);
    expect(queue.add(messageOf('A', 'x'))).toBe(true);
    expect(queue.add(messageOf('A', 'x'))).toBe(true);
    expect(queue.add(messageOf('B', 'x'))).toBe(true);
    expect(queue.count).toBe(2);
    const first = queue.next(taken);
    if (first === undefined) throw new Error('no message');
    queue.add(messageOf('A', 'x'));
    expect(queue.count).toBe(1);
    queue.release([first]);
    queue.add(messageOf('A', 'x'));
    expect(queue.count).toBe(2);
  });

  it('holds no message that was taken and is stored', async () => {
    const queue = createMessageQueue(1e6);
    const store = (): WeakRef<QueuedMessage> => {
      queue.add(messageOf('A', 'x'));
      const message = queue.next(taken);
      if (message === undefined) throw new Error('no message');
      queue.release([message]);
      return new WeakRef(message);
    };
    const stored = store();
    await until('the message to be collected', () => {
      collectGarbage();
      return stored.deref() === undefined;
    });
    expect(queue.bytes).toBe(0);
  });

  it('parks the messages of a machine, retries one alone, and releases the others after it is stored', () => {
    const queue = createMessageQueue(1e6);
    for (const [serial, text] of [
      ['A', '1'],
      ['A', '2'],
      ['B', '1'],
    ] as const)
      queue.add(messageOf(serial, text));
    const stuck = queue.next(taken);
    if (stuck === undefined) throw new Error('no message');
    const waitMs = queue.park(stuck, 0);
    expect(queue.next(taken)?.serialNumber).toBe('B');
    expect(queue.next(taken)).toBeUndefined();
    expect(queue.nextTrial(waitMs - 1)).toBeUndefined();
    const trial = queue.nextTrial(waitMs);
    expect(trial).toBe(stuck);
    expect(queue.nextTrial(waitMs * 100)).toBeUndefined();
    expect(queue.park(stuck, 0)).toBeGreaterThan(waitMs);
    expect(queue.parkedMachines).toBe(1);
    const again = queue.nextTrial(Number.MAX_SAFE_INTEGER);
    expect(again).toBe(stuck);
    queue.release([stuck]);
    expect([queue.parkedMachines, queue.next(taken)?.payload.toString()]).toEqual([0, '2']);
  });

  it('keeps the messages of a machine that is being stored from a second transaction, in their order', () => {
    const queue = createMessageQueue(1e6);
    const add = (text: string): boolean => queue.add(messageOf(text.slice(0, 1), text));
    const nextOf = (machines: Set<string>): string | undefined => queue.next(machines)?.payload.toString();
    const [one, other] = [new Set<string>(), new Set<string>()];
    for (const text of ['A1', 'A2', 'B1']) add(text);
    expect([nextOf(one), nextOf(one)]).toEqual(['A1', 'A2']);
    add('A3');
    add('A4');
    expect([nextOf(other), nextOf(other)]).toEqual(['B1', undefined]);
    expect(queue.count).toBe(0);
    add('A5');
    queue.stored(one);
    expect(['', '', '', ''].map(() => nextOf(other))).toEqual(['A3', 'A4', 'A5', undefined]);
  });
});
