import { allMachines, deviceMayPublish, topicOf } from '@roastery/contract/mqtt';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import {
  connectBoard,
  startPlainBroker,
  startWholeApi,
  type PlainBroker,
  type WholeApi,
} from '../testing/whole-api.ts';

/** Values that a board may send under any name: JavaScript's own property names, and endless nesting. */
const hostile = [
  '{"length":{"toString":1}}',
  '{"length":-1}',
  '{"toString":1,"valueOf":1}',
  '{"constructor":{"prototype":1}}',
  '{"__proto__":{"length":{"toString":1}}}',
  '{"then":1,"toJSON":1}',
  '1e400',
  '-0',
  '"\\u0000"',
  '"\\ud800"',
  'null',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
];

describe('hostile messages', () => {
  let broker: PlainBroker;
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let api: WholeApi;
  beforeAll(async () => {
    broker = await startPlainBroker();
    database = await openMigratedDatabase();
    api = await startWholeApi(database.url, broker.url);
    await until('ingest to listen', () => broker.subscriptionsTo(allMachines('journal')) > 0);
  });
  afterAll(async () => {
    await api.close();
    await database[Symbol.asyncDispose]();
    await broker.close();
  });

  it('ingest: quarantines and acknowledges a batch whose check throws, and stores the next batch', async () => {
    await registerMachine(database.sql, 'H-1');
    await using wire = await connectBoard(broker.url, 'H-1');
    const board = createJournalBoard();
    for (let n = 0; n < 40; n++) board.sample(n * 250, 100, 150, 50);
    const [bad, good] = board.batches();
    if (bad === undefined || good === undefined) throw new Error('no batches');
    const text = JSON.stringify({ ...bad, dt: 0 }).replace('"dt":0', '"dt":{"length":{"toString":1}}');
    await wire.publishRaw(Buffer.from(text));
    await wire.publish(good);
    await until('both acknowledgements', () => wire.hasAck(board.epoch, bad.seq) && wire.hasAck(board.epoch, good.seq));
    const rows = await database.sql<{ reason: string }[]>`SELECT reason FROM quarantine WHERE serial_number = 'H-1'`;
    expect(rows).toEqual([{ reason: 'value: has a value that cannot be checked' }]);
  });

  it.each([
    ['NUL', '\\u0000'],
    ['half a character', '\\ud83d'],
  ])('status: is stored with a text that contains %s', async (name, escape) => {
    const serial = `H-${name}`;
    await registerMachine(database.sql, serial);
    await using wire = await connectBoard(broker.url, serial);
    const status = `{"v":1,"online":true,"session":"s","t":1,"machine_link":"failing","machine_link_detail":"cut ${escape}"}`;
    await wire.client.publishAsync(topicOf(serial, 'status'), status, { qos: 1 });
    const stored = await until('the status', async () => {
      const [row] = await database.sql<{ is_online: boolean; detail: string | null }[]>`
        SELECT is_online, status->>'machine_link_detail' AS detail FROM machines WHERE serial_number = ${serial}`;
      return row?.is_online === true && row.detail;
    });
    expect(stored).toBe('cut \uFFFD');
  });

  it('ingest: continues after every hostile value in every field of every topic, also with an open live stream', async () => {
    const { id, owner } = await registerMachine(database.sql, 'H-2');
    const admin = await api.signedIn();
    const me = await admin.send<{ id: string }>('GET', '/auth/me');
    await database.sql`UPDATE machines SET owner_id = ${me.body.id} WHERE id = ${id} AND owner_id = ${owner}`;
    const watching = new AbortController();
    const headers = { cookie: admin.cookie ?? '' };
    const streams = await Promise.all(
      ['live', 'probe'].map((name) =>
        fetch(`${api.url}/api/v1/machines/${id}/${name}`, { headers, signal: watching.signal }),
      ),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await until('live to listen', () => broker.subscriptionsTo(topicOf('H-2', 'live')) > 0);

    await using wire = await connectBoard(broker.url, 'H-2');
    const fields = ['v', 'k', 'epoch', 'seq', 'boot', 'synced', 't', 'mono', 'map', 'dt', 'ch', 's', 'ev', 'id', 'do'];
    const more = ['online', 'session', 'agent', 'values', 'ranges', 'plans', 'blocks', 'type', 'length', '__proto__'];
    const board = createJournalBoard();
    for (let n = 0; n < 20; n++) board.sample(n * 250, 100, 150, 50);
    const [batch] = board.batches();
    for (const kind of deviceMayPublish) {
      for (const value of hostile) {
        await wire.client.publishAsync(topicOf('H-2', kind), value, { qos: 1 });
        for (const field of [...fields, ...more]) {
          const rest = JSON.stringify({ ...batch, v: 1, k: 'samples', online: true, session: 's', [field]: undefined });
          const text = `${rest.slice(0, -1)},${JSON.stringify(field)}:${value}}`;
          await wire.client.publishAsync(topicOf('H-2', kind), text, { qos: 1 });
        }
      }
    }
    const after = createJournalBoard();
    for (let n = 0; n < 20; n++) after.sample(n * 250, 100, 150, 50);
    for (const good of after.batches()) await wire.publish(good);
    await until('the good batch after all the others', () => wire.hasAck(after.epoch, 19), { timeoutMs: 60_000 });
    expect((await admin.send('GET', '/machines')).status).toBe(200);
    watching.abort();
  });
});
