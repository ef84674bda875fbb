import { allMachines, parseTopic } from '@roastery/contract/mqtt';
import { openCuttableLine } from '@roastery/testing/cuttable-line';
import { until } from '@roastery/testing/until';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMqttLink } from '../broker/link.ts';
import { openDatabase } from '../db/sql.ts';
import { followConfigs } from '../domains/machine-maps/clear-retained.ts';
import { publishConfigs } from '../domains/machine-maps/publish-configs.ts';
import { followPlans } from '../domains/planned/follow-plans.ts';
import { openMigratedDatabase, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { startPlainBroker, type PlainBroker } from '../testing/whole-api.ts';
import { joinInstances } from './instances.ts';
import { ownedShare } from './owned-share.ts';

const serials = Array.from({ length: 40 }, (_, n) => `SHARE-${n}`);

describe('retained messages of machines that several instances share', () => {
  let broker: PlainBroker;
  let watcher: MqttClient;
  /** How often a config and a plan came, by serial number. */
  let came = new Map<string, { config: number; plan: number }>();
  beforeAll(async () => {
    broker = await startPlainBroker();
    watcher = await connectAsync(broker.url);
    watcher.on('message', (topic) => {
      const place = parseTopic(topic);
      if (place?.kind !== 'config' && place?.kind !== 'plan') return;
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
    const share = ownedShare(mqtt, instances.at(mqtt));
    const parts = { sql, mqtt, log: silentLog };
    const stops = [followConfigs(parts, mqtt, share), followPlans(parts, share)];
    return {
      instances,
      line,
      parts,
      leave: () => instances.leave(),
      async [Symbol.asyncDispose](): Promise<void> {
        for (const stop of stops) await stop();
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
  /** The machines whose config came, each as often as it came. */
  const configs = (): string[] =>
    Array.from(came, ([serial, { config }]) => serial.repeat(config))
      .filter(Boolean)
      .toSorted();

  it('are published by the owner alone, after a connect, a change and a take-over', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    for (const serial of serials) await registerMachine(sql, serial);
    await sql`UPDATE machines SET config_rev = 1`;
    const ids = (await sql<{ id: string }[]>`SELECT id FROM machines`).map(({ id }) => id);
    await using one = await start(database.url);
    await until('all', () => serials.every(hasBoth));

    came = new Map();
    const two = await start(database.url);
    try {
      const both = [one, two];
      await until('both', () => both.every(({ instances }) => instances.count === 2));
      const taken = ownedBy(two).toSorted();
      expect(taken.length).toBeGreaterThan(8);
      await until('what the second took over', () => taken.every(hasBoth));
      expect(configs()).toEqual(taken);

      // Plans of a connect may still be on their way.
      await until('each changed plan once', async () => {
        came = new Map();
        await sql`SELECT pg_notify('plans_changed', id) FROM unnest(${ids}::text[]) AS id`;
        await until('the changed plans', () => came.size === serials.length);
        return [...came.values()].every(({ plan }) => plan === 1);
      });
      expect(configs()).toEqual([]);

      came = new Map();
      await two.line.cut();
      await until('the cut', () => !two.parts.mqtt.isConnected);
      await two.line.mend();
      await until('what the second publishes again', () => taken.every(hasBoth));
      expect(configs()).toEqual(taken);

      came = new Map();
      await two.leave();
      await until('what the first took over', () => taken.every(hasBoth));
      expect(configs()).toEqual(taken);
    } finally {
      await two[Symbol.asyncDispose]();
    }
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
