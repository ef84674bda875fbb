import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { topicOf } from '@roastery/contract/mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../db/sql.ts';
import { migratedTemplate, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { createTestDatabase } from '@roastery/testing/test-database';
import { connectBoard, startPlainBroker, startWholeApi, type PlainBroker } from '../testing/whole-api.ts';

describe('ingest at several brokers', () => {
  let brokers: readonly [PlainBroker, PlainBroker];
  beforeAll(async () => {
    brokers = [await startPlainBroker(), await startPlainBroker()];
  });
  afterAll(async () => {
    for (const broker of brokers) await broker.close();
  });

  it('acknowledges a batch at the broker it came from, and each entry once when its board has moved', async () => {
    const database = await createTestDatabase(migratedTemplate);
    const sql = openDatabase({ url: database.url, log: silentLog });
    const { id } = await registerMachine(sql, 'MOVES-1');
    const urls = brokers.map(({ url }) => url);
    const env = { MQTT_URLS: urls.join(), BROKER_MANAGEMENT_URLS: 'http://127.0.0.1:9,http://127.0.0.1:9' };
    const api = await startWholeApi(database.url, '', {}, { env });
    await until('both brokers', () => api.api.context.mqtt.links.every(({ isSubscribed }) => isSubscribed));
    expect(await (await fetch(`${api.url}/readyz`)).json()).toMatchObject({ broker: true, brokers_missing: [] });

    const board = createJournalBoard({ channels: ['bean_temp'] });
    for (let n = 0; n < 40; n++) board.sample(5000 + n * 1000, 100 + n);
    const [first, second] = board.batches(() => 20);
    if (first === undefined || second === undefined) throw new Error('two batches');
    await using atOne = await connectBoard(urls[0] ?? '', 'MOVES-1');
    await using atTwo = await connectBoard(urls[1] ?? '', 'MOVES-1');
    await atOne.publish(first);
    await until('the acknowledgement', () => atOne.hasAck(board.epoch, 0));
    expect(atTwo.acks).toEqual([]);
    // It has moved before the acknowledgement arrived, and sends the batch again.
    await atTwo.publish(first);
    await atTwo.publish(second);
    await until('both acknowledgements', () => atTwo.hasAck(board.epoch, 0) && atTwo.hasAck(board.epoch, 39));
    expect(atOne.hasAck(board.epoch, 39)).toBe(false);
    const [stored] = await sql<{ n: number }[]>`SELECT sum(cardinality(dt_ms)) AS n FROM recording_chunks`;
    expect(stored?.n).toBe(40);

    // A config is retained at each broker, with the addresses of all.
    const configs: unknown[] = [];
    for (const { client } of [atOne, atTwo]) {
      client.removeAllListeners('message');
      client.on('message', (_topic, payload) => configs.push(JSON.parse(payload.toString())));
    }
    await sql`UPDATE machines SET config_rev = 3 WHERE id = ${id}`;
    await sql`SELECT pg_notify('configs_owed', ${id})`;
    await until('both configs', async () => {
      for (const { client } of [atOne, atTwo]) await client.subscribeAsync(topicOf('MOVES-1', 'config'), { qos: 1 });
      return configs.length >= 2;
    });
    expect(configs.slice(0, 2)).toEqual([1, 2].map(() => expect.objectContaining({ rev: 3, mqtt_urls: urls })));
    await api.close();
    await sql.end();
    await database.drop();
  });
});
