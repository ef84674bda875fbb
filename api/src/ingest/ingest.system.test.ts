import { gzipSync } from 'node:zlib';
import { allMachines, topicOf } from '@roastery/contract/mqtt';
import { plansShape, type Plans } from '@roastery/contract/roast-plan';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { uuidV7 } from '@roastery/runtime/uuid';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { connectAsync } from 'mqtt';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MqttChannel } from '../broker/channel.ts';
import { openMqttLinks } from '../broker/links.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase, type Database } from '../db/sql.ts';
import { createHealth } from '../http/server-context.ts';
import { openMigratedDatabase, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { presentClock } from '../testing/present.ts';
import { connectBoard, startPlainBroker, type PlainBroker } from '../testing/whole-api.ts';
import { type Ingest, startIngest } from './ingest.ts';

describe('ingest over MQTT', () => {
  let broker: PlainBroker;
  let mqtt: MqttChannel;
  beforeAll(async () => {
    broker = await startPlainBroker();
    mqtt = openMqttLinks({ urls: [broker.url], secret: 'none', log: silentLog });
    await until('the broker link', () => mqtt.isConnected);
  });
  afterAll(async () => {
    await mqtt.close();
    await broker.close();
  });

  const listening = async (sql: Database, metrics = new Registry(), clock: Clock = realClock): Promise<Ingest> => {
    const before = broker.subscriptionsTo(allMachines('journal'));
    const ingest = startIngest({ sql, mqtt, log: silentLog, clock, metrics, health: createHealth() }, { sweep: false });
    await until('ingest to listen', () => broker.subscriptionsTo(allMachines('journal')) > before);
    return ingest;
  };

  it('acknowledges an unreadable message at once and stores the next batch', async () => {
    await using database = await openMigratedDatabase();
    await registerMachine(database.sql, 'P-1');
    const metrics = new Registry();
    const ingest = await listening(database.sql, metrics);
    await using wire = await connectBoard(broker.url, 'P-1');
    const board = createJournalBoard();
    for (let n = 0; n < 40; n++) board.sample(n * 250, 100, 150, 50);
    const [bad, good] = board.batches();
    if (bad === undefined || good === undefined) throw new Error('no batches');
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    await wire.publishRaw(Buffer.from('{"k":"samples"'));
    await wire.publishRaw(bomb);
    await wire.publishRaw(Buffer.from([0x1f, 0x8b, 1, 2, 3]));
    await wire.publishRaw(Buffer.from(JSON.stringify({ ...bad, boot: 'NOT A BOOT' })));
    await wire.publishRaw(gzipSync(JSON.stringify(good)));
    await until('the good batch', () => wire.hasAck(board.epoch, 39), { everyMs: 5 });
    await until('the refused batch', () => wire.hasAck(board.epoch, 0), { everyMs: 5 });
    const reasons = await database.sql<{ reason: string }[]>`SELECT reason FROM quarantine`;
    expect(reasons.map((row) => row.reason.split(':')[0]).toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
      'boot',
      'damaged gzip',
      'not JSON',
      'unpacks to more than 4 MB',
    ]);
    const [stored] = await database.sql<{ n: number }[]>`SELECT sum(cardinality(dt_ms)) AS n FROM recording_chunks`;
    expect(stored?.n).toBe(20);
    expect(await metrics.getSingleMetricAsString('ingest_quarantined_total')).toContain('ingest_quarantined_total 4');
    await ingest.close();
  });

  it('merges the acknowledgements of a roast until the board says that it leaves', async () => {
    await using database = await openMigratedDatabase();
    await registerMachine(database.sql, 'P-7');
    const clock = presentClock();
    // The second acknowledgement is sent with four batches.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.9);
    const ingest = await listening(database.sql, new Registry(), clock);
    await using wire = await connectBoard(broker.url, 'P-7');
    const board = createJournalBoard();
    const send = async (): Promise<void> => {
      const seq = board.sample(board.length * 1000, 100, 150, 50);
      for (const batch of board.batches(() => 1, seq)) await wire.publish(batch);
      await until('the sample', async () => (await database.sql`SELECT 1 FROM recording_chunks`).length > seq);
      clock.pass(1000);
    };
    await send();
    await until('the first acknowledgement', () => wire.hasAck(board.epoch, 0));
    for (let second = 0; second < 3; second++) await send();
    expect(wire.acks).toHaveLength(1);
    const status = { v: 1, online: false, session: 'a session', t: clock.now(), epoch: board.epoch };
    await wire.client.publishAsync(topicOf('P-7', 'status'), JSON.stringify(status), { qos: 1 });
    await until('the last acknowledgement', () => wire.hasAck(board.epoch, 3));
    expect(wire.acks).toHaveLength(2);
    random.mockRestore();
    await ingest.close();
  });

  it('quarantines only the batch that Postgres refuses, and stores the others of its transaction', async () => {
    await using database = await openMigratedDatabase();
    await registerMachine(database.sql, 'P-2');
    // A possible future defect: a constraint that one batch violates.
    await database.sql`ALTER TABLE recording_chunks ADD CONSTRAINT not_that CHECK (first_seq <> 20)`;
    const ingest = await listening(database.sql);
    await using wire = await connectBoard(broker.url, 'P-2');
    const boards = Array.from({ length: 8 }, () => createJournalBoard());
    const [first] = boards;
    for (const [index, board] of boards.entries()) {
      // Only the first board has a batch that begins with sequence number 20; events keep chunks from being joined.
      for (let n = 0; n < 20; n++) board.sample(n * 250, 100, 150, 50);
      if (index > 0) board.event(5000, { type: 'start', agent_version: '1.0.0' });
      for (let n = 20; n < 40; n++) board.sample(n * 250, 100, 150, 50);
    }
    const two = first?.batches()[1];
    if (two === undefined) throw new Error('no batches');
    await wire.publish(two);
    await Promise.all(boards.slice(1).flatMap((board) => board.batches().map((batch) => wire.publish(batch))));
    for (const board of boards) await until('every batch', () => wire.hasAck(board.epoch, board.length - 1));
    const rows = await database.sql<{ reason: string }[]>`SELECT reason FROM quarantine`;
    expect(rows).toHaveLength(1);
    expect(rows[0]?.reason).toContain('could not be stored');
    const [stored] = await database.sql<{ n: number }[]>`SELECT sum(cardinality(dt_ms)) AS n FROM recording_chunks`;
    expect(stored?.n).toBe(7 * 40);
    await ingest.close();
  });

  it('acknowledges nothing while Postgres is unavailable, and everything after its return', async () => {
    await using server = await startTestPostgres();
    const sql = openDatabase({ url: server.url, log: silentLog, connections: 3 });
    await migrate(sql, silentLog);
    await registerMachine(sql, 'P-3');
    const ingest = await listening(sql);
    await using wire = await connectBoard(broker.url, 'P-3');
    const board = createJournalBoard();
    for (let n = 0; n < 60; n++) board.sample(n * 250, 100, 150, 50);
    const batches = board.batches(() => 10);
    // A transaction that is cut off half way must leave nothing behind.
    await sql.unsafe(`
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER die BEFORE UPDATE ON recordings FOR EACH ROW EXECUTE FUNCTION die();`);
    for (const batch of batches) await wire.publish(batch);
    await until('the loss to be noticed', () => !ingest.isHealthy, { timeoutMs: 60_000 });
    const second = openDatabase({ url: server.url, log: silentLog, connections: 1 });
    expect(await second`SELECT 1 FROM recording_chunks`).toHaveLength(0);
    expect(wire.acks).toEqual([]);
    await second`DROP TRIGGER die ON recordings`;
    await until('all acknowledgements', () => wire.hasAck(board.epoch, 0) && wire.hasAck(board.epoch, 59), {
      timeoutMs: 120_000,
    });
    const [stored] = await second<{ n: number }[]>`SELECT sum(cardinality(dt_ms)) AS n FROM recording_chunks`;
    expect(stored?.n).toBe(60);
    await ingest.close();
    await Promise.all([sql.end(), second.end()]);
  });

  it('updates last_seen_at of a machine whose key another flush holds', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const { id } = await registerMachine(sql, 'P-5');
    const ingest = await listening(sql);
    await using wire = await connectBoard(broker.url, 'P-5');
    const board = createJournalBoard();
    board.sample(0, 100, 150, 50);
    await sql.begin(async (tx) => {
      await tx`SELECT 1 FROM machines WHERE id = ${id} FOR KEY SHARE`;
      for (const batch of board.batches()) await wire.publish(batch);
      const seen = () => sql`SELECT 1 FROM machines WHERE id = ${id} AND last_seen_at IS NOT NULL`;
      await expect.poll(async () => (await seen()).length, { timeout: 10_000 }).toBe(1);
    });
    await ingest.close();
  });

  it('publishes plans that changed while the connection to the database was lost', async () => {
    await using database = await openMigratedDatabase();
    const { id, owner } = await registerMachine(database.sql, 'P-4');
    const ingest = await listening(database.sql);
    const board = await connectAsync(broker.url);
    let told: Plans | undefined;
    board.on('message', (_topic, payload) => (told = plansShape.parse(JSON.parse(payload.toString()))));
    await board.subscribeAsync(topicOf('P-4', 'plan'), { qos: 1 });
    const planId = uuidV7();
    await database.sql`
      INSERT INTO planned_roasts (id, machine_id, created_by, batch_size_kg) VALUES (${planId}, ${id}, ${owner}, 12)`;
    await until('the plan', () => told?.plans[0]?.id === planId);
    // The listening connection is lost just before the plan is cancelled.
    await database.sql.begin(async (tx) => {
      await tx`UPDATE planned_roasts SET cancelled_at = now() WHERE id = ${planId}`;
      const gone = await tx`
        SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity
         WHERE datname = current_database() AND query ILIKE 'listen%'`;
      expect(gone.length).toBeGreaterThan(0);
    });
    await until('its end', () => told?.plans.length === 0);
    await board.endAsync();
    await ingest.close();
  });
});
