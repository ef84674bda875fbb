import type { Device } from '@roastery/contract/fleet';
import type { Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/sql.ts';
import { readSamples } from '../recordings/read-samples.ts';
import { ageSamples, roastOn, silentLog } from '../testing/ingest-fixture.ts';
import { createKeepingBoard } from '../testing/keeping-board.ts';
import { connectBoard, startPlainBroker, startWholeApi, type PlainBroker } from '../testing/whole-api.ts';
import { removeOldSamples } from '../recordings/sweep-samples.ts';
import { sweepRules } from './sweeper.ts';
import { fromNow } from '../testing/present.ts';

const form = { display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30 };

/** All that boards delivered, comparable between two databases. */
const delivered = async (sql: Database) => {
  const recordings = await sql<{ id: string; epoch: string }[]>`
    SELECT id, epoch FROM recordings WHERE source = 'agent' ORDER BY epoch`;
  const samples = await Promise.all(
    recordings.map(async ({ id, epoch }) => ({
      epoch,
      ...(await readSamples(sql, { recordingId: id, fromSeq: 0, toSeq: 1e9 })),
    })),
  );
  const marks = await sql`
    SELECT roast_id, kind, origin, at_seq, mono_ms, temp, event_seq, is_withdrawn FROM roast_marks
    ORDER BY roast_id, event_seq`;
  const roasts = await sql`
    SELECT id, status, charge_mono_ms, drop_mono_ms, charge_temp, drop_temp, duration_seconds, start_time FROM roasts
    ORDER BY id`;
  return { samples, marks: [...marks], roasts: [...roasts] };
};

/** Runs statements on a database without being connected to it. */
const onServer = async (run: (sql: Database) => Promise<unknown>): Promise<void> => {
  await using spare = await createTestDatabase();
  const sql = openDatabase({ url: spare.url, log: silentLog, connections: 1 });
  await run(sql);
  await sql.end();
};

describe('histories: restore from boards', () => {
  let broker: PlainBroker;
  beforeAll(async () => {
    broker = await startPlainBroker();
  });
  afterAll(() => broker.close());

  it('restores every sample, mark and roast missing from an hour-old backup, and no deleted roast', async () => {
    await using database = await createTestDatabase();
    const [deleted, early, late] = [uuidV7(), uuidV7(), uuidV7()];
    const journals = [createJournalBoard(), createJournalBoard()];
    const [before, after] = journals;
    if (before === undefined || after === undefined) throw new Error('no journals');
    roastOn(before, deleted);
    await using board = createKeepingBoard('H-1', journals);
    {
      await using api = await startWholeApi(database.url, broker.url, { sweep: false });
      const admin = await api.signedIn();
      await admin.send('POST', '/machines', { serial_number: 'H-1', ...form });
      await board.connect(broker.url);
      await until('the first journal', board.isDelivered);
      expect((await admin.send<Roast>('DELETE', `/roasts/${deleted}`)).status).toBe(200);
      roastOn(after, early);
      await board.disconnect();
      await board.connect(broker.url);
      await until('the second roast', board.isDelivered);
      await board.disconnect();
    }
    const copy = `${database.name}_copy`;
    await onServer((sql) => sql`CREATE DATABASE ${sql(copy)} TEMPLATE ${sql(database.name)}`);
    const copyUrl = database.url.replace(database.name, copy);
    let lost: Awaited<ReturnType<typeof delivered>>;
    {
      await using api = await startWholeApi(database.url, broker.url, { sweep: false });
      const third = createJournalBoard();
      roastOn(third, late);
      // An hour later the same stream continues, and a new one begins.
      for (let n = 0; n < 500; n++) after.sample(800_000 + n * 1000, 60, 80, 0);
      await using second = createKeepingBoard('H-2', [third]);
      const admin = await api.signedIn();
      await admin.send('POST', '/machines', { serial_number: 'H-2', ...form });
      await board.connect(broker.url);
      await second.connect(broker.url);
      await until('the hour after the backup', () => board.isDelivered() && second.isDelivered());
      lost = await delivered(api.api.context.sql);
      lost = { ...lost, samples: lost.samples.filter(({ epoch }) => epoch !== third.epoch) };
      await board.disconnect();
    }
    await database.drop();
    const sentBefore = board.sent;
    {
      await using api = await startWholeApi(copyUrl, broker.url, { sweep: false });
      const { sql } = api.api.context;
      await board.connect(broker.url);
      await until('the lost samples', async () => {
        const [row] = await sql<{ n: number }[]>`
          SELECT sum(cardinality(dt_ms)) AS n FROM recording_chunks c JOIN recordings r ON r.id = c.recording_id
          WHERE r.epoch = ${after.epoch}`;
        return row?.n === 720 + 500;
      });
      const restored = await delivered(sql);
      expect(restored.samples).toEqual(lost.samples);
      const ofThird = (id: unknown): boolean => id === late;
      expect(restored.marks).toEqual(lost.marks.filter((mark) => !ofThird(mark['roast_id'])));
      expect(restored.roasts).toEqual(lost.roasts.filter(({ id }) => !ofThird(id)));
      expect(restored.roasts.map(({ id }) => id as string)).toEqual([early]);
      // Boards resend only entries that the backup lacks.
      expect(board.sent - sentBefore).toBeLessThanOrEqual(Math.ceil(500 / 20) + 1);
    }
    await onServer((sql) => sql`DROP DATABASE ${sql(copy)} WITH (FORCE)`);
  });

  it('keeps history sealed for a machine registered again in an empty database until an admin restores it', async () => {
    const journal = createJournalBoard();
    const roastId = uuidV7();
    roastOn(journal, roastId);
    await using board = createKeepingBoard('H-3', [journal]);
    let lost: Awaited<ReturnType<typeof delivered>>;
    {
      await using database = await createTestDatabase();
      await using api = await startWholeApi(database.url, broker.url, { sweep: false });
      await (await api.signedIn()).send('POST', '/machines', { serial_number: 'H-3', ...form });
      await board.connect(broker.url);
      await until('the journal', board.isDelivered);
      await until('the first statement', () => board.statements.length === 1);
      lost = await delivered(api.api.context.sql);
      await board.disconnect();
    }
    await using database = await createTestDatabase();
    await using api = await startWholeApi(database.url, broker.url, { sweep: false });
    const { sql } = api.api.context;
    const admin = await api.signedIn();
    const { body: machine } = await admin.send<{ id: string }>('POST', '/machines', { serial_number: 'H-3', ...form });
    await board.connect(broker.url);
    const device = async () =>
      (await admin.send<{ devices: Device[] }>('GET', '/admin/devices?q=H-3')).body.devices[0] as Device;
    await until('the sealed history', async () => (await device()).sealed_history !== null);
    expect(board.sealed()).toEqual([journal.epoch]);
    expect(await device()).toMatchObject({
      sealed_history: { epochs: [journal.epoch], entries: journal.length },
      warnings: expect.arrayContaining(['history_sealed']),
    });
    expect(await sql`SELECT 1 FROM recordings`).toHaveLength(0);

    const path = `/machines/${machine.id}/history/restore`;
    expect((await admin.send('POST', path, { epochs: ['00000000000000ff'] })).status).toBe(409);
    expect((await admin.send('POST', path, { epochs: [journal.epoch] })).body).toEqual({ streams: 1 });
    await until(
      'the restored journal',
      async () => (await sql`SELECT 1 FROM roasts WHERE status = 'completed'`).length === 1,
    );
    await until('all of it', board.isDelivered);
    expect(await delivered(sql)).toEqual(lost);
    await until('the unsealed status', async () => (await device()).sealed_history === null);
    const [audit] = await sql`SELECT actor, subject, detail FROM audit_log WHERE action = 'history.restored'`;
    expect(audit).toMatchObject({ subject: machine.id, detail: { serial_number: 'H-3', epochs: [journal.epoch] } });
  });

  it('reports deleted, expired and refused entries as held, even after a database loss, except to old agents', async () => {
    await using database = await createTestDatabase();
    await using api = await startWholeApi(database.url, broker.url, { sweep: false });
    const { sql } = api.api.context;
    const admin = await api.signedIn();
    for (const serial of ['H-4', 'H-5']) await admin.send('POST', '/machines', { serial_number: serial, ...form });
    const journal = createJournalBoard();
    for (let n = 0; n < 100; n++) journal.sample(n * 1000, 25, 25, 0);
    await using board = createKeepingBoard('H-4', [journal]);
    await board.connect(broker.url);
    await until('the journal', board.isDelivered);
    await ageSamples(sql);
    expect(await removeOldSamples(sql, sweepRules)).toBeGreaterThan(0);
    await board.disconnect();
    const told = board.statements.length;
    await board.connect(broker.url);
    await until('the statement', () => board.statements.length > told);
    expect(board.statements.at(-1)).toMatchObject({
      epoch: journal.epoch,
      ranges: [[0, 99]],
      through: Number.MAX_SAFE_INTEGER,
      owner: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(board.statements.at(-1)).not.toHaveProperty('restore');

    // All connections of the api are lost, as when the database is replaced.
    const again = board.statements.length;
    const other = openDatabase({ url: database.url, log: silentLog, connections: 1 });
    await other`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await other.end();
    await until('the statement after the loss', () => board.statements.length > again, { timeoutMs: 60_000 });

    await using older = await connectBoard(broker.url, 'H-5');
    const status = { v: 1, online: true, session: 'x', t: fromNow(0), epoch: '00112233445566aa' };
    await older.client.publishAsync('roastery/v1/H-5/status', JSON.stringify(status), { qos: 1, retain: true });
    await until(
      'its status',
      async () => (await sql`SELECT 1 FROM machines WHERE serial_number = 'H-5' AND is_online`).length > 0,
    );
    expect(older.acks).toEqual([]);
  });
});
