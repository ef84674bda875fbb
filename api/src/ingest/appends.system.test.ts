import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import type { Database } from '../db/sql.ts';
import { messageOf, openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import { commitMessages } from './store-batch.ts';
import { fromNow } from '../testing/present.ts';

const serial = 'APPEND-1';

/** A board of ten batches, of which the first `known` are stored. */
const withKnownStream = async (known: number) => {
  const database = await openMigratedDatabase();
  const { id: machineId } = await registerMachine(database.sql, serial);
  const board = createJournalBoard();
  for (let at = 0; at < 50; at++) board.sample(at * 1000, 100 + at, 150, 50);
  const batches = board.batches(() => 5);
  const commit = (batch: (typeof batches)[number] | undefined, as = serial) => {
    if (batch === undefined) throw new Error('no such batch');
    return commitMessages(database.sql, [messageOf(as, batch)]);
  };
  for (const batch of batches.slice(0, known)) await commit(batch);
  return { ...database, board, batches, commit, machineId };
};

const chunksOf = async (sql: Database): Promise<number[][]> => {
  const rows = await sql<{ first_seq: number; samples: number }[]>`
    SELECT first_seq, cardinality(dt_ms) AS samples FROM recording_chunks ORDER BY first_seq`;
  return rows.map(({ first_seq, samples }) => [first_seq, samples]);
};

describe('appends', () => {
  it('stores a batch that continues a known stream without reading its layouts again', async () => {
    await using known = await withKnownStream(1);
    // Unlike ingest, without writing the row of the recording.
    await known.sql`DELETE FROM recording_layouts`;
    const { acknowledgements, samples } = await known.commit(known.batches[1]);
    expect(samples).toBe(5);
    expect(acknowledgements).toMatchObject([{ ranges: [{ start: 0, end: 10 }], covered: [{ start: 5, end: 10 }] }]);
    expect(await known.sql`SELECT FROM recording_layouts`).toHaveLength(0);
    expect(await chunksOf(known.sql)).toEqual([
      [0, 5],
      [5, 5],
    ]);
  });

  it('stores several batches of one commit as one chunk, in their order', async () => {
    await using known = await withKnownStream(2);
    const { batches, sql } = known;
    const messages = [4, 2, 3].flatMap((n) => batches.slice(n, n + 1)).map((batch) => messageOf(serial, batch));
    const { acknowledgements } = await commitMessages(sql, messages);
    expect(acknowledgements).toMatchObject([{ ranges: [{ start: 0, end: 25 }] }]);
    expect((await chunksOf(sql)).at(-1)).toEqual([10, 15]);
  });

  it('stores the batches of a continuing stream in the same way, and acknowledges only its own entries', async () => {
    await using known = await withKnownStream(4);
    const { batches, sql, board } = known;
    const epoch = '00000000000000cc';
    const continuing = batches
      .slice(5)
      .map((batch) => ({ ...batch, epoch, continues: { epoch: board.epoch, seq: 25 } }));
    await known.commit(continuing[0]);
    await sql`DELETE FROM recording_layouts`;
    const { acknowledgements, samples } = await known.commit(continuing[1]);
    expect(samples).toBe(5);
    expect(acknowledgements).toMatchObject([{ epoch, ranges: [{ start: 25, end: 35 }] }]);
    expect(await sql`SELECT FROM recording_layouts`, 'as for any append').toHaveLength(0);
    expect(await sql`SELECT committed_now(r)::text AS stored FROM recordings r`).toEqual([
      { stored: '{[0,20),[25,35)}' },
    ]);
  });

  it('writes the row of the recording when it is due, and continues after it', async () => {
    await using known = await withKnownStream(2);
    const { batches, sql } = known;
    for (const [n, batch] of batches.slice(2).entries())
      await commitMessages(sql, [messageOf(serial, batch, fromNow((n + 1) * 60_000))]);
    expect(await sql`SELECT committed::text, committed_now(r)::text FROM recordings r`).toEqual([
      { committed: '{[0,50)}', committed_now: '{[0,50)}' },
    ]);
    expect((await chunksOf(sql)).length).toBe(10);
  });

  it('reads a stream again when another instance changed it during the wait for its lock', async () => {
    await using known = await withKnownStream(2);
    const { batches, sql } = known;
    let waiting: ReturnType<typeof known.commit> | undefined;
    await sql.begin(async (other) => {
      await other`UPDATE recordings SET committed = committed_now(recordings) + '{[10,12)}'::int8multirange`;
      waiting = known.commit(batches[2]);
      await until('the lock to be waited for', async () => {
        const rows = await sql`SELECT FROM pg_locks WHERE NOT granted`;
        return rows.length > 0;
      });
    });
    expect((await waiting)?.samples).toBe(3);
    expect((await chunksOf(sql)).at(-1)).toEqual([12, 3]);
  });

  it('finds the end of a stream that another instance appended to', async () => {
    await using known = await withKnownStream(2);
    const { batches, sql } = known;
    await sql`
      INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, values)
      SELECT recording_id, 10, boot_no, layout_no, 10000, dt_ms, values FROM recording_chunks WHERE first_seq = 5`;
    // A repeat with other content: the content stored by the other instance is kept.
    expect(await known.commit(batches[2])).toMatchObject({ samples: 0, conflicts: 1 });
    expect(await known.commit(batches[3])).toMatchObject({ samples: 5, conflicts: 0 });
    expect((await chunksOf(sql)).map(([first]) => first)).toEqual([0, 5, 10, 15]);
  });

  it('stores nothing for an archived machine, nor under the serial number of another one', async () => {
    await using known = await withKnownStream(2);
    const { batches, sql, machineId } = known;
    await registerMachine(sql, 'APPEND-2');
    expect(await known.commit(batches[2], 'APPEND-2')).toMatchObject({ samples: 5 });
    expect(await sql`SELECT FROM recordings`).toHaveLength(2);
    await sql`UPDATE machines SET archived_at = now() WHERE id = ${machineId}`;
    expect(await known.commit(batches[2])).toMatchObject({ samples: 0, quarantined: 1 });
  });

  it('does not append to a recording that another stream continues', async () => {
    await using known = await withKnownStream(2);
    const { board, batches, sql, commit } = known;
    const continuing = batches.slice(2, 4).map((batch) => ({
      ...batch,
      epoch: 'cafecafecafecafe',
      continues: { epoch: board.epoch, seq: 10 },
    }));
    for (const batch of continuing) await commit(batch);
    // The board was restarted before that and continued its first stream.
    await commit(batches[4]);
    expect(await sql`SELECT FROM recordings`).toHaveLength(2);
  });

  it('corrects the clock of a boot with the first batch that reports it', async () => {
    await using known = await withKnownStream(2);
    const { batches, sql } = known;
    const [third] = batches.slice(2, 3);
    if (third === undefined) throw new Error('no third batch');
    await known.commit({ ...third, t: third.t - 50_000 });
    const [boot] = await sql<{ wall_offset_ms: number }[]>`SELECT wall_offset_ms FROM recording_boots`;
    expect(Math.abs((boot?.wall_offset_ms ?? 0) - (third.t - third.mono))).toBe(0);
    const later = fromNow(3_600_000);
    await commitMessages(sql, [messageOf(serial, { ...third, seq: 15, t: third.t + 3_600_000 }, later)]);
    const [corrected] = await sql<{ wall_offset_ms: number }[]>`SELECT wall_offset_ms FROM recording_boots`;
    expect(corrected?.wall_offset_ms).toBe(third.t + 3_600_000 - third.mono);
  });
});
