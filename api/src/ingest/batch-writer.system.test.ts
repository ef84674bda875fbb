import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterEach, describe, expect, it } from 'vitest';
import { messageOf, openMigratedDatabase, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { createBatchWriter } from './batch-writer.ts';

const flushDelayMs = 300;

describe('batch writer', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  /**
   * Adds one sample from each of `boards` boards at once. Returns the time until all are committed and the number of
   * transactions.
   */
  const store = async (boards: number) => {
    const database = await openMigratedDatabase();
    closing.push(() => database[Symbol.asyncDispose]());
    let [commits, samples] = [0, 0];
    const writer = createBatchWriter({
      sql: database.sql,
      log: silentLog,
      flushDelayMs,
      onDropped: () => undefined,
      onCommitted: (committed) => {
        commits += 1;
        samples += committed.samples;
      },
    });
    closing.push(() => writer.close());
    const messages = [];
    for (let n = 0; n < boards; n++) {
      await registerMachine(database.sql, `B-${n}`);
      const board = createJournalBoard();
      board.sample(0, 100, 100, 50);
      messages.push(...board.batches().map((batch) => messageOf(`B-${n}`, batch)));
    }
    const begun = performance.now();
    for (const message of messages) writer.add(message);
    await until('all samples to be committed', () => samples === boards, { everyMs: 5 });
    return { commits, tookMs: performance.now() - begun };
  };

  it('stores the message of a quiet roastery after the flush delay', async () => {
    const { tookMs } = await store(1);
    expect(tookMs).toBeGreaterThan(flushDelayMs - 1);
    expect(tookMs).toBeLessThan(flushDelayMs * 5);
  });

  it('collects the messages of a fleet for longer and stores them in one transaction', async () => {
    const { commits, tookMs } = await store(30);
    expect(tookMs).toBeGreaterThan(flushDelayMs * 5 - 1);
    expect(commits).toBe(1);
  });

  it('flushes immediately when a full transaction is queued', async () => {
    const { commits } = await store(500);
    expect(commits).toBe(1);
  });
});
