import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiBasePath, type Endpoint } from '@roastery/contract/endpoint';
import { endpoints } from '@roastery/contract/endpoints';
import { serviceUserName } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from './db/sql.ts';
import { commitMessages } from './ingest/store-batch.ts';
import { addMachine, addRoast } from './testing/example-data.ts';
import { examplePassword, exampleRequests, fileRequestOf } from './testing/example-requests.ts';
import { migratedTemplate, messageOf, roastOn } from './testing/ingest-fixture.ts';
import { testAdmin, testBrokerSecret } from './testing/test-api.ts';
import { startPlainBroker, startWholeApi, type PlainBroker, type WholeApi } from './testing/whole-api.ts';

/** Endpoints that change something on success, by their method. */
const unsafe = endpoints.filter(({ method }) => method !== 'GET');

/** The only unsafe endpoints without their own audit row, and why. */
const exceptions: Readonly<Record<string, string>> = {
  updatePreferences: 'how one person sees the portal',
  setRoastFavorite: 'a person’s own bookmark',
  toggleProfileFavorite: 'a person’s own bookmark',
  dismissAlert: 'hides a notice, changes no stock',
  confirmPinLocks: 'hides a notice; the locks have rows of their own',
  dismissMachineDrift: 'hides a notice, changes no machine',
  dismissMapUpdate: 'hides a notice, changes no map',
  showMapUpdate: 'shows a notice again, changes no map',
  acknowledgeAlarm: 'who acknowledged an alarm, and when, is kept with it',
  stopProbe: 'ends what startProbe left a row about, by reading alone',
  checkMachineFiles: 'a question of a board',
  mqttAuth: 'a question of the broker; a refused one leaves a row',
  mqttAcl: 'a question of the broker',
};

/** A roast of a board with its recording, owned by this user. */
const addRecordedRoast = async (sql: Sql & WholeApi['api']['context']['sql'], ownerId: string) => {
  const machineId = await addMachine(sql, ownerId);
  const board = createJournalBoard({ wallOffsetMs: Date.parse('2026-11-21T07:00:00.000Z') });
  const id = uuidV7();
  roastOn(board, id);
  for (const batch of board.batches(() => 600)) await commitMessages(sql, [messageOf(`SN-${machineId}`, batch)]);
  return { id, machineId };
};

describe('the audit log', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let broker: PlainBroker;
  let whole: WholeApi;
  let packages: string;
  let adminId: string;
  let counter = 0;
  beforeAll(async () => {
    [database, broker] = await Promise.all([createTestDatabase(migratedTemplate), startPlainBroker()]);
    packages = await mkdtemp(join(tmpdir(), 'audit-packages-'));
    const repository = { version: '1.0.0', fingerprints: ['A'.repeat(40)], packages: [] };
    await writeFile(join(packages, 'repository.json'), JSON.stringify(repository));
    whole = await startWholeApi(database.url, broker.url, { sweep: false }, { env: { PACKAGES_DIR: packages } });
    await until('the broker', () => whole.api.context.mqtt.isConnected);
    const [admin] = await whole.api.context.sql<{ id: string }[]>`SELECT id FROM users WHERE is_admin`;
    adminId = admin?.id ?? '';
  });
  afterAll(async () => {
    await whole.close();
    await broker.close();
    await database.drop();
    await rm(packages, { recursive: true });
  });

  interface Call {
    readonly params?: Record<string, string>;
    readonly body?: object;
    readonly headers?: Record<string, string>;
  }
  const sqlOf = () => whole.api.context.sql;
  const onlineMachine = async (): Promise<Record<string, string>> => {
    const id = await addMachine(sqlOf(), adminId);
    await sqlOf()`UPDATE machines SET is_online = true, last_seen_at = now() WHERE id = ${id}`;
    return { id };
  };
  /** The id of a machine whose board accepts update orders. */
  const readyBoard = async (): Promise<string> => {
    const id = await addMachine(sqlOf(), adminId);
    const status = { v: 1, online: true, session: 's', t: 1, agent_version: '0.9.0', order: null };
    await sqlOf()`UPDATE machines SET status = ${sqlOf().json(status)} WHERE id = ${id}`;
    return id;
  };
  const weighedRoast = async (): Promise<string> => {
    const id = await addRoast(sqlOf(), adminId);
    await sqlOf()`UPDATE roasts SET end_weight_kg = 10 WHERE id = ${id}`;
    return id;
  };
  const blend = async () => ({ name: `Blend ${counter}`, components: [{ roast_id: await weighedRoast(), kg: 3 }] });

  const splittableRoast = async () => {
    const { id } = await addRecordedRoast(sqlOf(), adminId);
    const [row] = await sqlOf()<{ start_time: string }[]>`SELECT start_time FROM roasts WHERE id = ${id}`;
    return { params: { id }, body: { at: new Date(Date.parse(row?.start_time ?? '') + 300_000).toISOString() } };
  };

  /** The headers of a board with its own credential. */
  const asBoard = async (): Promise<Call> => {
    const id = await addMachine(sqlOf(), adminId);
    const visitor = await whole.signedIn();
    const { body } = await visitor.send<{ auth_token: string; serial_number: string }>(
      'POST',
      `/machines/${id}/credential/rotate`,
      { overlap_hours: 0 },
    );
    return { headers: { authorization: `Bearer ${body.auth_token}`, 'x-machine-serial': body.serial_number } };
  };

  const prepared: Readonly<Record<string, () => Promise<Call>>> = {
    login: async () => ({ body: { email: 'audit@example.com', password: examplePassword } }),
    changePassword: async () => ({ body: { current_password: examplePassword, new_password: `${examplePassword} 2` } }),
    startProbe: async () => ({ params: await onlineMachine() }),
    findProbeLine: async () => ({ params: await onlineMachine() }),
    putMark: async () => ({ params: { id: (await addRecordedRoast(sqlOf(), adminId)).id, kind: 'first_crack' } }),
    deleteMark: async () => {
      const { id } = await addRecordedRoast(sqlOf(), adminId);
      await (await whole.signedIn()).send('PUT', `/roasts/${id}/marks/first_crack`, { time_seconds: 400 });
      return { params: { id, kind: 'first_crack' } };
    },
    makeRoast: async () => {
      const { id, machineId } = await addRecordedRoast(sqlOf(), adminId);
      const [row] = await sqlOf()<{ start_time: string }[]>`SELECT start_time FROM roasts WHERE id = ${id}`;
      await (await whole.signedIn()).send('DELETE', `/roasts/${id}`);
      const at = Date.parse(row?.start_time ?? '');
      const instant = (seconds: number) => new Date(at + seconds * 1000).toISOString();
      return { params: { id: machineId }, body: { charge_at: instant(0), drop_at: instant(500) } };
    },
    splitRoast: () => splittableRoast(),
    mergeRoasts: async () => {
      const { params, body } = await splittableRoast();
      const visitor = await whole.signedIn();
      const split = await visitor.send<{ second: { id: string } }>('POST', `/roasts/${params.id}/split`, body);
      return { params, body: { with: split.body.second.id } };
    },
    importLots: async () => ({
      body: {
        csv: `lot_number,coffee_name,origin,initial_weight\nA-${counter},Sidamo,Ethiopia,60\n`,
        dry_run: false,
      },
    }),
    mqttAuth: async () => ({
      body: { clientid: 'api-audit', username: serviceUserName, password: testBrokerSecret },
    }),
    createBlend: async () => ({ body: await blend() }),
    updateBlend: async () => ({
      params: { id: (await (await whole.signedIn()).send<{ id: string }>('POST', '/blends', await blend())).body.id },
      body: await blend(),
    }),
    openWall: async () => ({
      body: {
        token: (
          await (await whole.signedIn()).send<{ token: string }>('POST', '/admin/wall-links', { name: 'Roasting room' })
        ).body.token,
      },
    }),
    setPin: async () => ({ body: { pin: '2468', current_password: testAdmin.password } }),
    setRoaster: async () => ({ params: { id: await addMachine(sqlOf(), adminId) }, body: { user_id: adminId } }),
    planRoast: async () => ({ body: { machine_id: await addMachine(sqlOf(), adminId), batch_size_kg: 12 } }),
    pairDevice: async () => {
      const id = await addMachine(sqlOf(), adminId);
      const ticket = await (
        await whole.signedIn()
      ).send<{ pairing_code: string }>('POST', `/machines/${id}/pairing-ticket`);
      const body = exampleRequests['pairDevice']?.body?.('x');
      return { body: { ...body, code: ticket.body.pairing_code } };
    },
    revokeOwnCredential: () => asBoard(),
    sendMachineFile: () => asBoard(),
    checkMachineFiles: () => asBoard(),
    orderBoardUpdates: async () => {
      await readyBoard();
      return {};
    },
    withdrawBoardUpdates: async () => {
      const id = await readyBoard();
      const order = { id, version: '1.0.0', at: new Date().toISOString(), by: 'Audited' };
      await sqlOf()`UPDATE machines SET board_order = ${sqlOf().json(order)} WHERE id = ${id}`;
      return {};
    },
    restoreHistory: async () => {
      const id = await addMachine(sqlOf(), adminId);
      const [epoch, n] = ['0123456789abcdef', 5];
      const history = [{ epoch, entries: n, bytes: n, from: null, to: null, sealed: true }];
      const status = { v: 1, online: true, session: 's', t: 1, history };
      await sqlOf()`UPDATE machines SET status = ${sqlOf().json(status)} WHERE id = ${id}`;
      return { params: { id }, body: { epochs: [epoch] } };
    },
  };
  /** Endpoints that cannot succeed in this test. */
  const neverSucceeds: Readonly<Record<string, string>> = {
    sendTestMail: 'there is no mail server; it leaves a row before it sends',
  };

  const call = async (endpoint: Endpoint): Promise<number> => {
    counter += 1;
    const example = exampleRequests[endpoint.name] ?? {};
    const made = (await prepared[endpoint.name]?.()) ?? {};
    const params = made.params ?? (await example.params?.(sqlOf(), adminId)) ?? {};
    const body = made.body ?? example.body?.(`audit-${counter}`) ?? {};
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'missing');
    const query = new URLSearchParams(example.query ?? {}).toString();
    const files = fileRequestOf(endpoint, example);
    // Its own session: some of these calls end the session that makes them.
    const visitor = await whole.signedIn();
    const [before] = await sqlOf()<{ n: number }[]>`SELECT count(*) AS n FROM audit_log`;
    rowsBefore = before?.n ?? 0;
    const answer = await fetch(`${whole.url}${apiBasePath}${path}${query === '' ? '' : `?${query}`}`, {
      method: endpoint.method,
      headers: {
        ...(endpoint.access === 'broker' ? { 'x-broker-secret': testBrokerSecret } : {}),
        ...(visitor.cookie === undefined ? {} : { cookie: visitor.cookie }),
        ...(endpoint.body ? { 'content-type': 'application/json' } : {}),
        ...files.headers,
        ...made.headers,
      },
      ...(endpoint.body ? { body: JSON.stringify(body) } : {}),
      ...(files.body === undefined ? {} : { body: files.body }),
    });
    const text = await answer.text();
    if (!answer.ok && neverSucceeds[endpoint.name] === undefined) throw new Error(`${answer.status}: ${text}`);
    return answer.status;
  };
  let rowsBefore = 0;

  beforeAll(async () => {
    const visitor = await whole.signedIn();
    const account = { full_name: 'Audited', email: 'audit@example.com', password: examplePassword };
    await visitor.send('POST', '/admin/users', account);
  });

  // Last: earlier calls sign in with the password that it changes.
  const last = unsafe.filter(({ name }) => name === 'changePassword');
  it.each(
    [...unsafe.filter((one) => !last.includes(one)), ...last].map((endpoint) => ({ endpoint, name: endpoint.name })),
  )('$name leaves a row when it succeeds', async ({ endpoint, name }) => {
    const status = await (name === 'changePassword' ? changeOwnPassword(endpoint) : call(endpoint));
    if (neverSucceeds[name] !== undefined) return;
    expect(status).toBeLessThan(300);
    const [after] = await sqlOf()<{ n: number }[]>`SELECT count(*) AS n FROM audit_log`;
    const rows = (after?.n ?? 0) - rowsBefore;
    // An exception that writes rows is no longer an exception.
    expect(rows > 0).toBe(exceptions[name] === undefined);
  });

  /** Uses a session of the account whose password is known. */
  const changeOwnPassword = async ({ method, path }: Endpoint): Promise<number> => {
    const person = await whole.signedIn('audit@example.com', examplePassword);
    const [before] = await sqlOf()<{ n: number }[]>`SELECT count(*) AS n FROM audit_log`;
    rowsBefore = before?.n ?? 0;
    const made = await prepared['changePassword']?.();
    return (await person.send(method, path, made?.body)).status;
  };

  it('lists only existing endpoints as exceptions', () => {
    const names = new Set(unsafe.map(({ name }) => name));
    expect(Object.keys({ ...exceptions, ...neverSucceeds, ...prepared }).filter((name) => !names.has(name))).toEqual(
      [],
    );
  });
});
