import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Machine, RegisteredMachine } from '@roastery/contract/machines';
import { clientIdOf, topicOf, deviceMayPublish, deviceMaySubscribe } from '@roastery/contract/mqtt';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, testAdmin, testBrokerSecret, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';

const form = { serial_number: 'RM30-001', display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30 };

const allowed = (action: string, topic: string) => ({ permission: 'allow', action, topic });

describe('machines', () => {
  let test: TestApi;
  let admin: Visitor;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  const disconnected: string[] = [];
  const management = createServer((request, response) => {
    disconnected.push(`${request.method} ${request.url} ${String(request.headers['x-broker-secret'])}`);
    response.end('{}');
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      management.listen(0, '127.0.0.1', resolve);
    });
    const { port } = management.address() as AddressInfo;
    database = await createTestDatabase(migratedTemplate);
    test = await startTestApi(database.url, { brokerManagementUrls: [`http://127.0.0.1:${port}`] });
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
  });
  afterAll(async () => {
    await test.close();
    await database.drop();
    management.close();
  });

  const askBroker = async (path: string, body: object): Promise<unknown> =>
    (await test.visitor().send('POST', path, body, { 'x-broker-secret': testBrokerSecret })).body;
  const connects = (serial: string, token: string, clientid = clientIdOf(serial)) =>
    askBroker('/mqtt/auth', { clientid, username: serial, password: token });

  const may = (topic: string, action: 'publish' | 'subscribe') =>
    askBroker('/mqtt/acl', { clientid: clientIdOf('RM30-001'), username: 'RM30-001', topic, action });

  let registered: RegisteredMachine;

  it('are registered with token and pairing code shown once [P61]', async () => {
    const answer = await admin.send<RegisteredMachine>('POST', '/machines', form);
    expect(answer.status).toBe(201);
    registered = answer.body;
    expect(registered.pairing_code).toMatch(/^[B-Z]{4}-[B-Z]{4}-[B-Z]{4}$/);
    expect(registered.connection).toBe('never_connected');
    const stored = JSON.stringify(
      await test.api.context.sql`
      SELECT (SELECT jsonb_agg(c) FROM machine_credentials c) AS c, (SELECT jsonb_agg(t) FROM pairing_tickets t) AS t,
             (SELECT jsonb_agg(a) FROM audit_log a) AS a`,
    );
    expect(stored).not.toContain(registered.auth_token);
    expect(stored).not.toContain(registered.pairing_code);
    const again = await admin.send<Machine>('GET', `/machines/${registered.id}`);
    expect(Object.keys(again.body)).not.toContain('auth_token');
  });

  it('serial number: is unique among machines in use', async () => {
    const answer = await admin.send<{ code: string }>('POST', '/machines', form);
    expect([answer.status, answer.body.code]).toEqual([409, 'already_exists']);
  });

  it('let their board connect with the token and only under its own client id', async () => {
    expect(await connects('RM30-001', registered.auth_token)).toEqual({
      result: 'allow',
      is_superuser: false,
      acl: [
        ...deviceMayPublish.map((kind) => allowed('publish', topicOf('RM30-001', kind))),
        ...deviceMaySubscribe.map((kind) => allowed('subscribe', topicOf('RM30-001', kind))),
      ],
    });
    expect(await connects('RM30-001', registered.auth_token, 'board-other')).toMatchObject({ result: 'deny' });
    expect(await connects('RM30-001', 'wrong')).toMatchObject({ result: 'deny' });
    expect(await connects('RM30-\0', registered.auth_token)).toMatchObject({ result: 'deny' });
  });

  it('let their board use exactly its own topics', async () => {
    expect(await may(topicOf('RM30-001', 'journal'), 'publish')).toEqual({ result: 'allow' });
    expect(await may(topicOf('RM30-001', 'ack'), 'subscribe')).toEqual({ result: 'allow' });
    for (const [topic, action] of [
      [topicOf('RM30-001', 'ack'), 'publish'],
      [topicOf('RM30-001', 'journal'), 'subscribe'],
      [topicOf('RM30-002', 'journal'), 'publish'],
      ['roastery/v1/+/ack', 'subscribe'],
      ['roastery/v1/RM30-001/#', 'subscribe'],
      ['#', 'subscribe'],
      ['$SYS/#', 'subscribe'],
      ['$share/ingest/roastery/v1/+/journal', 'subscribe'],
    ] as const) {
      expect(await may(topic, action), `${action} ${topic}`).toEqual({ result: 'deny' });
    }
  });

  it('device endpoint: returns the machine of a credential', async () => {
    const board = test.visitor();
    const headers = { authorization: `Bearer ${registered.auth_token}`, 'x-machine-serial': 'RM30-001' };
    const answer = await board.send('GET', '/devices/me', undefined, headers);
    expect(answer.body).toMatchObject({ machine_id: registered.id, display_name: 'Big Drum', map: null });
    const wrong = await board.send('GET', '/devices/me', undefined, { ...headers, 'x-machine-serial': 'RM30-002' });
    expect(wrong.status).toBe(401);
  });

  it('are found, sorted and counted [P23]', async () => {
    await admin.send('POST', '/machines', { ...form, serial_number: 'RM7-100%', display_name: 'a small one' });
    const find = async (query: string) => {
      const answer = await admin.send<Machine[]>('GET', `/machines?${query}`);
      return [answer.body.map((machine) => machine.serial_number), answer.headers.get('x-total-count')];
    };
    expect(await find('sort=name')).toEqual([['RM7-100%', 'RM30-001'], '2']);
    expect(await find('sort=oldest&limit=1')).toEqual([['RM30-001'], '2']);
    expect(await find('q=big')).toEqual([['RM30-001'], '1']);
    expect(await find('q=%25')).toEqual([['RM7-100%'], '1']);
    expect((await admin.send('GET', '/machines/totals')).body).toEqual({ machines: 2, roasts: 0, kg_roasted: 0 });
  });

  it('with roasts are archived, their token is invalid immediately and their board disconnected [P68]', async () => {
    const { sql } = test.api.context;
    // In binary figures their sum is 0.30000000000000004.
    await sql`
      INSERT INTO roasts (id, machine_id, owner_id, status, start_time, batch_size_kg)
      SELECT gen_random_uuid(), ${registered.id}, ${registered.owner_id}, 'completed', now(), kg
        FROM unnest(ARRAY[0.1, 0.2]) AS kg`;
    expect((await admin.send<Machine>('GET', `/machines/${registered.id}`)).body.total_kg_roasted).toBe(0.3);
    const answer = await admin.send('DELETE', `/machines/${registered.id}`);
    expect(answer.body).toMatchObject({ archived: true });
    expect(await connects('RM30-001', registered.auth_token)).toMatchObject({ result: 'deny' });
    expect(disconnected).toContain(`DELETE /api/v5/clients/board-RM30-001 ${testBrokerSecret}`);
    expect((await admin.send('DELETE', `/machines/${registered.id}`)).status).toBe(404);
    const totals = await admin.send('GET', '/machines/totals');
    expect(totals.body).toEqual({ machines: 1, roasts: 2, kg_roasted: 0.3 });
    expect((await admin.send('POST', '/machines', form)).status).toBe(201);
  });

  it('without roasts are deleted [P68]', async () => {
    const [small] = (await admin.send<Machine[]>('GET', '/machines?q=small')).body;
    const answer = await admin.send('DELETE', `/machines/${small?.id}`);
    expect(answer.body).toMatchObject({ archived: false });
    expect((await admin.send('GET', `/machines/${small?.id}`)).status).toBe(404);
  });
});
