import type { User } from '@roastery/contract/auth';
import type { Option } from '@roastery/contract/settings';
import type { AuditEntry } from '@roastery/contract/users';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addRoast } from '../../testing/example-data.ts';
import { type OpenedTestApi, openTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

const bob = { full_name: 'Bob', email: 'Bob@Example.com', password: 'flame under the drum' };

const demote = (who: Visitor, id: string) =>
  who.send<{ code: string }>('PATCH', `/admin/users/${id}`, { is_admin: false });

describe('administrators', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  let adminId: string;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
    adminId = (await admin.send<User>('GET', '/auth/me')).body.id;
  });
  afterAll(() => opened.close());
  const created = async (form: object) => admin.send<User & { code: string }>('POST', '/admin/users', form);
  const list = async (query: string) =>
    (await admin.send<{ users: User[]; total: number }>('GET', `/admin/users?${query}`)).body;
  const change = (body: object) => admin.send<Record<string, unknown>>('PUT', '/settings/roastery', body);

  it('users: are created without admin rights; common passwords are refused [P189]', async () => {
    const { status, body } = await created(bob);
    expect([status, body.email, body.is_admin, body.is_active]).toEqual([201, 'bob@example.com', false, true]);
    expect((await created(bob)).body.code).toBe('already_exists');
    for (const password of ['password1', 'Iloveyou', 'new@example.com']) {
      const refused = await created({ ...bob, email: 'new@example.com', password });
      expect(refused.body, password).toMatchObject({ code: 'validation', detail: [{ field: 'password' }] });
    }
    const short = await created({ ...bob, email: 'new@example.com', password: 'short' });
    expect(short.body).toMatchObject({ detail: [{ field: 'password', message: 'Use at least 8 characters' }] });
  });

  it('users: the last active administrator stays, also when two demote each other at once [P126]', async () => {
    expect((await demote(admin, adminId)).body.code).toBe('last_admin');
    const eve = (await created({ ...bob, email: 'eve@example.com', full_name: 'Eve' })).body.id;
    await admin.send('PATCH', `/admin/users/${eve}`, { is_admin: true });
    const second = await test.signedIn('eve@example.com', bob.password);
    const answers = await Promise.all([demote(admin, eve), demote(second, adminId)]);
    const left = await test.api.context.sql`SELECT 1 FROM users WHERE is_admin AND is_active`;
    expect(left).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    await test.api.context.sql`UPDATE users SET is_admin = (id = ${adminId})`;
  });

  it('reset a password that is shown once and ends all sessions', async () => {
    const person = await test.signedIn('bob@example.com', bob.password);
    const { id } = (await person.send<User>('GET', '/auth/me')).body;
    const { password } = (await admin.send<{ password: string }>('POST', `/admin/users/${id}/reset-password`)).body;
    expect(password).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/);
    expect((await person.send('GET', '/auth/me')).status).toBe(401);
    await test.signedIn('bob@example.com', password);
  });

  it('find users', async () => {
    expect((await list('q=bob')).users.map((user) => user.full_name)).toEqual(['Bob']);
    expect((await list('limit=1')).total).toBe(3);
    expect((await list('sort=-email')).users[0]?.email).toBe('eve@example.com');
    expect((await list('status=inactive')).total).toBe(0);
  });

  it('see counts in the month of the roastery [P127]', async () => {
    const { sql } = test.api.context;
    const roastId = await addRoast(sql, adminId);
    const stats = async () => (await admin.send<Record<string, number>>('GET', '/admin/stats')).body;
    expect(await stats()).toEqual({
      total_users: 3,
      active_users: 3,
      total_machines: 1,
      active_machines: 0,
      total_roasts: 1,
      roasts_this_month: 1,
    });
    // The first moment of this month in Auckland lies in the previous month in UTC.
    await admin.send('PUT', '/settings/roastery', { time_zone: 'Pacific/Auckland' });
    await sql`
      UPDATE roasts SET start_time = date_trunc('month', now() AT TIME ZONE 'Pacific/Auckland') AT TIME ZONE 'Pacific/Auckland'
       WHERE id = ${roastId}`;
    expect((await stats())['roasts_this_month']).toBe(1);
    await sql`UPDATE roasts SET start_time = start_time - interval '1 second' WHERE id = ${roastId}`;
    expect((await stats())['roasts_this_month']).toBe(0);
  });

  it('options: are edited by administrators; seeding twice adds nothing the second time [P215]', async () => {
    const first = await admin.send<{ message: string }>('POST', '/settings/seed-defaults');
    expect(first.body.message).toBe('Defaults seeded: 35 added, 0 kept.');
    const second = await admin.send<{ message: string }>('POST', '/settings/seed-defaults');
    expect(second.body.message).toBe('All 35 defaults are already there.');
    const option = await admin.send<Option>('POST', '/settings/options', { category: 'process', value: 'Koji' });
    expect(option.body).toMatchObject({ sort_order: 8, is_active: true });
    const again = await admin.send<{ code: string }>('POST', '/settings/options', {
      category: 'process',
      value: 'Koji',
    });
    expect(again.body.code).toBe('already_exists');
    await admin.send('DELETE', `/settings/options/${option.body.id}`);
    const types = await admin.send<Option[]>('GET', '/settings/options/machine_type?active_only=true');
    expect(types.body.map((type) => type.value)).toEqual(['RM7', 'RM15', 'RM30']);
    expect((await admin.send('GET', '/settings/options/colour')).status).toBe(404);
  });

  it('change the roastery’s settings field by field [P176]', async () => {
    await change({ roastery_name: 'Drum & Bean', city: 'Lisbon' });
    expect((await change({ city: null, time_zone: 'Europe/Lisbon' })).body).toMatchObject({
      roastery_name: 'Drum & Bean',
      city: null,
      time_zone: 'Europe/Lisbon',
    });
    for (const time_zone of ['Mars/Olympus', '', "'; --"]) {
      expect((await change({ time_zone })).body).toMatchObject({ detail: [{ field: 'time_zone' }] });
    }
  });

  it('audit log: is listed and searched by administrators', async () => {
    const page = await admin.send<{ entries: AuditEntry[]; total: number }>('GET', '/admin/audit?limit=5');
    expect(page.body.total).toBeGreaterThan(5);
    expect(page.body.entries[0]).toMatchObject({ action: 'roastery.changed', actor: testAdmin.email });
    const resets = await admin.send<{ entries: AuditEntry[] }>('GET', '/admin/audit?action=user.password_reset');
    expect(resets.body.entries).toHaveLength(1);
  });
});
