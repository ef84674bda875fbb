import { once } from 'node:events';
import { createJournalBoard, type JournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { topicOf } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, describe, expect, it } from 'vitest';
import type { Database } from '../db/sql.ts';
import { openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import { BatchWriter } from './batch-writer.ts';

const boards = 40;
const samplesEach = 20;

/** The warnings of a logger as objects. */
const collectingLog = () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('test', 'silent');
  log.warn = (fields: object, msg?: string) => void lines.push({ ...fields, msg });
  return { log, lines };
};

const storedSamples = async (sql: Database): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`SELECT coalesce(sum(cardinality(dt_ms)), 0) AS n FROM recording_chunks`;
  return row?.n ?? 0;
};

describe('ingest on a slow database', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  const fortyBoards = async () => {
    const database = await openMigratedDatabase();
    closing.push(() => database[Symbol.asyncDispose]());
    const { sql } = database;
    const { log, lines } = collectingLog();
    const acknowledged = new Set<string>();
    const clock = createVirtualClock();
    const writer = new BatchWriter({
      sql,
      log,
      clock,
      stalledMs: 1000,
      onDropped: () => undefined,
      onCommitted: ({ acknowledgements }) => {
        for (const { serialNumber } of acknowledgements) acknowledged.add(serialNumber);
      },
    });
    closing.push(() => writer.close());
    const sent: JournalBoard[] = [];
    for (let n = 0; n < boards; n++) {
      await registerMachine(sql, `S-${n}`);
      const board = createJournalBoard();
      for (let at = 0; at < samplesEach; at++) board.sample(at * 250, 100, 150, 50);
      sent.push(board);
    }
    const send = (): void => {
      for (const [n, board] of sent.entries()) {
        for (const batch of board.batches()) {
          const payload = Buffer.from(JSON.stringify(batch));
          const serialNumber = `S-${n}`;
          writer.add({ topic: topicOf(serialNumber, 'journal'), serialNumber, payload, receivedAtMs: clock.now() });
        }
      }
    };
    return { sql, writer, lines, acknowledged, sent, send, clock };
  };

  it('halves a transaction that takes too long until it passes, and names the slow statement', async () => {
    const { sql, writer, lines, acknowledged, send } = await fortyBoards();
    // As if each row took half a second: forty boards at once take longer than any statement may.
    await sql.unsafe(`
      CREATE FUNCTION time_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM added) * interval '0.5 s' > current_setting('statement_timeout')::interval THEN
          RAISE query_canceled;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER time_out AFTER INSERT ON recording_chunks REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION time_out();`);
    send();
    await until('every row', async () => (await storedSamples(sql)) === boards * samplesEach);
    await until('every acknowledgement', () => acknowledged.size === boards);
    expect(lines.find(({ msg }) => msg === 'ingest transaction failed')).toMatchObject({
      statement: expect.stringContaining('INSERT INTO recording_chunks'),
      err: { code: '57014' },
    });
    expect(writer.progress().isStalled).toBe(false);
    expect(writer.progress()).toMatchObject({ oldestWaitingSeconds: 0, queuedBytes: 0, parkedMachines: 0 });
    expect(await sql`SELECT 1 FROM quarantine`).toHaveLength(0);
  });

  it('parks the machine whose stream is locked and stores all others; its rows land after the lock', async () => {
    const { sql, writer, sent, acknowledged, send, clock } = await fortyBoards();
    const stuck = sent[17];
    if (stuck === undefined) throw new Error('no board');
    await sql`
      INSERT INTO recordings (id, machine_id, epoch, source)
      SELECT gen_random_uuid(), id, ${stuck.epoch}, 'agent' FROM machines WHERE serial_number = 'S-17'`;
    const release = new AbortController();
    const released = once(release.signal, 'abort');
    const held = sql.begin(async (tx) => {
      await tx`SELECT set_config('idle_in_transaction_session_timeout', '0', true)`;
      await tx`SELECT 1 FROM recordings WHERE epoch = ${stuck.epoch} FOR UPDATE`;
      send();
      await released;
    });
    await until('the rows of all others', async () => (await storedSamples(sql)) === (boards - 1) * samplesEach, {
      timeoutMs: 60_000,
    });
    await until('the parked machine', () => writer.progress().parkedMachines === 1, { timeoutMs: 60_000 });
    expect(acknowledged.has('S-17')).toBe(false);
    release.abort();
    await held;
    await until(
      'the rows of the parked one',
      clock.passing(() => acknowledged.has('S-17')),
    );
    expect(await storedSamples(sql)).toBe(boards * samplesEach);
    expect(writer.progress()).toMatchObject({ queuedBytes: 0, parkedMachines: 0 });
  });

  it('waits for no stream that another transaction is storing, and stores its entries afterwards', async () => {
    const { sql, writer, sent, acknowledged, send, lines } = await fortyBoards();
    const busy = ['S-3', 'S-17', 'S-31'];
    await sql`
      INSERT INTO recordings (id, machine_id, epoch, source)
      SELECT gen_random_uuid(), m.id, epoch, 'agent'
      FROM unnest(${sent.map((_, n) => `S-${n}`)}::text[], ${sent.map(({ epoch }) => epoch)}::text[])
        AS s (serial_number, epoch) JOIN machines m USING (serial_number)
      WHERE serial_number = ANY(${busy}::text[])`;
    await sql.begin(async (tx) => {
      await tx`SELECT 1 FROM recordings FOR UPDATE`;
      send();
      await until('the rows of all others', async () => (await storedSamples(sql)) === (boards - 3) * samplesEach);
      expect(busy.filter((serial) => acknowledged.has(serial))).toEqual([]);
    });
    await until('every acknowledgement', () => acknowledged.size === boards);
    expect(await storedSamples(sql)).toBe(boards * samplesEach);
    expect(lines.filter(({ msg }) => msg === 'ingest transaction failed')).toEqual([]);
    expect(writer.progress()).toMatchObject({ queuedBytes: 0, parkedMachines: 0 });
  });

  it('is stalled from the first message that a full disk refuses until one is stored again', async () => {
    const { sql, writer, acknowledged, send, clock } = await fortyBoards();
    await sql.unsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE disk_full;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON recording_chunks EXECUTE FUNCTION refuse();`);
    send();
    // No time passes on the clock.
    await until('the full disk to be noticed', () => writer.progress().isStalled);
    await sql`DROP TRIGGER refuse ON recording_chunks`;
    await until(
      'every acknowledgement',
      clock.passing(() => acknowledged.size === boards),
    );
    expect(writer.progress().isStalled).toBe(false);
    expect(await storedSamples(sql)).toBe(boards * samplesEach);
  });

  it('quarantines nothing because of a server error', async () => {
    const { sql, writer, acknowledged, send, clock } = await fortyBoards();
    // As while a backup is restored over it.
    await sql`ALTER TABLE recording_chunks RENAME TO elsewhere`;
    send();
    await until('the trouble to be noticed', () => writer.progress().parkedMachines > 0);
    expect(acknowledged.size).toBe(0);
    await clock.advance(1001);
    expect(writer.progress().isStalled).toBe(true);
    await sql`ALTER TABLE elsewhere RENAME TO recording_chunks`;
    await until(
      'every acknowledgement',
      clock.passing(() => acknowledged.size === boards),
    );
    expect(await storedSamples(sql)).toBe(boards * samplesEach);
    expect(await sql`SELECT 1 FROM quarantine`).toHaveLength(0);
  });
});
