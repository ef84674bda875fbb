import { ackShape, allMachines, type Ack, type DeviceStatus, topicOf } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { until } from '@roastery/testing/until';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { subscribeAll, type MqttChannel } from '../../broker/channel.ts';
import { openMqttLinks } from '../../broker/links.ts';
import { openDatabase, type Database } from '../../db/sql.ts';
import { openMigratedDatabase, registerMachine, silentLog } from '../../testing/ingest-fixture.ts';
import { startPlainBroker, type PlainBroker } from '../../testing/whole-api.ts';
import { followStatuses } from './follow-statuses.ts';
import { fromNow } from '../../testing/present.ts';

const isOnline = async (sql: Database, serial: string): Promise<boolean> =>
  (await sql`SELECT 1 FROM machines WHERE serial_number = ${serial} AND is_online`).length === 1;
const stateOf = async (sql: Database) => {
  const [state] = await sql<{ is_online: boolean; status_session: string; count: string | null }[]>`
    SELECT is_online, status_session, status -> 'connection' ->> 'count' AS count
    FROM machines WHERE serial_number = 'S-1'`;
  return state;
};
/** The next updates of machines fail with this code of Postgres. */
const failUpdates = (sql: Database, code: string, count: number) =>
  sql.unsafe(`
    CREATE SEQUENCE tried;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('tried') <= ${count} THEN RAISE EXCEPTION 'on purpose' USING ERRCODE = '${code}'; END IF;
      RETURN NEW; END $$;
    CREATE TRIGGER fail BEFORE UPDATE ON machines FOR EACH ROW EXECUTE FUNCTION fail();`);

describe('statuses of boards', () => {
  let broker: PlainBroker;
  let mqtt: MqttChannel;
  let boards: MqttClient;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    broker = await startPlainBroker();
    mqtt = openMqttLinks({ urls: [broker.url], secret: 'none', log: silentLog });
    await until('the broker link', () => mqtt.isConnected);
  });
  beforeEach(async () => {
    boards = await connectAsync(broker.url);
    closing.push(() => boards.endAsync());
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(async () => {
    await mqtt.close();
    await broker.close();
  });

  const openTwoMachines = async (): Promise<{ sql: Database; url: string }> => {
    const database = await openMigratedDatabase();
    closing.push(() => database[Symbol.asyncDispose]());
    for (const serial of ['S-1', 'S-2']) await registerMachine(database.sql, serial);
    return database;
  };
  /** Returns the warnings. */
  const follow = async (sql: Database): Promise<object[]> => {
    const warnings: object[] = [];
    const log = createLogger('test', 'silent');
    log.warn = (fields: object, msg?: string) => void warnings.push({ ...fields, msg });
    const before = broker.subscriptionsTo(allMachines('status'));
    closing.push(followStatuses({ sql, mqtt, log, subscribe: subscribeAll(mqtt) }));
    await until('the subscription', () => broker.subscriptionsTo(allMachines('status')) > before);
    return warnings;
  };
  const publish = (serial: string, status: Partial<DeviceStatus>, retain: boolean) =>
    boards.publishAsync(
      topicOf(serial, 'status'),
      JSON.stringify({ v: 1, online: true, session: 'one', t: fromNow(0), ...status }),
      { qos: 1, retain },
    );
  const says = (serial: string, status: Partial<DeviceStatus> = {}) => publish(serial, status, false);
  const keep = (serial: string, status: Partial<DeviceStatus>) => publish(serial, status, true);
  /** Statuses are stored in order: when this one is, those before it were considered. */
  const untilAllStored = async (sql: Database, t: number): Promise<void> => {
    await says('S-2', { t });
    await until('the last status', async () => {
      const rows = await sql`SELECT 1 FROM machines WHERE serial_number = 'S-2' AND (status ->> 't')::bigint = ${t}`;
      return rows.length === 1;
    });
  };

  it('are stored again after a deadlock with another transaction', async () => {
    const { sql } = await openTwoMachines();
    await failUpdates(sql, '40P01', 2);
    const warnings = await follow(sql);
    await says('S-1');
    await until('the status', () => isOnline(sql, 'S-1'));
    expect(warnings).toEqual([]);
  });

  it('store since when a machine does not answer, until it answers again', async () => {
    const { sql } = await openTwoMachines();
    await follow(sql);
    const silentSince = async () => {
      const [row] = await sql<{ silent_since: string | null; is_online: boolean }[]>`
        SELECT silent_since, is_online FROM machines WHERE serial_number = 'S-1'`;
      return row;
    };
    await says('S-1', { machine_link: 'failing', machine_link_detail: 'no answer' });
    await until('the silence', async () => typeof (await silentSince())?.silent_since === 'string');
    const first = (await silentSince())?.silent_since;
    await says('S-1', { machine_link: 'failing', machine_link_detail: 'still none', clock_synced: true });
    await says('S-1', { online: false });
    await until('the board to be offline', async () => (await silentSince())?.is_online === false);
    expect((await silentSince())?.silent_since).toBe(first);
    await says('S-1', { machine_link: 'ok' });
    await until('the answer', async () => (await silentSince())?.silent_since === null);
    expect((await silentSince())?.is_online).toBe(true);
  });

  it('wait while the database is unavailable, the newest of each board, and are answered then', async () => {
    const { sql } = await openTwoMachines();
    const acks: Ack[] = [];
    boards.on('message', (_topic, payload) => acks.push(ackShape.parse(JSON.parse(payload.toString()))));
    await boards.subscribeAsync(topicOf('S-1', 'ack'), { qos: 1 });
    await failUpdates(sql, '57P03', 4);
    const warnings = await follow(sql);
    const epoch = 'a'.repeat(16);
    await says('S-1', { agent_version: '1.0.0' });
    const stream = { epoch, entries: 10, bytes: 100, from: null, to: null, sealed: false };
    await says('S-1', { agent_version: '2.0.0', history: [stream] });
    await says('S-2');
    await until('both boards', async () => (await isOnline(sql, 'S-1')) && (await isOnline(sql, 'S-2')));
    await until('the answer', () => acks.some((ack) => ack.epoch === epoch));
    const [row] = await sql`SELECT status->>'agent_version' AS version FROM machines WHERE serial_number = 'S-1'`;
    expect(row).toEqual({ version: '2.0.0' });
    expect(warnings).toEqual([expect.objectContaining({ msg: 'statuses wait for the database', boards: 1, more: 0 })]);
  });

  it('of other boards are stored while the row of one is locked', async () => {
    const { sql, url } = await openTwoMachines();
    const impatient = openDatabase({ url, log: silentLog, statementTimeoutMs: 300 });
    closing.push(() => impatient.end());
    await follow(impatient);
    await sql.begin(async (tx) => {
      await tx`SELECT 1 FROM machines WHERE serial_number = 'S-1' FOR UPDATE`;
      await says('S-1');
      await says('S-2');
      await expect.poll(() => isOnline(sql, 'S-2')).toBe(true);
      expect(await isOnline(sql, 'S-1')).toBe(false);
    });
    await expect.poll(() => isOnline(sql, 'S-1')).toBe(true);
  });

  it('with a newer config than the database raise its revision above theirs', async () => {
    const { sql } = await openTwoMachines();
    await sql`UPDATE machines SET config_rev = 5`;
    await follow(sql);
    await says('S-1', { config: { rev: 9, state: 'running' } });
    await says('S-2', { config: { rev: 5, state: 'running' } });
    await until('both boards', async () => (await isOnline(sql, 'S-1')) && (await isOnline(sql, 'S-2')));
    const revisions = () => sql`SELECT config_rev FROM machines ORDER BY serial_number`;
    await expect.poll(async () => [...(await revisions())]).toEqual([{ config_rev: 10 }, { config_rev: 5 }]);
  });

  describe('that a broker keeps which the board has left', () => {
    const run = { instance: 'a'.repeat(16) };
    const of = (count: number, more: Partial<DeviceStatus> = {}): Partial<DeviceStatus> => ({
      ...run,
      session: `session ${count}`,
      connection: { run: 7, count },
      ...more,
    });
    afterEach(() => boards.publishAsync(topicOf('S-1', 'status'), '', { qos: 1, retain: true }));

    it.each([
      ['another run', { instance: 'b'.repeat(16), connection: { run: 8, count: 1 } }],
      ['the same run', {}],
    ])('change nothing after a newer connection of %s, online or not', async (_words, newer) => {
      const { sql } = await openTwoMachines();
      await sql`UPDATE machines SET is_online = true, status_session = 'session 2', last_seen_at = now(),
        status = ${sql.json({ v: 1, online: true, session: 'session 2', t: 1, ...of(2), ...newer })}
        WHERE serial_number = 'S-1'`;
      await keep('S-1', of(1));
      await follow(sql);
      await untilAllStored(sql, 1);
      expect(await stateOf(sql)).toMatchObject({ is_online: true, status_session: 'session 2' });
      await keep('S-1', of(1, { online: false }));
      await untilAllStored(sql, 2);
      expect(await stateOf(sql)).toMatchObject({ is_online: true, status_session: 'session 2' });
    });

    it('make a board offline that was newer than what is known, and an older online does not undo it', async () => {
      const { sql } = await openTwoMachines();
      await follow(sql);
      await says('S-1', of(1));
      await untilAllStored(sql, 1);
      await says('S-1', of(3, { online: false }));
      await untilAllStored(sql, 2);
      expect(await stateOf(sql)).toEqual({ is_online: false, status_session: 'session 3', count: '3' });
      await says('S-1', of(2));
      await untilAllStored(sql, 3);
      expect(await stateOf(sql)).toEqual({ is_online: false, status_session: 'session 3', count: '3' });
    });

    it('count as before for agents that name no order, and for another board with the same credential', async () => {
      const { sql } = await openTwoMachines();
      await follow(sql);
      await says('S-1', of(2));
      await untilAllStored(sql, 1);
      await says('S-1', { session: 'of an earlier version' });
      await untilAllStored(sql, 2);
      expect(await stateOf(sql)).toEqual({ is_online: true, status_session: 'of an earlier version', count: null });
      await says('S-1', of(2));
      await says(
        'S-1',
        of(1, { instance: 'c'.repeat(16), connection: { run: 6, count: 1 }, session: 'another board' }),
      );
      await untilAllStored(sql, 3);
      expect(await stateOf(sql)).toMatchObject({ is_online: true, status_session: 'another board' });
    });
  });
});
