import { allMachines, memoryTopic, parseTopic, topicOf } from '@roastery/contract/mqtt';
import { openCuttableLine } from '@roastery/testing/cuttable-line';
import { until } from '@roastery/testing/until';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMqttLink } from '../broker/link.ts';
import { rememberingLink } from '../broker/retained.ts';
import { openDatabase, type Database } from '../db/sql.ts';
import { followConfigs } from '../domains/machine-maps/clear-retained.ts';
import { publishConfigs } from '../domains/machine-maps/publish-configs.ts';
import { followPlans } from '../domains/planned/follow-plans.ts';
import { openMigratedDatabase, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { startPlainBroker, type PlainBroker } from '../testing/whole-api.ts';
import { joinInstances } from './instances.ts';
import { ownedShare } from './owned-share.ts';

const serials = Array.from({ length: 40 }, (_, n) => `SHARE-${n}`);
const last = serials.at(-1) ?? '';

describe('retained messages of machines that several instances share', () => {
  let broker: PlainBroker;
  let watcher: MqttClient;
  /** How often a config and a plan came, by serial number. */
  let came = new Map<string, { config: number; plan: number }>();
  beforeAll(async () => {
    broker = await startPlainBroker();
    watcher = await connectAsync(broker.url);
    watcher.on('message', (topic, payload) => {
      if (payload.length === 0) return;
      const place = parseTopic(topic);
      if (!serials.includes(place?.serialNumber ?? '') || (place?.kind !== 'config' && place?.kind !== 'plan')) return;
      const counts = came.get(place.serialNumber) ?? { config: 0, plan: 0 };
      counts[place.kind] += 1;
      came.set(place.serialNumber, counts);
    });
    await watcher.subscribeAsync([allMachines('config'), allMachines('plan')], { qos: 1 });
  });
  afterAll(async () => {
    await watcher.endAsync();
    await broker.close();
  });

  const start = async (databaseUrl: string) => {
    const line = await openCuttableLine(Number(new URL(broker.url).port));
    const sql = openDatabase({ url: databaseUrl, log: silentLog });
    const mqtt = openMqttLink({ url: `mqtt://127.0.0.1:${line.port}`, secret: 'none', log: silentLog });
    const instances = joinInstances({ sql, links: [mqtt], log: silentLog });
    const parts = { sql, mqtt, log: silentLog };
    const remembering = rememberingLink(parts, mqtt);
    const share = ownedShare(remembering, instances.at(mqtt));
    const stops = [followConfigs(parts, mqtt, share), followPlans(parts, share)];
    return {
      instances,
      line,
      parts,
      leave: () => instances.leave(),
      async [Symbol.asyncDispose](): Promise<void> {
        for (const stop of stops) await stop();
        await remembering.close();
        await instances.close();
        await mqtt.close();
        await sql.end();
        await line[Symbol.asyncDispose]();
      },
    };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  const ownedBy = ({ instances, parts }: Started): string[] =>
    serials.filter((serial) => instances.at(parts.mqtt).division?.owns(serial));
  const hasBoth = (serial: string): boolean => {
    const { config, plan } = came.get(serial) ?? { config: 0, plan: 0 };
    return config > 0 && plan > 0;
  };
  /** Another config and another plan. */
  const change = async (sql: Database, serial: string): Promise<void> => {
    await sql`UPDATE machines SET config_rev = config_rev + 1 WHERE serial_number = ${serial}`;
    await sql`
      INSERT INTO planned_roasts (id, machine_id, created_by, batch_size_kg)
      SELECT gen_random_uuid(), id, owner_id, 12 FROM machines WHERE serial_number = ${serial}`;
  };
  /** The connection goes and comes back; with a change in between, which is compared after all other machines. */
  const reconnect = async ({ line, parts: { sql, mqtt } }: Started, inBetween: () => Promise<void>): Promise<void> => {
    await line.cut();
    await until('the cut', () => !mqtt.isConnected);
    await inBetween();
    await change(sql, last);
    came = new Map();
    await line.mend();
    await until('the change', () => hasBoth(last));
  };
  const once = (of: readonly string[]): Map<string, object> =>
    new Map(of.map((serial) => [serial, { config: 1, plan: 1 }]));
  const openRoastery = async () => {
    const database = await openMigratedDatabase();
    for (const serial of serials) await registerMachine(database.sql, serial);
    await database.sql`UPDATE machines SET config_rev = 1`;
    came = new Map();
    return database;
  };

  it('are published once: at a change, and after a connect only what has changed', async () => {
    await using database = await openRoastery();
    await using one = await start(database.url);
    await until('all', () => serials.every(hasBoth));
    expect(came).toEqual(once(serials));
    await reconnect(one, () => Promise.resolve());
    expect(came).toEqual(once([last]));
  });

  it('are published again, once, where a broker has lost what it retained', async () => {
    await using database = await openRoastery();
    await using one = await start(database.url);
    await until('all', () => serials.every(hasBoth));
    await reconnect(one, async () => {
      const topics = serials.flatMap((serial) => [topicOf(serial, 'config'), topicOf(serial, 'plan')]);
      for (const topic of [memoryTopic, ...topics]) await watcher.publishAsync(topic, '', { qos: 1, retain: true });
    });
    expect(came).toEqual(once(serials));
    await reconnect(one, () => Promise.resolve());
    expect(came).toEqual(once([last]));
  });

  it('are published from a database that does not let its user read where it comes from', async () => {
    await using database = await openRoastery();
    const { sql } = database;
    // As `REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC` does, for which one must own the function.
    await sql.unsafe(`
      CREATE SCHEMA refused;
      CREATE FUNCTION refused.pg_control_system() RETURNS TABLE (system_identifier bigint) LANGUAGE sql AS 'SELECT 1::bigint';
      REVOKE EXECUTE ON FUNCTION refused.pg_control_system() FROM PUBLIC, CURRENT_USER;
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = refused, public, pg_catalog', current_database());
      END $$`);
    await using one = await start(database.url);
    await until('all', () => serials.every(hasBoth));
    expect(came).toEqual(once(serials));
    await reconnect(one, () => Promise.resolve());
    expect(came).toEqual(once([last]));
  });

  it('are published by one instance at a change, and by none when the instances change', async () => {
    await using database = await openRoastery();
    const { sql } = database;
    await using one = await start(database.url);
    await until('all', () => serials.every(hasBoth));
    const two = await start(database.url);
    try {
      came = new Map();
      await until('both', () => [one, two].every(({ instances }) => instances.count === 2));
      const taken = ownedBy(two);
      expect(taken.length).toBeGreaterThan(8);
      const changeAll = async (): Promise<void> => {
        for (const serial of serials) await change(sql, serial);
        const rows = await sql<{ id: string }[]>`SELECT id FROM machines`;
        await publishConfigs(
          one.parts,
          rows.map(({ id }) => id),
        );
        await until('the changes', () => serials.every(hasBoth));
        expect(came).toEqual(once(serials));
      };
      await changeAll();
      came = new Map();
      await two.leave();
      await changeAll();
    } finally {
      await two[Symbol.asyncDispose]();
    }
    await reconnect(one, () => Promise.resolve());
    expect(came).toEqual(once([last]));
  });

  it('are published by the owner when the instance that stored a config has no broker', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    for (const serial of serials) await registerMachine(sql, serial);
    await using one = await start(database.url);
    await using two = await start(database.url);
    await until('both', () => [one, two].every(({ instances }) => instances.count === 2));
    const [owned = ''] = ownedBy(one);
    await two.line.cut();
    await until('the cut', () => !two.parts.mqtt.isConnected);
    came = new Map();
    const rows = await sql<{ id: string }[]>`
      UPDATE machines SET config_rev = 7 WHERE serial_number = ${owned} RETURNING id`;
    await publishConfigs(
      two.parts,
      rows.map(({ id }) => id),
    );
    await expect.poll(() => came.get(owned)?.config, { timeout: 20_000 }).toBe(1);
  });
});
