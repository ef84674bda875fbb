import { createJournalBoard } from '@roastery/testing/journal-board';
import { describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { sweepRules } from '../../ingest/sweeper.ts';
import { removeOldSamples } from '../../recordings/sweep-samples.ts';
import { sealStreams } from '../../recordings/seal-chunks.ts';
import { ageSamples, messageOf, openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { countUnindexed, expectSameWithAllIndexed, placesFoundAlike } from '../../testing/unindexed-chunks.ts';

const serial = 'TIMES-1';

describe('chunks that the index by time does not have', () => {
  // More random journals: unindexed-chunks.endurance.test.ts.
  it('are found as with an index of all chunks, before and after sealing', async () => {
    expect(await placesFoundAlike(1)).toBeGreaterThan(50);
  });

  it('are indexed by the next sealing where sweeping left them', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const { id, owner } = await registerMachine(sql, serial);
    const board = createJournalBoard();
    const record = async (samples: number) => {
      const from = board.length;
      for (let n = from; n < from + samples; n++) board.sample(n * 1000, 100, 150, 50);
      for (const batch of board.batches(() => 8, from)) await commitMessages(sql, [messageOf(serial, batch)]);
      await sql`UPDATE recordings SET committed = committed_now(recordings)`;
    };
    await record(600);
    await sql`
      INSERT INTO roasts (id, recording_id, machine_id, owner_id, status, charge_seq, drop_seq, start_time, boot_no)
      SELECT gen_random_uuid(), id, ${id}, ${owner}, 'completed', 100, 500, now(), 0 FROM recordings`;
    await ageSamples(sql);
    expect(await removeOldSamples(sql, sweepRules)).toBe(0);
    expect(await sql`SELECT swept_seq, sealed_seq FROM recordings`).toEqual([{ swept_seq: 600, sealed_seq: 0 }]);
    await record(1800);
    // The boot begins with a chunk that the index does not have.
    await sql`DELETE FROM recording_chunks WHERE first_seq = 0`;
    // Two batches did not only continue the stream: the first one, and the one after the sweep.
    expect(await countUnindexed(sql)).toEqual({ all: 298, sealed: 0 });
    await expectSameWithAllIndexed(sql, id, 1);
    await sealStreams(sql);
    expect(await sql`SELECT sealed_seq FROM recordings`).toEqual([{ sealed_seq: 1200 }]);
    // 1,200 samples after the sealed range.
    expect(await countUnindexed(sql)).toEqual({ all: 150, sealed: 0 });
    await expectSameWithAllIndexed(sql, id, 2);
  });
});
