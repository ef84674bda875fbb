import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import type { Database } from '../db/sql.ts';
import { announceRoast } from '../domains/roasts/life/announce-roast.ts';
import { samplePages } from '../alarms/read-watched.ts';
import { readSamples } from '../recordings/read-samples.ts';
import { sealStreams } from '../recordings/seal-chunks.ts';
import { commitMessages } from '../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine, roastOn } from '../testing/ingest-fixture.ts';
import { startPlainBroker, startWholeApi } from '../testing/whole-api.ts';
import { readBacklog } from './backlog.ts';
import { fromNow } from '../testing/present.ts';

/** A machine with its board's recording. */
const record = async (sql: Database, serial: string, board: ReturnType<typeof createJournalBoard>) => {
  const machine = await registerMachine(sql, serial);
  const messages = board.batches(() => 100).map((batch) => messageOf(serial, batch));
  await commitMessages(sql, messages);
  const [recording] = await sql<{ id: string }[]>`SELECT id FROM recordings WHERE machine_id = ${machine.id}`;
  return { machineId: machine.id, recordingId: recording?.id ?? '' };
};

/** The board continues at 1 Hz, in chunks of this many samples. Returns the number of all entries. */
const recordOn = async (
  sql: Database,
  recordingId: string,
  board: ReturnType<typeof createJournalBoard>,
  chunks: number,
  size = 600,
) => {
  const [from, mono] = [board.length, (board.entries().at(-1)?.mono ?? 0) + 1000];
  const end = from + chunks * size;
  await sql`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values", received_at)
    SELECT ${recordingId}, ${from}::bigint + at, 0, 0, ${mono}::bigint + at * 1000,
           (SELECT array_agg(n * 1000 ORDER BY n) FROM generate_series(0, ${size - 1}::int) n),
           array_fill(100::real, ARRAY[${size * board.channels.length}::int]), now()
    FROM generate_series(0, ${(chunks - 1) * size}::bigint, ${size}) at`;
  await sql`UPDATE recordings SET committed = ${`{[0,${end})}`}::text::int8multirange, last_received_at = now()
            WHERE id = ${recordingId}`;
  await sql`VACUUM ANALYZE recording_chunks`;
  return end;
};

/** Chunks that all closed connections have read. */
const chunksRead = async (sql: Database): Promise<number> => {
  const [row] = await sql<{ rows: number }[]>`
    SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables WHERE relname = 'recording_chunks'`;
  return row?.rows ?? 0;
};

describe('a recording that spans days', () => {
  it('alarms: a backfilled roast is evaluated by its own samples, not by later ones', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const board = createJournalBoard({ wallOffsetMs: fromNow(-20 * 86_400_000) });
    const roast = uuidV7();
    roastOn(board, roast);
    const { machineId, recordingId } = await record(sql, 'DAYS-1', board);
    await recordOn(sql, recordingId, board, 2000);
    const before = await chunksRead(sql);
    const broker = await startPlainBroker();
    {
      await using api = await startWholeApi(database.url, broker.url);
      await announceRoast(api.api.context.sql, roast, machineId);
      const alarms = await until('the alarm of the probe that stands still', async () => {
        const rows = await sql<{ is_late: boolean }[]>`SELECT is_late FROM roast_alarms WHERE roast_id = ${roast}`;
        return rows.length > 0 && rows;
      });
      expect(alarms[0]).toEqual({ is_late: true });
    }
    await broker.close();
    expect((await chunksRead(sql)) - before).toBeLessThan(200);
  });

  it('live backlog: a roast that never ended is shown by its newest two hours', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const board = createJournalBoard();
    const roast = uuidV7();
    const charge = { seq: board.sample(0, 200, 210, 50), mono: 0 };
    board.event(0, { type: 'roast', roast_id: roast, state: 'in_progress' });
    board.event(0, markEvent(roast, 'charge', charge, 200));
    const { machineId, recordingId } = await record(sql, 'DAYS-2', board);
    const end = await recordOn(sql, recordingId, board, 144);
    const backlog = await readBacklog(sql, machineId);
    const [samples] = backlog.samples;
    expect(backlog).toMatchObject({ chargeMono: 0, roast: { id: roast, status: 'in_progress' } });
    expect(samples?.seq.at(-1)).toBe(end - 1);
    expect(samples?.seq).toHaveLength(2 * 3600 + 1);
  });

  it('pages: contain every sample in order, also across a gap and while chunks are merged', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const board = createJournalBoard();
    board.sample(0, 100, 150, 50);
    const { recordingId } = await record(sql, 'DAYS-3', board);
    const end = await recordOn(sql, recordingId, board, 6000, 5);
    await sql`DELETE FROM recording_chunks WHERE recording_id = ${recordingId} AND first_seq BETWEEN 9001 AND 20000`;
    const whole = await readSamples(sql, { recordingId, fromSeq: 0, toSeq: end });
    const seen: number[] = [];
    let pages = 0;
    for await (const page of samplePages(sql, recordingId, 0, Number.MAX_SAFE_INTEGER)) {
      pages += 1;
      seen.push(...page.seq.filter((seq) => seq > (seen.at(-1) ?? -1)));
      await sealStreams(sql);
    }
    expect(seen).toEqual(whole.seq);
    expect(pages).toBeGreaterThan(3);
  });
});
