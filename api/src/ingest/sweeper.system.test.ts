import { randomUUID } from 'node:crypto';
import { createLogger } from '@roastery/runtime/logger';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard, type JournalBoard } from '@roastery/testing/journal-board';
import { describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/sql.ts';
import { readSamples } from '../recordings/read-samples.ts';
import {
  ageSamples,
  messageOf,
  openMigratedDatabase,
  registerMachine,
  roastOn,
  silentLog,
} from '../testing/ingest-fixture.ts';
import { sealStreams } from '../recordings/seal-chunks.ts';
import { commitMessages } from './store-batch.ts';
import { removeOldSamples } from '../recordings/sweep-samples.ts';
import { abortStaleRoasts, sweep, sweepRules, whenAlone } from './sweeper.ts';

const recordingOf = async (sql: Database, board: JournalBoard): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`SELECT id FROM recordings WHERE epoch = ${board.epoch}`;
  return row?.id ?? '';
};

const chunkCount = async (sql: Database): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`SELECT count(*) AS n FROM recording_chunks`;
  return row?.n ?? 0;
};

const ship = (sql: Database, serial: string, board: JournalBoard, size: number, first = 0) =>
  Promise.all(board.batches(() => size, first).map((batch) => commitMessages(sql, [messageOf(serial, batch)])));

const samplesADay = 24 * 3600;
const samplesAChunk = 600;

/**
 * A machine that recorded for `days` days at 1 Hz, the last of them 92 days ago, with two roasts of 15 minutes a day.
 */
const recordDays = async (sql: Database, days: number): Promise<void> => {
  const { id: machineId, owner } = await registerMachine(sql, 'HISTORY');
  const recordingId = uuidV7();
  const length = days * samplesADay;
  await sql`
    INSERT INTO recordings (id, machine_id, epoch, source, committed, last_received_at, sealed_seq)
    VALUES (${recordingId}, ${machineId}, '00112233445566aa', 'agent', ${`{[0,${length})}`}::text::int8multirange, now(), ${length})`;
  await sql`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values", received_at)
    SELECT ${recordingId}, at, 0, 0, at * 1000, array_fill(0, ARRAY[${samplesAChunk}::int]), '{}', now() - interval '92 days'
    FROM generate_series(0, ${length - samplesAChunk}::bigint, ${samplesAChunk}) at`;
  await sql`
    INSERT INTO roasts (id, recording_id, machine_id, owner_id, status, status_seq, charge_seq, drop_seq, start_time,
                        batch_number)
    SELECT gen_random_uuid(), ${recordingId}, ${machineId}, ${owner}, 'completed', at + 900, at, at + 900,
           now() - interval '92 days' - (${length} - at) * interval '1 second',
           gen_random_uuid()::text
    FROM generate_series(43200, ${length - 7200}::bigint, 43200) at`;
  await sql`
    INSERT INTO roasts (id, recording_id, machine_id, owner_id, status, status_seq, charge_seq, start_time)
    VALUES (gen_random_uuid(), ${recordingId}, ${machineId}, ${owner}, 'in_progress', ${length - 60}, ${length - 60}, now())`;
  await sql`VACUUM ANALYZE`;
};

/** Blocks of tables and indexes that this pool of one connection has read so far, from memory or disk. */
const blocksRead = async (sql: Database): Promise<number> => {
  await sql`SELECT pg_stat_force_next_flush()`;
  const [row] = await sql<{ blocks: number }[]>`
    SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)) AS blocks
    FROM pg_statio_user_tables`;
  return row?.blocks ?? 0;
};

describe('sweeper', () => {
  it('seals small chunks without changing a sample, and stores late samples in their place', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'S-1');
    const boot = randomUUID();
    const board = createJournalBoard({ boot });
    for (let n = 0; n < 4000; n++) {
      board.sample(n * 250, n % 7 === 0 ? null : 100 + (n % 500) / 10, 150, n % 2);
      if (n === 1500) board.event(n * 250, { type: 'start', agent_version: '1.0.0' });
    }
    const batches = board.batches(() => 8);
    // One batch comes late, after its neighbours were sealed.
    const [late] = batches.splice(100, 1);
    const newest = batches.pop();
    for (const batch of batches) await commitMessages(sql, [messageOf('S-1', batch)]);
    // A minute later the recording's row is written: sealing sees what has arrived.
    await sql`UPDATE recordings SET last_received_at = now() - interval '1 minute'`;
    if (newest !== undefined) await commitMessages(sql, [messageOf('S-1', newest)]);
    const recording = await recordingOf(sql, board);
    const before = await readSamples(sql, { recordingId: recording, fromSeq: 0, toSeq: 1e9 });
    const chunksBefore = await chunkCount(sql);
    expect(await sealStreams(sql)).toBeGreaterThan(300);
    expect(await chunkCount(sql)).toBeLessThan(chunksBefore / 2);
    expect(await readSamples(sql, { recordingId: recording, fromSeq: 0, toSeq: 1e9 })).toEqual(before);
    expect(await sealStreams(sql)).toBe(0);

    if (late === undefined) throw new Error('no late batch');
    await commitMessages(sql, [
      messageOf('S-1', late),
      ...batches.slice(90, 110).map((batch) => messageOf('S-1', batch)),
    ]);
    const sent = board.entries().flatMap((entry, seq) => (entry.kind === 'sample' ? [{ seq, ...entry }] : []));
    const all = await readSamples(sql, { recordingId: recording, fromSeq: 0, toSeq: 1e9 });
    expect(all.seq).toEqual(sent.map((entry) => entry.seq));
    expect(all.monoMs).toEqual(sent.map((entry) => entry.mono));
    expect(all.channels.get('bean_temp')).toEqual(sent.map((entry) => entry.values[0]));
  });

  it('aborts a roast whose board is silent, and applies the board’s events after its return', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'S-2');
    const board = createJournalBoard();
    const id = uuidV7();
    board.sample(0, 100, 150, 50);
    board.event(0, { type: 'roast', roast_id: id, state: 'in_progress' });
    await ship(sql, 'S-2', board, 20);
    const status = async () => (await sql<{ status: string }[]>`SELECT status FROM roasts WHERE id = ${id}`)[0]?.status;
    expect(await abortStaleRoasts(sql, sweepRules)).toBe(0);
    await sql`UPDATE recordings SET last_received_at = now() - interval '4 hours'`;
    expect(await abortStaleRoasts(sql, sweepRules)).toBe(1);
    expect(await status()).toBe('aborted');
    const from = board.length;
    board.event(900_000, { type: 'roast', roast_id: id, state: 'completed' });
    await ship(sql, 'S-2', board, 20, from);
    expect(await status()).toBe('completed');
  });

  it('aborts a roast early when its board sends a new journal, but not while that is silent too', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'S-4');
    const [lostCard, newCard] = [createJournalBoard(), createJournalBoard()];
    const id = uuidV7();
    lostCard.sample(0, 100, 150, 50);
    lostCard.event(0, { type: 'roast', roast_id: id, state: 'in_progress' });
    await ship(sql, 'S-4', lostCard, 20);
    await sql`UPDATE recordings SET last_received_at = now() - interval '16 minutes'`;
    expect(await abortStaleRoasts(sql, sweepRules)).toBe(0);
    newCard.sample(0, 100, 150, 50);
    await ship(sql, 'S-4', newCard, 20);
    await sql`UPDATE recordings SET last_received_at = now() - interval '14 minutes' WHERE epoch = ${lostCard.epoch}`;
    expect(await abortStaleRoasts(sql, sweepRules)).toBe(0);
    await sql`UPDATE recordings SET last_received_at = now() - interval '16 minutes' WHERE epoch = ${lostCard.epoch}`;
    expect(await abortStaleRoasts(sql, sweepRules)).toBe(1);
    const [roast] = await sql<{ status: string }[]>`SELECT status FROM roasts WHERE id = ${id}`;
    expect(roast?.status).toBe('aborted');
  });

  it('aborts a roast when its board recorded a newer one, never because of a logged or uploaded roast', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const machine = await registerMachine(sql, 'S-5');
    const board = createJournalBoard();
    const [running, logged, uploaded, newer] = [uuidV7(), uuidV7(), uuidV7(), uuidV7()];
    board.sample(0, 100, 150, 50);
    board.event(0, { type: 'roast', roast_id: running, state: 'in_progress' });
    await ship(sql, 'S-5', board, 20);
    const recording = uuidV7();
    await sql`
      INSERT INTO recordings (id, machine_id, epoch, source) VALUES (${recording}, ${machine.id}, 'upload', 'upload')`;
    for (const [id, recordingId] of [
      [logged, null],
      [uploaded, recording],
    ]) {
      await sql`
        INSERT INTO roasts (id, owner_id, machine_id, recording_id, status, start_time, boot_no)
        VALUES (${id ?? ''}, ${machine.owner}, ${machine.id}, ${recordingId ?? null}, 'completed', now() + interval '9 hours', 0)`;
    }
    expect(await abortStaleRoasts(sql, sweepRules)).toBe(0);
    const from = board.length;
    board.event(3_700_000, { type: 'roast', roast_id: newer, state: 'in_progress' });
    await ship(sql, 'S-5', board, 20, from);
    expect(await abortStaleRoasts(sql, sweepRules)).toBe(1);
    const rows = await sql<{ id: string }[]>`SELECT id FROM roasts WHERE status = 'aborted'`;
    expect(rows).toEqual([{ id: running }]);
  });

  it('removes old samples outside roasts and keeps those of roasts', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'S-3');
    const roasted = createJournalBoard();
    const idle = createJournalBoard();
    roastOn(roasted, uuidV7());
    for (let n = 0; n < 200; n++) idle.sample(n * 1000, 25, 25, 0);
    await ship(sql, 'S-3', roasted, 60);
    await ship(sql, 'S-3', idle, 60);
    await ageSamples(sql);
    const count = async (board: JournalBoard) =>
      (await readSamples(sql, { recordingId: await recordingOf(sql, board), fromSeq: 0, toSeq: 1e9 })).seq.length;
    await removeOldSamples(sql, sweepRules);
    expect([await count(roasted), await count(idle)]).toEqual([720, 0]);
    // Removed samples are not stored again, although no chunk shows any more that they were committed.
    await ship(sql, 'S-3', idle, 60);
    expect(await count(idle)).toBe(0);
    await sql`DELETE FROM roasts`;
    await removeOldSamples(sql, sweepRules);
    expect(await count(roasted)).toBe(0);
  });

  it('removes late samples that are already old', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'S-6');
    const board = createJournalBoard();
    for (let n = 0; n < 300; n++) board.sample(n * 1000, 25, 25, 0);
    const batches = board.batches(() => 60);
    const [late] = batches.splice(1, 1);
    for (const batch of batches) await commitMessages(sql, [messageOf('S-6', batch)]);
    await ageSamples(sql);
    expect(await removeOldSamples(sql, sweepRules)).toBe(4);
    if (late === undefined) throw new Error('no late batch');
    await commitMessages(sql, [messageOf('S-6', late)]);
    expect(await removeOldSamples(sql, sweepRules)).toBe(0);
    expect(await chunkCount(sql)).toBe(1);
    await ageSamples(sql);
    await sql`UPDATE sample_sweeps SET received_at = now() - interval '92 days'`;
    expect(await removeOldSamples(sql, sweepRules)).toBe(1);
    expect(await sql`SELECT FROM sample_sweeps`).toHaveLength(0);
  });

  it('continues with the other roasts, recordings and tasks when one fails, and names the failed one', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const boards: { board: JournalBoard; roast: string }[] = [];
    for (const serial of ['F-1', 'F-2', 'F-3']) {
      await registerMachine(sql, serial);
      const [board, roast] = [createJournalBoard(), uuidV7()];
      board.event(0, { type: 'roast', roast_id: roast, state: 'in_progress' });
      for (let n = 0; n < 4000; n++) board.sample(n * 250, 100, 150, 50);
      await ship(sql, serial, board, 100);
      boards.push({ board, roast });
    }
    // The rows of streams are written at intervals; which rows were written depends on the order of their batches.
    await sql`
      UPDATE recordings SET last_received_at = now() - interval '4 hours', committed = int8multirange(int8range(0, 4001))`;
    await sql`
      INSERT INTO quarantine (id, received_at, topic, serial_number, reason, payload, key)
      VALUES (${uuidV7()}, now() - interval '40 days', 'topic', 'F-1', 'old', ''::bytea, ''::bytea)`;
    const first = boards.map(({ roast }) => roast).toSorted()[0] ?? '';
    await sql`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cannot be changed'; END $$`;
    await sql.unsafe(
      `CREATE TRIGGER fail BEFORE UPDATE ON roasts FOR EACH ROW WHEN (OLD.id = '${first}') EXECUTE FUNCTION fail()`,
    );
    await sql.unsafe(`CREATE TRIGGER fail BEFORE UPDATE OF sealed_seq ON recordings FOR EACH ROW
      WHEN (OLD.epoch = '${boards[0]?.board.epoch ?? ''}') EXECUTE FUNCTION fail()`);
    const warned: unknown[] = [];
    const log = createLogger('test', 'silent');
    log.warn = (fields: object) => void warned.push('what' in fields && fields.what);

    await sweep(sql, log);
    const aborted = await sql<{ id: string }[]>`SELECT id FROM roasts WHERE status = 'aborted'`;
    expect(aborted.map(({ id }) => id).toSorted()).toEqual(
      boards
        .map(({ roast }) => roast)
        .toSorted()
        .slice(1),
    );
    const sealed = await sql<{ epoch: string }[]>`SELECT epoch FROM recordings WHERE sealed_seq > 0`;
    expect(sealed.map(({ epoch }) => epoch).toSorted()).toEqual(
      boards
        .slice(1)
        .map(({ board }) => board.epoch)
        .toSorted(),
    );
    expect(await sql`SELECT 1 FROM quarantine`).toHaveLength(0);
    expect(warned).toEqual(expect.arrayContaining(['abortStaleRoasts', 'sweepRecordings']));
  });

  it('sweeps in one instance at a time', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const other = openDatabase({ url: database.url, log: silentLog });
    const done: string[] = [];
    await whenAlone(sql, async () => {
      done.push('one');
      await whenAlone(other, async () => void done.push('the other beside it'));
    });
    await whenAlone(other, async () => void done.push('the other afterwards'));
    await other.end();
    expect(done).toEqual(['one', 'the other afterwards']);
  });

  it('reads only samples that became old since the last sweep', async () => {
    const read: { due: number; nothingDue: number }[] = [];
    for (const days of [20, 200]) {
      await using database = await openMigratedDatabase();
      const { sql } = database;
      await recordDays(sql, days);
      const one = openDatabase({ url: database.url, log: silentLog, connections: 1 });
      const blocksOf = async (work: () => Promise<number>): Promise<[number, number]> => {
        const before = await blocksRead(one);
        const result = await work();
        return [(await blocksRead(one)) - before, result];
      };
      // The first statements of a connection read the catalogue.
      await sweep(one, silentLog);
      await sql`UPDATE recordings SET swept_seq = ${(days - 2) * samplesADay}, unswept_since = now() - interval '92 days'`;
      const [due, removed] = await blocksOf(() => removeOldSamples(one, sweepRules));
      expect(removed).toBeGreaterThan(0);
      const [nothingDue] = await blocksOf(async () => {
        await sweep(one, silentLog);
        return 0;
      });
      read.push({ due, nothingDue });
      await one.end();
    }
    const [short, long] = read;
    expect(long?.due).toBeLessThan(1.5 * (short?.due ?? 0));
    expect(long?.nothingDue).toBeLessThan(1.5 * (short?.nothingDue ?? 0));
  });
});
