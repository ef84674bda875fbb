import { apiBasePath, type Endpoint, type MachineRight } from '@roastery/contract/endpoint';
import { endpoints } from '@roastery/contract/endpoints';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword } from './identity/passwords.ts';
import { examplePassword, exampleRequests, fileRequestOf } from './testing/example-requests.ts';
import { startTestApi, testAdmin, type TestApi } from './testing/test-api.ts';
import type { Visitor } from './testing/visitor.ts';
import { migratedTemplate } from './testing/ingest-fixture.ts';

const roles = ['anonymous', 'deactivated', 'other', 'viewer', 'roaster', 'owner', 'admin'] as const;
type Role = (typeof roles)[number];

const isSignedIn = (role: Role): boolean => role !== 'anonymous' && role !== 'deactivated';

/** What each role may do on the machine of the examples. */
const rightsOf: Readonly<Partial<Record<Role, readonly MachineRight[]>>> = {
  viewer: ['see'],
  roaster: ['see', 'roast'],
  owner: ['see', 'roast', 'manage'],
  admin: ['see', 'roast', 'manage'],
};

/** Statuses that deny: not signed in, not allowed, or not theirs; undefined where the request is allowed. */
const denial = ({ access, name, right }: Endpoint, role: Role): number | undefined => {
  if (access === 'public') return undefined;
  if (access === 'device' || access === 'broker' || !isSignedIn(role)) return 401;
  if (access === 'admin') return role === 'admin' ? undefined : 403;
  if (right !== undefined) {
    const rights = rightsOf[role];
    return rights === undefined ? 404 : rights.includes(right) ? undefined : 403;
  }
  const belongs = exampleRequests[name]?.belongs ?? 'everybody';
  const isTheirs = belongs === 'everybody' || role === 'owner' || (belongs === 'owner' && role === 'admin');
  return isTheirs ? undefined : 404;
};

/** The status for each role, from the contract's `access` and `right` and from the owner of the record in the path. */
const expectedStatus = (endpoint: Endpoint, role: Role): number =>
  denial(endpoint, role) ?? exampleRequests[endpoint.name]?.status ?? endpoint.status ?? 200;

const addUser = async (admin: Visitor, name: string): Promise<string> => {
  const body = { full_name: name, email: `${name}@example.com`, password: examplePassword };
  return (await admin.send<{ id: string }>('POST', '/admin/users', body)).body.id;
};

describe('role matrix', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let test: TestApi;
  let ownerId: string;
  const visitors = new Map<Role, Visitor>();
  const members = new Map<'roaster' | 'viewer', string>();
  let newestShared = '-infinity';
  let counter = 0;

  beforeAll(async () => {
    database = await createTestDatabase(migratedTemplate);
    test = await startTestApi(database.url);
    const { sql } = test.api.context;
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    await sql`UPDATE users SET password_hash = ${await hashPassword(examplePassword)} WHERE is_admin`;
    ownerId = await addUser(admin, 'owner');
    await addUser(admin, 'other');
    for (const role of ['roaster', 'viewer'] as const) members.set(role, await addUser(admin, role));
    const deactivatedId = await addUser(admin, 'deactivated');
    visitors.set('anonymous', test.visitor());
    visitors.set('admin', admin);
    for (const name of ['owner', 'other', 'roaster', 'viewer', 'deactivated'] as const) {
      visitors.set(name, await test.signedIn(`${name}@example.com`, examplePassword));
    }
    // The session's row remains, as in a race of the two: the inactive account must be enough.
    await sql`UPDATE users SET is_active = false WHERE id = ${deactivatedId}`;
  });
  afterAll(async () => {
    await test.close();
    await database.drop();
  });

  /** A record for the path of a request, on whose machine the members have their roles. */
  const paramsFor = async ({ name }: Endpoint): Promise<Record<string, string>> => {
    const params = (await exampleRequests[name]?.params?.(test.api.context.sql, ownerId)) ?? {};
    // Machines of earlier records have their members.
    const machines = await test.api.context.sql<{ id: string; created_at: string }[]>`
      SELECT id, created_at::text FROM machines
      WHERE owner_id = ${ownerId} AND created_at > ${newestShared}::timestamptz ORDER BY created_at`;
    newestShared = machines.at(-1)?.created_at ?? newestShared;
    for (const { id } of machines) {
      await test.api.context.sql`
        INSERT INTO machine_members (user_id, machine_id, role)
        SELECT user_id, ${id}, role FROM unnest(${[...members.values()]}::uuid[], ${[...members.keys()]}::text[]) AS m (user_id, role)
        ON CONFLICT DO NOTHING`;
    }
    return params;
  };

  const statusFor = async (endpoint: Endpoint, role: Role, params: Record<string, string>): Promise<number> => {
    const example = exampleRequests[endpoint.name] ?? {};
    counter += 1;
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'missing');
    const query = new URLSearchParams(example.query ?? {}).toString();
    // The roles together would use up the attempts of one address.
    if (endpoint.access === 'public') await test.api.context.sql`DELETE FROM sign_in_limits`;
    const end = new AbortController();
    const files = fileRequestOf(endpoint, example);
    const cookie = visitors.get(role)?.cookie;
    const answer = await fetch(`${test.url}${apiBasePath}${path}${query === '' ? '' : `?${query}`}`, {
      method: endpoint.method,
      headers: {
        ...(cookie === undefined ? {} : { cookie }),
        ...(endpoint.body ? { 'content-type': 'application/json' } : {}),
        ...files.headers,
      },
      ...(endpoint.body ? { body: JSON.stringify(example.body?.(`unique-${counter}`) ?? {}) } : {}),
      ...(files.body === undefined ? {} : { body: files.body }),
      signal: end.signal,
    });
    // An event stream would never end by itself.
    if (endpoint.produces === undefined) await answer.text();
    else end.abort();
    return answer.status;
  };

  it('is answered by an api that mounts the whole contract', () => {
    const mounted = test.api.mounted.map((one) => one.endpoint.name).sort();
    expect(mounted).toEqual(endpoints.map((one) => one.name).sort());
  });

  // Signing out would end the sessions that the other requests use.
  const matrix = endpoints.filter((endpoint) => endpoint.name !== 'logout');

  it.each(matrix)('$name for each role [P131 P134]', async (endpoint) => {
    const ofDenied = await paramsFor(endpoint);
    const statuses: Partial<Record<Role, number>> = {};
    for (const role of roles) {
      // A request that is denied leaves the record as it was; a permitted one may delete it.
      const params = denial(endpoint, role) === undefined ? await paramsFor(endpoint) : ofDenied;
      statuses[role] = await statusFor(endpoint, role, params);
    }
    expect(statuses).toEqual(Object.fromEntries(roles.map((role) => [role, expectedStatus(endpoint, role)])));
  });

  it('cannot be changed by smuggling ownership or rights into a body', async () => {
    const owner = visitors.get('owner') as Visitor;
    const admin = visitors.get('admin') as Visitor;
    const smuggled = { is_admin: true, is_active: true, owner_id: ownerId, id: ownerId, user_id: ownerId };
    const created = await admin.send<{ id: string; is_admin: boolean }>('POST', '/admin/users', {
      ...smuggled,
      full_name: 'Smuggler',
      email: 'smuggler@example.com',
      password: examplePassword,
    });
    expect(created.body.is_admin).toBe(false);
    expect(created.body.id).not.toBe(ownerId);
    await owner.send('PATCH', '/account/preferences', { ...smuggled, theme: 'dark' });
    expect((await owner.send<{ is_admin: boolean }>('GET', '/auth/me')).body.is_admin).toBe(false);
    const smuggler = await test.signedIn('smuggler@example.com', examplePassword);
    const machine = await smuggler.send<{ owner_id: string; id: string }>('POST', '/machines', {
      ...smuggled,
      serial_number: 'smuggled',
      display_name: 'x',
      machine_type: 'RM7',
      max_capacity_kg: 7,
    });
    expect(machine.body.owner_id).toBe(created.body.id);
    await smuggler.send('PUT', `/machines/${machine.body.id}`, {
      ...smuggled,
      display_name: 'y',
      machine_type: 'RM7',
      max_capacity_kg: 7,
    });
    const after = await smuggler.send<{ owner_id: string }>('GET', `/machines/${machine.body.id}`);
    expect(after.body.owner_id).toBe(created.body.id);
  });
});
