import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { clientIdOf, topicOf } from '@roastery/contract/mqtt';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../api/src/config.ts';
import { openTestApi, testBrokerSecret } from '../api/src/testing/test-api.ts';
import { readHocon } from './hocon.ts';
import { read } from './program-files.ts';

const questionShape = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.record(z.string(), z.string()),
});
const settings = parseOrThrow(
  z.object({
    authentication: z.tuple([questionShape]),
    authorization: z.object({ sources: z.tuple([questionShape]) }),
  }),
  readHocon(read('brokers', 'emqx.conf')),
);
type Question = z.infer<typeof questionShape>;

/** The used part of EMQX's API: closes the connection of a client, for callers with an API key. */
const startEmqxApi = async (key: string, connected: ReadonlySet<string>) => {
  const server = createServer((request, response) => {
    const [, clientId = ''] = /^\/api\/v5\/clients\/([^/]+)$/.exec(request.url ?? '') ?? [];
    const isKnown = request.headers.authorization === `Basic ${Buffer.from(key).toString('base64')}`;
    const status = isKnown ? (connected.has(clientId) && request.method === 'DELETE' ? 204 : 404) : 401;
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

const headersFor = (key: string) =>
  readConfig({
    DATABASE_URL: 'postgres://localhost/roastery',
    BROKER_SECRET: testBrokerSecret,
    SECRET_KEY: 'x'.repeat(32),
    BROKER_MANAGEMENT_KEY: key,
  }).brokerManagementHeaders;

it('EMQX: the api answers the requests of emqx.conf in its shapes, and revokes by EMQX’s API with an API key', async () => {
  const emqx = await startEmqxApi('key:secret', new Set([clientIdOf('RM30-1')]));
  const opened = await openTestApi({
    brokerManagementUrls: [emqx.url],
    brokerManagementHeaders: headersFor('key:secret'),
  });
  const { test, admin } = opened;
  const form = { display_name: 'Drum', machine_type: 'RM30', max_capacity_kg: 30 };
  const register = async (serial: string) =>
    (await admin.send<RegisteredMachine>('POST', '/machines', { ...form, serial_number: serial })).body;
  const machine = await register('RM30-1');
  const never = await register('RM30-2');

  /** Requests as EMQX sends them: `${name}` stands for the client's value. */
  const ask = async ({ url, headers, body }: Question, client: Record<string, string>): Promise<unknown> => {
    const filled = Object.entries(body).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{(\w+)\}/g, (_, key: string) => client[key] ?? 'undefined'),
    ]);
    const own = Object.entries(headers).map(([name, text]) => [name, text.replace('BROKER_SECRET', testBrokerSecret)]);
    const answer = await fetch(`${test.url}${new URL(url).pathname}`, {
      method: 'POST',
      headers: Object.fromEntries(own) as Record<string, string>,
      body: JSON.stringify(Object.fromEntries(filled)),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    return answer.json();
  };
  const board = { clientid: clientIdOf('RM30-1'), username: 'RM30-1', password: machine.auth_token };
  const [authentication] = settings.authentication;
  const [authorization] = settings.authorization.sources;
  expect(await ask(authentication, board)).toMatchObject({
    result: 'allow',
    is_superuser: false,
    acl: expect.arrayContaining([{ permission: 'allow', action: 'publish', topic: topicOf('RM30-1', 'journal') }]),
  });
  expect(await ask(authentication, { ...board, password: 'wrong' })).toMatchObject({ result: 'deny' });
  const journal = { ...board, action: 'publish', topic: topicOf('RM30-1', 'journal') };
  expect(await ask(authorization, journal)).toEqual({ result: 'allow' });
  expect(await ask(authorization, { ...journal, topic: topicOf('RM30-2', 'journal') })).toEqual({ result: 'deny' });

  const revoke = async ({ id }: { id: string }) => (await admin.send('DELETE', `/machines/${id}/credential`)).body;
  expect(await revoke(machine)).toMatchObject({ credentials: 1, disconnected: true });
  expect(await revoke(never)).toMatchObject({ credentials: 1, disconnected: false });
  expect(await ask(authentication, board)).toMatchObject({ result: 'deny' });
  expect(test.log()).not.toContain('broker disconnect refused');
  await opened.close();
  emqx.close();
});
