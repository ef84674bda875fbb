import type { MachineMember } from '@roastery/contract/members';
import type { Machine } from '@roastery/contract/machines';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMachine, addPlan, addRoast } from '../../testing/example-data.ts';
import { openTestApi, type OpenedTestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

const password = 'a long phrase for this person';

/** The access of a user to a machine and its roast, by each kind of response. */
const shownTo = async ({ visitor }: { visitor: Visitor }, machineId: string, roastId: string) => {
  const get = async <T>(path: string): Promise<T> => (await visitor.send<T>('GET', path)).body;
  const machines = await get<Machine[]>('/machines');
  const { roasts } = await get<{ roasts: { id: string }[] }>(`/roasts?machine_id=${machineId}`);
  const stats = await get<{ totalMachines: number; thisMonthRoasts: number }>('/dashboard/stats');
  const { planned } = await get<{ planned: { machine_id: string }[] }>(`/roasts/planned?machine_id=${machineId}`);
  const groups = await get<{ groups: { id: string | null; roasts: number }[] }>(
    `/analytics/groups/machine?machine_id=${machineId}`,
  );
  const csv = await get<string>(`/roasts/export/csv?machine_id=${machineId}`);
  return {
    role: machines.find(({ id }) => id === machineId)?.role,
    roasts: roasts.map(({ id }) => id),
    counted: stats.thisMonthRoasts > 0 && stats.totalMachines > 0,
    planned: planned.length,
    analysed: groups.groups.reduce((sum, group) => sum + group.roasts, 0),
    exported: csv.includes(roastId),
    roast: (await visitor.send('GET', `/roasts/${roastId}`)).status,
    file: (await visitor.send('GET', `/roasts/${roastId}/export/alog`)).status,
    timeline: (await visitor.send('GET', `/machines/${machineId}/timeline`)).status,
  };
};

describe('machine members', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  const people = new Map<string, { visitor: Visitor; id: string }>();
  const person = (name: string) => {
    const found = people.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const sql = () => opened.test.api.context.sql;

  const addPerson = async (name: string, more: object = {}): Promise<void> => {
    const body = { full_name: name, email: `${name}@example.com`, password, ...more };
    const { body: user } = await admin.send<{ id: string }>('POST', '/admin/users', body);
    people.set(name, { visitor: await opened.test.signedIn(body.email, password), id: user.id });
  };
  /** A machine of the owner with a finished roast, as the machine's id and the roast's. */
  const machineWithRoast = async () => {
    const roastId = await addRoast(sql(), person('owner').id);
    const [row] = await sql()<{ id: string }[]>`SELECT machine_id AS id FROM roasts WHERE id = ${roastId}`;
    return { machineId: row?.id ?? '', roastId };
  };
  const setMember = (machineId: string, name: string, role: string, by = person('owner').visitor) =>
    by.send<MachineMember & { detail: string }>('PUT', `/machines/${machineId}/members/${person(name).id}`, { role });
  const remove = (machineId: string, name: string, by = person('owner').visitor) =>
    by.send('DELETE', `/machines/${machineId}/members/${person(name).id}`);

  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
    for (const name of ['owner', 'roaster', 'viewer', 'other']) await addPerson(name);
  });
  afterAll(() => opened.close());

  it('see the machine in lists, statistics, plans, analytics and exports, as its owner does', async () => {
    const { machineId, roastId } = await machineWithRoast();
    await sql()`
      INSERT INTO planned_roasts (id, machine_id, created_by, batch_size_kg)
      VALUES (gen_random_uuid(), ${machineId}, ${person('owner').id}, 12)`;
    expect((await setMember(machineId, 'roaster', 'roaster')).status).toBe(200);
    expect((await setMember(machineId, 'viewer', 'viewer')).status).toBe(200);
    const all = {
      roasts: [roastId],
      counted: true,
      planned: 1,
      analysed: 1,
      exported: true,
      roast: 200,
      file: 200,
      timeline: 200,
    };
    expect(await shownTo(person('owner'), machineId, roastId)).toEqual({ role: 'owner', ...all });
    expect(await shownTo(person('roaster'), machineId, roastId)).toEqual({ role: 'roaster', ...all });
    expect(await shownTo(person('viewer'), machineId, roastId)).toEqual({ role: 'viewer', ...all });
    expect((await shownTo({ visitor: admin }, machineId, roastId)).role).toBe('admin');
    expect(await shownTo(person('other'), machineId, roastId)).toEqual({
      role: undefined,
      roasts: [],
      counted: false,
      planned: 0,
      analysed: 0,
      exported: false,
      roast: 404,
      file: 404,
      timeline: 404,
    });
  });

  it('plan, log and blend as roasters; viewers get 403, others 422 or 404', async () => {
    const { machineId, roastId } = await machineWithRoast();
    await setMember(machineId, 'roaster', 'roaster');
    await setMember(machineId, 'viewer', 'viewer');
    const statuses = async (name: string) => {
      const { visitor } = person(name);
      const logged = { start_time: '2026-11-21T07:40:00.000Z', duration_seconds: 640, coffee_name: 'Guji' };
      return [
        (await visitor.send('POST', '/roasts/planned', { machine_id: machineId, batch_size_kg: 10 })).status,
        (await visitor.send('POST', '/roasts', { ...logged, machine_id: machineId })).status,
        (await visitor.send('POST', '/blends', { name: 'House', components: [{ roast_id: roastId, kg: 1 }] })).status,
        (await visitor.send('PUT', `/roasts/${roastId}`, { coffee_name: 'Guji' })).status,
        (
          await visitor.send('PUT', `/machines/${machineId}`, {
            display_name: 'x',
            machine_type: 'y',
            max_capacity_kg: 15,
          })
        ).status,
      ];
    };
    expect(await statuses('owner')).toEqual([201, 201, 201, 200, 200]);
    expect(await statuses('roaster')).toEqual([201, 201, 201, 200, 403]);
    expect(await statuses('viewer')).toEqual([403, 403, 422, 403, 403]);
    expect(await statuses('other')).toEqual([422, 422, 422, 404, 404]);
    const planId = await addPlan(sql(), person('owner').id);
    expect((await person('viewer').visitor.send('DELETE', `/roasts/planned/${planId}`)).status).toBe(404);
  });

  it('a changed role applies from the next request', async () => {
    const { machineId, roastId } = await machineWithRoast();
    await setMember(machineId, 'roaster', 'viewer');
    const edit = () => person('roaster').visitor.send('PUT', `/roasts/${roastId}`, { coffee_name: 'Guji' });
    expect((await edit()).status).toBe(403);
    await setMember(machineId, 'roaster', 'roaster');
    expect((await edit()).status).toBe(200);
    await remove(machineId, 'roaster');
    expect((await edit()).status).toBe(404);
  });

  it('are managed by the owner and by admins; the owner is no member, an inactive user is refused', async () => {
    const { machineId } = await machineWithRoast();
    await addPerson('retired');
    await admin.send('PATCH', `/admin/users/${person('retired').id}`, { is_active: false });
    expect((await setMember(machineId, 'roaster', 'roaster', admin)).status).toBe(200);
    expect((await setMember(machineId, 'viewer', 'viewer')).body).toMatchObject({
      role: 'viewer',
      full_name: 'viewer',
    });
    const owner = await setMember(machineId, 'owner', 'viewer');
    expect([owner.status, owner.body.detail]).toEqual([409, 'owner owns this machine and needs no role.']);
    expect((await setMember(machineId, 'retired', 'viewer')).status).toBe(409);
    expect((await setMember(machineId, 'other', 'viewer', person('roaster').visitor)).status).toBe(403);
    const membersFor = async (visitor: Visitor) =>
      (await visitor.send<{ members: MachineMember[] }>('GET', `/machines/${machineId}/members`)).body.members;
    expect((await membersFor(person('owner').visitor)).map(({ role, email }) => [role, email])).toEqual([
      ['owner', 'owner@example.com'],
      ['roaster', 'roaster@example.com'],
      ['viewer', 'viewer@example.com'],
    ]);
    expect((await membersFor(person('viewer').visitor)).map(({ email }) => email)).toEqual([null, null, null]);
    const candidates = await person('owner').visitor.send<{ users: { full_name: string }[] }>(
      'GET',
      `/machines/${machineId}/members/candidates`,
    );
    expect(candidates.body.users.map(({ full_name: name }) => name)).toEqual(['Administrator', 'other']);
    await remove(machineId, 'viewer');
    expect((await remove(machineId, 'viewer')).status).toBe(404);
    const rows = await sql()<{ action: string; email: string; role: string | null }[]>`
      SELECT action, detail ->> 'email' AS email, detail ->> 'role' AS role FROM audit_log
       WHERE subject = ${machineId} ORDER BY at, id`;
    expect(rows.map(({ action, email, role }) => [action, email, role])).toEqual([
      ['member.added', 'roaster@example.com', 'roaster'],
      ['member.added', 'viewer@example.com', 'viewer'],
      ['member.removed', 'viewer@example.com', null],
    ]);
  });

  it('a new user is created with machines; with an unknown machine the user is not created', async () => {
    const { machineId, roastId } = await machineWithRoast();
    await addPerson('newcomer', { machines: [{ machine_id: machineId, role: 'viewer' }] });
    expect((await shownTo(person('newcomer'), machineId, roastId)).role).toBe('viewer');
    const refused = await admin.send('POST', '/admin/users', {
      full_name: 'Stranger',
      email: 'stranger@example.com',
      password,
      machines: [{ machine_id: '018f0000-0000-7000-8000-000000000000', role: 'viewer' }],
    });
    expect(refused.status).toBe(422);
    expect(await sql()`SELECT 1 FROM users WHERE email = 'stranger@example.com'`).toHaveLength(0);
  });

  /** Watches a machine live; `ended` settles when the server ends the stream. */
  const watch = async (name: string, machineId: string) => {
    const abort = new AbortController();
    const answer = await fetch(`${opened.test.url}/api/v1/machines/${machineId}/live`, {
      headers: { cookie: person(name).visitor.cookie ?? '' },
      signal: abort.signal,
    });
    expect(answer.status).toBe(200);
    const state = { begun: false, over: false };
    const read = async (): Promise<void> => {
      for await (const bytes of answer.body ?? []) state.begun ||= bytes.length > 0;
      state.over = true;
    };
    const ended = read().catch((error: unknown) => {
      if (!abort.signal.aborted) throw error;
    });
    await until('the stream to begin', () => state.begun);
    return { state, ended, stop: () => abort.abort() };
  };

  it('lose their live streams by their removal; the streams of others continue', async () => {
    const { machineId } = await machineWithRoast();
    await setMember(machineId, 'roaster', 'roaster');
    await setMember(machineId, 'viewer', 'viewer');
    const [leaving, staying] = [await watch('viewer', machineId), await watch('roaster', machineId)];
    expect((await remove(machineId, 'viewer')).status).toBe(200);
    await leaving.ended;
    expect((await person('viewer').visitor.send('GET', `/machines/${machineId}/live`)).status).toBe(404);
    expect(staying.state.over).toBe(false);
    staying.stop();
    await staying.ended;
  });

  it('setting “All users see all machines”: is off at first, makes all users roasters, ends streams when turned off', async () => {
    const { machineId, roastId } = await machineWithRoast();
    const { body: before } = await admin.send<{ all_users_see_all_machines: boolean }>('GET', '/settings/roastery');
    expect(before.all_users_see_all_machines).toBe(false);
    const turn = (on: boolean, by = admin) => by.send('PUT', '/settings/roastery', { all_users_see_all_machines: on });
    expect((await turn(true, person('other').visitor)).status).toBe(403);
    await setMember(machineId, 'viewer', 'viewer');
    await turn(true);
    expect(await shownTo(person('other'), machineId, roastId)).toMatchObject({ role: 'roaster', roasts: [roastId] });
    expect((await shownTo(person('viewer'), machineId, roastId)).role).toBe('roaster');
    const edited = await person('other').visitor.send('PUT', `/roasts/${roastId}`, { coffee_name: 'Sidamo' });
    expect(edited.status).toBe(200);
    expect((await person('other').visitor.send('DELETE', `/machines/${machineId}`)).status).toBe(403);
    const unshared = await addMachine(sql(), person('owner').id);
    const watching = await watch('other', unshared);
    await turn(false);
    await watching.ended;
    expect((await shownTo(person('other'), machineId, roastId)).roast).toBe(404);
    expect((await shownTo(person('viewer'), machineId, roastId)).role).toBe('viewer');
    const [row] = await sql()<{ detail: object }[]>`
      SELECT detail FROM audit_log WHERE action = 'roastery.changed' ORDER BY at DESC, id DESC LIMIT 1`;
    expect(row?.detail).toEqual({ fields: ['all_users_see_all_machines'], all_users_see_all_machines: false });
  });
});
