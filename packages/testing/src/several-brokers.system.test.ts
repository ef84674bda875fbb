import { join } from 'node:path';
import { revokeCredential } from '@roastery/contract/fleet';
import { serviceUserName, statusShape, topicOf, type DeviceStatus } from '@roastery/contract/mqtt';
import { parseJson, parseOrThrow } from '@roastery/contract/parse-shape';
import { brokersInOrder } from '@roastery/device-agent/uplink/broker-choice';
import { freePort } from '@roastery/stack/ports';
import type { ServersEnvironment } from '@roastery/stack/stack';
import type { SupervisedProcess } from '@roastery/stack/supervised-process';
import { connectAsync } from 'mqtt';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readDelivered } from './endurance/delivered.ts';
import { keepJournal } from './endurance/kept-journal.ts';
import { registerTestMachine, signIn } from './roastery-client.ts';
import { killProgram, startProgram } from './start-program.ts';
import { startTestStack } from './test-stack.ts';
import { until, untilHttpOk } from './until.ts';

const patience = { timeoutMs: 90_000 };
const serial = 'MOVES-1';
const markShape = z.object({
  roast_id: z.string(),
  kind: z.string(),
  at_seq: z.coerce.number(),
  event_seq: z.coerce.number(),
});

interface RunningBroker {
  readonly url: string;
  readonly process: SupervisedProcess;
}

/** Two brokers side by side, and two apis that divide the machines; the first one has the address of the stack. */
const openRoastery = async () => {
  const brokers: RunningBroker[] = [];
  const apis: { url: string; process: SupervisedProcess }[] = [];
  let secret = '';
  const servers = {
    async start({ broker, api }: ServersEnvironment) {
      secret = broker['BROKER_SECRET'] ?? '';
      const ports = [Number(broker['MQTT_PORT']), await freePort()];
      const management = [Number(broker['MANAGEMENT_PORT']), await freePort()];
      for (const [n, port] of ports.entries()) {
        const own = { MQTT_PORT: String(port), MANAGEMENT_PORT: String(management[n]) };
        const url = `mqtt://127.0.0.1:${port}`;
        brokers.push({ url, process: startProgram('broker', { ...broker, ...own }) });
      }
      const env = {
        ...api,
        MQTT_URLS: brokers.map(({ url }) => url).join(),
        MQTT_PUBLIC_URLS: brokers.map(({ url }) => url).join(),
        BROKER_MANAGEMENT_URLS: management.map((port) => `http://127.0.0.1:${port}`).join(),
        MQTT_SHARED_INGEST: 'true',
      };
      for (const port of [Number(api['PORT']), await freePort()])
        apis.push({
          url: `http://127.0.0.1:${port}`,
          process: startProgram('api', { ...env, PORT: String(port) }),
        });
      return {
        close: async (): Promise<void> => {
          await Promise.all(apis.map(({ process }) => process.stop(3000)));
          await Promise.all(brokers.map(({ process }) => process.stop(1000)));
        },
      };
    },
  };
  const stack = await startTestStack({ servers });
  for (const { url } of apis) await untilHttpOk(`${url}/readyz`, patience);
  return { stack, brokers, apis, secret, [Symbol.asyncDispose]: () => stack.close() };
};

/** The statuses of a board that this broker keeps. */
const keptStatuses = async ({ url }: RunningBroker, secret: string) => {
  const statuses: DeviceStatus[] = [];
  const client = await connectAsync(url, {
    username: serviceUserName,
    password: secret,
    clientId: `api-${url.slice(-5)}`,
  });
  client.on('message', (_topic, payload) => {
    const { data } = parseJson(statusShape, payload.toString());
    if (data !== undefined) statuses.push(data);
  });
  await client.subscribeAsync(topicOf(serial, 'status'), { qos: 1 });
  return { newest: () => statuses.at(-1), [Symbol.asyncDispose]: () => client.endAsync(true) };
};

it('a board in a roast loses and doubles nothing when its broker is killed and the next one hangs, and is revoked where it is', async () => {
  await using roastery = await openRoastery();
  const { stack, brokers, apis, secret } = roastery;
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  const client = await signIn(stack.url, stack.admin);
  const { id, auth_token: token } = await registerTestMachine(client, serial);
  const machine = await stack.startMachine({ serial, token, timeFactor: 16, agentEnvironment: { MQTT_URL: '' } });
  const kept = await keepJournal(join(machine.journalDir, 'journal'), join(stack.folder, 'kept'));
  const stored = async (): Promise<number> =>
    (await sql<{ n: number }[]>`SELECT coalesce(sum(cardinality(dt_ms)), 0)::int AS n FROM recording_chunks`)[0]?.n ??
    0;
  const untilMore = async (words: string): Promise<void> => {
    const before = await stored();
    await until(words, async () => (await stored()) > before + 10, patience);
  };
  const stateNow = async () =>
    (
      await sql<{ is_online: boolean; count: number }[]>`
      SELECT is_online, (status -> 'connection' ->> 'count')::int AS count FROM machines WHERE id = ${id}`
    )[0];
  const untilAt = async (broker: RunningBroker): Promise<void> => {
    await using statuses = await keptStatuses(broker, secret);
    await until(
      `the board at ${broker.url}`,
      async () => {
        const newest = statuses.newest();
        return newest?.online === true && newest.connection?.count === (await stateNow())?.count;
      },
      patience,
    );
  };
  const urls = brokersInOrder(
    serial,
    brokers.map(({ url }) => url),
  );
  const [first, second] = urls.flatMap((url) => brokers.filter((broker) => broker.url === url));
  if (first === undefined || second === undefined) throw new Error('two brokers');
  await untilMore('the first samples');

  await untilAt(first);
  await killProgram(first.process, patience);
  await untilMore('samples after the death of its broker');
  await untilAt(second);

  second.process.kill('SIGSTOP');
  await untilMore('samples while the other broker hangs');
  await untilAt(first);
  const moved = await stateNow();

  // The broker that it left wakes up, and says that the board is offline, to apis that have and that have not known it.
  second.process.kill('SIGCONT');
  await using former = await keptStatuses(second, secret);
  await until('the last will', () => former.newest()?.online === false, patience);
  await apis[1]?.process.restart();
  for (const { url } of apis) await untilHttpOk(`${url}/readyz`, patience);
  await untilMore('samples after the return of the broker');
  expect(await stateNow()).toEqual({ is_online: true, count: moved?.count });

  await until('the end of the roast', async () => (await readDelivered(stack.databaseUrl)).roasts.length > 0, patience);
  await client.call(revokeCredential, { params: { id } });
  await until('the end of its connection', async () => (await stateNow())?.is_online === false, patience);
  await machine.stop();
  await kept.stop();
  const delivered = await readDelivered(stack.databaseUrl);
  await sql.end();
  expect([delivered.epochs.length, delivered.doubled]).toEqual([1, 0]);

  const last = Math.max(...Array.from(delivered.samples.keys(), (key) => Number(key.split('/')[1])));
  const entries = await kept.entries();
  const samples = [...entries.values()].filter(({ kind, seq }) => kind === 'sample' && seq <= last);
  expect(samples.filter(({ seq }) => !delivered.samples.has(`${delivered.epochs[0]}/${seq}`))).toEqual([]);
  expect(delivered.samples.size).toBe(samples.length);
  const marks = delivered.marks.map((text) => parseOrThrow(markShape, JSON.parse(text)));
  expect(marks.length).toBeGreaterThanOrEqual(3);
  for (const { event_seq: seq, ...mark } of marks)
    expect(entries.get(seq)).toMatchObject({ event: { type: 'mark', ...mark } });
});
