import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IssuedTicket, PairingTicket } from '@roastery/contract/fleet';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { clientIdOf } from '@roastery/contract/mqtt';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPairingCode } from '../../identity/pairing-tickets.ts';
import { startTestApi, testAdmin, testBrokerSecret, type TestApi } from '../../testing/test-api.ts';
import type { Answered, Visitor } from '../../testing/visitor.ts';
import { endOverlaps } from './end-overlaps.ts';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';

let test: TestApi;
let admin: Visitor;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
const disconnected: string[] = [];
const management = createServer((request, response) => {
  disconnected.push(decodeURIComponent(request.url?.split('/').at(-1) ?? ''));
  response.end('{}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    management.listen(0, '127.0.0.1', resolve);
  });
  const { port } = management.address() as AddressInfo;
  database = await createTestDatabase(migratedTemplate);
  // Behind one proxy, so that boards of many addresses can be simulated.
  test = await startTestApi(database.url, { brokerManagementUrls: [`http://127.0.0.1:${port}`], trustedProxies: 1 });
  admin = await test.signedIn(testAdmin.email, testAdmin.password);
});
afterAll(async () => {
  await test.close();
  await database.drop();
  management.close();
});
beforeEach(async () => {
  await test.api.context.sql`DELETE FROM sign_in_limits`;
  await test.api.context.sql`DELETE FROM audit_log`;
  disconnected.length = 0;
});

let registered = 0;
const register = async (): Promise<RegisteredMachine> => {
  registered += 1;
  const form = { display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30 };
  return (await admin.send<RegisteredMachine>('POST', '/machines', { ...form, serial_number: `RM30-${registered}` }))
    .body;
};
const newSecret = () => {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: createHash('sha256').update(token).digest('hex') };
};
interface Refusal {
  detail: string;
  code: string;
}
const pair = <T = Refusal>(code: string, hash: string, from = '10.0.0.1'): Promise<Answered<T>> =>
  test
    .visitor()
    .send<T>(
      'POST',
      '/devices/pair',
      { code, secret_hash: hash, hardware_id: 'pi-1000', agent_version: '0.1.0' },
      { 'x-forwarded-for': from },
    );
const connects = async (serial: string, token: string): Promise<boolean> => {
  const body = { clientid: clientIdOf(serial), username: serial, password: token };
  const answer = await test
    .visitor()
    .send<{ result: string }>('POST', '/mqtt/auth', body, { 'x-broker-secret': testBrokerSecret });
  return answer.body.result === 'allow';
};
const actions = async (): Promise<string[]> => {
  const rows = await test.api.context.sql<{ action: string; reason: string | null }[]>`
    SELECT action, detail->>'reason' AS reason FROM audit_log
     WHERE action ~ '^(pairing|credential)' ORDER BY at, id`;
  return rows.map(({ action, reason }) => (reason === null ? action : `${action}: ${reason}`));
};
const standing = async (machineId: string): Promise<number> => {
  const rows = await test.api.context.sql`
    SELECT 1 FROM machine_credentials
     WHERE machine_id = ${machineId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  return rows.length;
};
const callHome = (serial: string, token: string) =>
  test
    .visitor()
    .send('GET', '/devices/me', undefined, { authorization: `Bearer ${token}`, 'x-machine-serial': serial });

describe('pairing', () => {
  it('exchanges a ticket for a credential in place of the token shown at registration', async () => {
    const machine = await register();
    const secret = newSecret();
    expect(await connects(machine.serial_number, machine.auth_token)).toBe(true);
    const answer = await pair<object>(`PAIR-${machine.pairing_code}`, secret.hash);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      machine_id: machine.id,
      serial_number: machine.serial_number,
      display_name: 'Big Drum',
      mqtt_url: 'mqtt://127.0.0.1:9',
    });
    expect(await connects(machine.serial_number, secret.token)).toBe(true);
    expect(await connects(machine.serial_number, machine.auth_token)).toBe(false);
    expect(disconnected).toEqual([clientIdOf(machine.serial_number)]);
    const state = async () =>
      (await admin.send<{ ticket: PairingTicket }>('GET', `/machines/${machine.id}/pairing`)).body.ticket;
    expect(await state()).toMatchObject({ state: 'paired', redeemed_from: '10.0.0.1', hardware_id: 'pi-1000' });
    expect((await callHome(machine.serial_number, secret.token)).status).toBe(200);
    await callHome(machine.serial_number, secret.token);
    expect(await state()).toMatchObject({ state: 'confirmed' });
    expect(await actions()).toEqual(['pairing.issued', 'pairing.redeemed', 'pairing.confirmed']);
  });

  it('repeats a lost answer to the same board for a quarter of an hour, with one valid credential', async () => {
    const { sql } = test.api.context;
    const machine = await register();
    const secret = newSecret();
    const first = await pair<object>(machine.pairing_code, secret.hash);
    const again = await pair<object>(machine.pairing_code.toLowerCase(), secret.hash);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await standing(machine.id)).toBe(1);
    expect((await pair(machine.pairing_code, newSecret().hash)).status).toBe(401);
    await sql`UPDATE pairing_tickets SET redeemed_at = now() - interval '15 minutes' WHERE machine_id = ${machine.id}`;
    expect((await pair(machine.pairing_code, secret.hash)).status).toBe(401);
    expect(await standing(machine.id)).toBe(1);
    expect(await connects(machine.serial_number, secret.token)).toBe(true);
  });

  it('pairing: of two concurrent boards one succeeds', async () => {
    const machine = await register();
    const secrets = Array.from({ length: 4 }, newSecret);
    const answers = await Promise.all(secrets.map(({ hash }, k) => pair(machine.pairing_code, hash, `10.0.1.${k}`)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401, 401, 401]);
    expect(await standing(machine.id)).toBe(1);
    const winner = secrets[answers.findIndex(({ status }) => status === 200)];
    expect(await connects(machine.serial_number, winner?.token ?? '')).toBe(true);
  });

  it('pairing: returns one error for every wrong code, and the audit log has the reason', async () => {
    const { sql } = test.api.context;
    const [used, expired, revoked, archived, replayed] = [
      await register(),
      await register(),
      await register(),
      await register(),
      await register(),
    ];
    const old = newSecret();
    await pair(used.pairing_code, newSecret().hash, '10.0.2.1');
    await sql`UPDATE pairing_tickets SET expires_at = now() WHERE machine_id = ${expired.id}`;
    const ticket = (await admin.send<{ ticket: PairingTicket }>('GET', `/machines/${revoked.id}/pairing`)).body.ticket;
    expect((await admin.send('DELETE', `/pairing-tickets/${ticket.id}`)).body).toMatchObject({ state: 'revoked' });
    expect((await admin.send('DELETE', `/pairing-tickets/${ticket.id}`)).status).toBe(409);
    await sql`UPDATE machines SET archived_at = now() WHERE id = ${archived.id}`;
    await pair(replayed.pairing_code, old.hash, '10.0.2.2');
    const { body: next } = await admin.send<IssuedTicket>('POST', `/machines/${replayed.id}/pairing-ticket`);
    await sql`DELETE FROM audit_log`;
    const answers = [
      await pair('BCDF-GHJK-LMNP', newSecret().hash, '10.0.3.1'),
      await pair('no code at all', newSecret().hash, '10.0.3.2'),
      await pair(used.pairing_code, newSecret().hash, '10.0.3.3'),
      await pair(expired.pairing_code, newSecret().hash, '10.0.3.4'),
      await pair(revoked.pairing_code, newSecret().hash, '10.0.3.5'),
      await pair(archived.pairing_code, newSecret().hash, '10.0.3.6'),
      await pair(next.pairing_code, old.hash, '10.0.3.7'),
    ];
    const refusals = answers.map(({ status, body }) => `${status} ${body.code} ${body.detail}`);
    const [ofExpired] = refusals.splice(3, 1);
    expect(new Set(refusals).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(ofExpired).toMatch(/^410 ticket_expired This ticket has expired\. Ask /);
    expect((await actions()).map((line) => line.replace('pairing.failed: ', ''))).toEqual([
      'unknown code',
      'unknown code',
      'ticket already used',
      'ticket expired',
      'ticket revoked',
      'machine archived',
      'secret used before',
    ]);
  });

  it('pairing: rejects an expired ticket with 410 only for its exact code, as a failed attempt', async () => {
    const { sql } = test.api.context;
    const machine = await register();
    const code = machine.pairing_code;
    await sql`UPDATE pairing_tickets SET expires_at = now() - interval '1 second' WHERE machine_id = ${machine.id}`;
    const near = `${code.slice(0, -1)}${code.endsWith('B') ? 'C' : 'B'}`;
    expect((await pair(near, newSecret().hash, '10.0.8.1')).status).toBe(401);
    for (let n = 0; n < 5; n++) expect((await pair(code, newSecret().hash, '10.0.8.2')).status).toBe(410);
    // The sixth attempt of a minute gets no further information.
    expect((await pair(code, newSecret().hash, '10.0.8.2')).status).toBe(429);
    expect((await pair(near, newSecret().hash, '10.0.8.2')).status).toBe(429);
    // Expired and revoked, or used in time: the same error as for any other code.
    await sql`UPDATE pairing_tickets SET revoked_at = now() WHERE machine_id = ${machine.id}`;
    expect((await pair(code, newSecret().hash, '10.0.8.3')).status).toBe(401);
  });

  it('pairing: blocks an address at its sixth attempt in a minute, and all addresses at the 101st', async () => {
    const machine = await register();
    const secret = newSecret();
    const own = [];
    for (let k = 0; k < 6; k++) own.push((await pair(machine.pairing_code, secret.hash, '2001:db8:1:2::1')).status);
    expect(own).toEqual([200, 200, 200, 200, 200, 429]);
    // Another address of the same IPv6 network counts as the same.
    expect((await pair(machine.pairing_code, secret.hash, '2001:db8:1:2:ffff::9')).status).toBe(429);
    for (let k = 0; k < 95; k++) await pair(newPairingCode(), secret.hash, `10.1.0.${k}`);
    expect((await pair(machine.pairing_code, secret.hash, '10.1.1.1')).status).toBe(429);
  });
});

describe('tickets and credentials', () => {
  it('a new ticket ends the open one and leaves the board paired until it is used', async () => {
    const machine = await register();
    const { body: ticket } = await admin.send<IssuedTicket>('POST', `/machines/${machine.id}/pairing-ticket`);
    expect((await pair(machine.pairing_code, newSecret().hash)).status).toBe(401);
    expect(await connects(machine.serial_number, machine.auth_token)).toBe(true);
    const secret = newSecret();
    expect((await pair(ticket.pairing_code, secret.hash)).status).toBe(200);
    expect(await connects(machine.serial_number, machine.auth_token)).toBe(false);
    const list = await admin.send<{ tickets: PairingTicket[] }>(
      'GET',
      `/admin/pairing-tickets?q=${machine.serial_number}`,
    );
    expect(list.body.tickets.map(({ state }) => state)).toEqual(['paired', 'revoked']);
    expect(JSON.stringify(list.body)).not.toContain(ticket.pairing_code);
    await admin.send('POST', `/machines/${machine.id}/pairing-ticket/notes`, { what: 'downloaded' });
    expect(await actions()).toEqual([
      'pairing.issued',
      'pairing.issued',
      'pairing.failed: ticket revoked',
      'pairing.redeemed',
      'pairing.downloaded',
    ]);
  });

  it('a rotated credential works beside the previous one until the overlap ends', async () => {
    const { sql, broker } = test.api.context;
    const machine = await register();
    const { body, headers } = await admin.send<{ auth_token: string; previous_valid_until: string }>(
      'POST',
      `/machines/${machine.id}/credential/rotate`,
      { overlap_hours: 2 },
    );
    const answered = Date.parse(headers.get('date') ?? '');
    expect(Math.round((Date.parse(body.previous_valid_until) - answered) / 3_600_000)).toBe(2);
    expect(await connects(machine.serial_number, machine.auth_token)).toBe(true);
    expect(await connects(machine.serial_number, body.auth_token)).toBe(true);
    await endOverlaps({ sql, broker });
    expect(disconnected).toEqual([]);
    await sql`UPDATE machine_credentials SET expires_at = now() WHERE expires_at IS NOT NULL`;
    await endOverlaps({ sql, broker });
    expect(disconnected).toEqual([clientIdOf(machine.serial_number)]);
    expect(await connects(machine.serial_number, machine.auth_token)).toBe(false);
    expect(await connects(machine.serial_number, body.auth_token)).toBe(true);
    expect(await actions()).toEqual(['pairing.issued', 'credential.rotated', 'credential.ended']);
  });

  it('credentials: a revoked board is disconnected immediately, and no retry or open ticket restores it', async () => {
    const machine = await register();
    const secret = newSecret();
    await pair(machine.pairing_code, secret.hash);
    const { body: ticket } = await admin.send<IssuedTicket>('POST', `/machines/${machine.id}/pairing-ticket`);
    disconnected.length = 0;
    const answer = await admin.send('DELETE', `/machines/${machine.id}/credential`);
    expect(answer.body).toEqual({ credentials: 1, tickets: 1, disconnected: true });
    expect(disconnected).toEqual([clientIdOf(machine.serial_number)]);
    expect(await connects(machine.serial_number, secret.token)).toBe(false);
    expect((await callHome(machine.serial_number, secret.token)).status).toBe(401);
    expect((await pair(machine.pairing_code, secret.hash)).status).toBe(401);
    expect((await pair(ticket.pairing_code, newSecret().hash)).status).toBe(401);
  });

  it('credentials: a board that is reset revokes its own credential, and no other', async () => {
    const machine = await register();
    const secret = newSecret();
    await pair(machine.pairing_code, secret.hash);
    const rotate = `/machines/${machine.id}/credential/rotate`;
    const { body } = await admin.send<{ auth_token: string }>('POST', rotate, { overlap_hours: 2 });
    disconnected.length = 0;
    const forget = (token: string) =>
      test
        .visitor()
        .send(
          'POST',
          '/devices/me/revoke',
          { because: 'factory_reset' },
          { authorization: `Bearer ${token}`, 'x-machine-serial': machine.serial_number },
        );
    expect((await forget(newSecret().token)).status).toBe(401);
    expect((await forget(secret.token)).status).toBe(200);
    expect(disconnected).toEqual([clientIdOf(machine.serial_number)]);
    expect((await callHome(machine.serial_number, secret.token)).status).toBe(401);
    expect((await forget(secret.token)).status).toBe(401);
    // Within the quarter of an hour in which a lost answer may be requested again.
    expect((await pair(machine.pairing_code, secret.hash)).status).toBe(401);
    expect(await connects(machine.serial_number, body.auth_token)).toBe(true);
    const [row] = await test.api.context.sql<{ actor: string; detail: object }[]>`
      SELECT actor, detail FROM audit_log WHERE action = 'credential.revoked' AND subject = ${machine.id}`;
    expect(row).toMatchObject({
      actor: expect.stringContaining(machine.serial_number),
      detail: { because: 'factory_reset' },
    });
  });

  it('fleet: shows the last status of each board with its warnings', async () => {
    const machine = await register();
    const status = {
      v: 1,
      online: true,
      session: 's',
      t: 1,
      agent_version: '0.1.0',
      map: { id: 'rm30', rev: 3 },
      machine_link: 'failing',
      journal: { entries_waiting: 7, bytes: 9, dropped_entries: 0 },
      clock_synced: false,
      disk_free_bytes: 5e9,
    };
    const { sql } = test.api.context;
    await sql`UPDATE machines SET status = ${sql.json(status)}, is_online = true, last_seen_at = now() WHERE id = ${machine.id}`;
    const { body } = await admin.send<{ devices: object[]; total: number }>(
      'GET',
      `/admin/devices?q=${machine.serial_number}`,
    );
    expect(body.total).toBe(1);
    expect(body.devices[0]).toMatchObject({
      connection: 'online',
      agent_version: '0.1.0',
      map: { id: 'rm30', rev: 3 },
      warnings: ['machine_link', 'clock'],
      credential: { origin: 'registration' },
      ticket: { state: 'pending' },
    });
  });
});

/** The machines of the tickets that a search finds. */
const ticketsFound = async (q: string): Promise<string[]> => {
  const { body } = await admin.send<{ tickets: PairingTicket[]; total: number }>(
    'GET',
    `/admin/pairing-tickets?q=${encodeURIComponent(q)}`,
  );
  expect(body.total).toBe(body.tickets.length);
  return body.tickets.map((ticket) => ticket.machine_id);
};

describe('list of tickets', () => {
  it('finds a ticket by its ID in any spelling, but not by a part of it', async () => {
    await register();
    const { id, pairing_code: code } = await register();
    expect(await ticketsFound(`PAIR-${code}`)).toEqual([id]);
    expect(await ticketsFound(` pair-${code.toLowerCase().replaceAll('-', ' ')}`)).toEqual([id]);
    expect(await ticketsFound(code.slice(0, -1))).toEqual([]);
    expect(await ticketsFound('PAIR-BCDF-GHJK-LMNP')).toEqual([]);
  });
});
