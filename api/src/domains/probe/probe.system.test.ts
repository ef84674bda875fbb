import { topicOf } from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import { probeRequestShape, type ProbeRequest } from '@roastery/contract/probe';
import { until } from '@roastery/testing/until';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from '../../testing/whole-api.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let broker: PlainBroker;
let api: WholeApi;
let admin: Visitor;
let board: MqttClient;
const asked: ProbeRequest[] = [];
const link = { kind: 'tcp', host: '192.168.0.20', port: 502 } as const;
const wish = { units: [1], tables: ['holding'], from: 0, count: 8, usual_places: false };

beforeAll(async () => {
  database = await openMigratedDatabase();
  broker = await startPlainBroker();
  api = await startWholeApi(database.url, broker.url);
  admin = await api.signedIn();
  board = await connectAsync(broker.url);
  board.on('message', (_topic, payload) => {
    const { data } = parseJson(probeRequestShape, payload.toString());
    if (data !== undefined) asked.push(data);
  });
});
afterAll(async () => {
  await board.endAsync();
  await api.close();
  await broker.close();
  await database[Symbol.asyncDispose]();
});

/** A machine whose board is online and last sent `status`. */
const machineThatSays = async (serialNumber: string, status: object): Promise<string> => {
  const { sql } = database;
  const { id } = await registerMachine(sql, serialNumber);
  const whole = { v: 1, online: true, session: 's', t: 1, ...status };
  await sql`UPDATE machines SET status = ${sql.json(whole)}, is_online = true, last_seen_at = now() WHERE id = ${id}`;
  await board.subscribeAsync(topicOf(serialNumber, 'probe'), { qos: 1 });
  return id;
};
const noMap = { machine_link: 'starting', machine_link_detail: 'no machine map' };

it('probe: requires the line for a board without a map, and sends it to the board', async () => {
  const id = await machineThatSays('PROBE-1', noMap);
  const refused = await admin.send<{ detail: string }>('POST', `/machines/${id}/probe`, wish);
  expect(refused.status).toBe(409);
  expect(refused.body.detail).toMatch(/has no machine map yet\. Enter the machine’s address/);
  const { body } = await admin.send<{ lacks_map: boolean }>('GET', `/machines/${id}`);
  expect(body.lacks_map).toBe(true);

  expect((await admin.send('POST', `/machines/${id}/probe`, { ...wish, link })).status).toBe(202);
  expect((await admin.send('POST', `/machines/${id}/probe/find`, { unit: 3, link })).status).toBe(202);
  await until('both requests', () => asked.length === 2);
  expect(asked).toMatchObject([
    { do: 'look', wish, link },
    { do: 'find', unit: 3, link },
  ]);
});

it('probe: sends no line to a board with a map, which may refuse unknown fields', async () => {
  asked.length = 0;
  const id = await machineThatSays('PROBE-2', { map: { id: 'rm30', rev: 1 }, machine_link: 'ok' });
  expect((await admin.send('POST', `/machines/${id}/probe`, { ...wish, link })).status).toBe(202);
  await until('the request', () => asked.length === 1);
  expect(asked[0]).not.toHaveProperty('link');
  expect((await admin.send<{ lacks_map: boolean }>('GET', `/machines/${id}`)).body.lacks_map).toBe(false);
});

it('probe stream: ends when its machine is deleted, before another owner can register the number', async () => {
  const id = await machineThatSays('PROBE-3', noMap);
  const answer = await fetch(`${api.url}/api/v1/machines/${id}/probe`, {
    headers: { cookie: admin.cookie ?? '' },
  });
  expect(answer.status).toBe(200);
  let ended = false;
  const read = (async () => {
    for await (const _ of answer.body ?? []);
    ended = true;
  })();
  expect((await admin.send('DELETE', `/machines/${id}`)).status).toBe(200);
  await registerMachine(database.sql, 'PROBE-3');
  await until('the end of the stream', () => ended, { timeoutMs: 60_000 });
  await read;
});
