import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterEach, describe, expect, it } from 'vitest';
import { messageOf, openMigratedDatabase, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { BatchWriter } from './batch-writer.ts';
import type { JournalMessage } from '../recordings/recordings.ts';

const flushDelayMs = 500;

describe('batch writer', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  /** A writer with one message of each of `boards` boards. `store` adds them at once and returns the transactions. */
  const writerWith = async (boards: number) => {
    const database = await openMigratedDatabase();
    closing.push(() => database[Symbol.asyncDispose]());
    let [commits, samples] = [0, 0];
    const writer = new BatchWriter({
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
    const messages: JournalMessage[] = [];
    for (let n = 0; n < boards; n++) {
      await registerMachine(database.sql, `B-${n}`);
      const board = createJournalBoard();
      board.sample(0, 100, 100, 50);
      messages.push(...board.batches().map((batch) => messageOf(`B-${n}`, batch)));
    }
    return {
      sql: database.sql,
      store: async (): Promise<number> => {
        for (const message of messages) writer.add(message);
        await until('all samples to be committed', () => samples === boards, { everyMs: 5 });
        return commits;
      },
    };
  };

  it('stores the message of a quiet roastery sooner than those of a fleet, which share one transaction', async () => {
    const [fleet, quiet] = [await writerWith(30), await writerWith(1)];
    const stored: string[] = [];
    const commits = await Promise.all([
      fleet.store().finally(() => stored.push('fleet')),
      quiet.store().finally(() => stored.push('quiet')),
    ]);
    expect(stored).toEqual(['quiet', 'fleet']);
    expect(commits).toEqual([1, 1]);
  });

  it('lets Postgres end its transaction soon when this api hangs in it, since others wait for its rows', async () => {
    const { sql, store } = await writerWith(1);
    await sql`ALTER TABLE recording_chunks ADD CONSTRAINT ends_soon
      CHECK (current_setting('idle_in_transaction_session_timeout') = '5s')`;
    expect(await store()).toBe(1);
  });

  it('stores a full transaction at once', async () => {
    expect(await (await writerWith(500)).store()).toBe(1);
  });
});
