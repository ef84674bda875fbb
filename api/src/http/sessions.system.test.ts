import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedTestApi, openTestApi, startTestApi, testAdmin, type TestApi } from '../testing/test-api.ts';
import type { Visitor } from '../testing/visitor.ts';

const maria = { email: 'maria@example.com', password: 'green beans before breakfast', full_name: 'Maria' };

const statusOfMe = async (visitor: Visitor): Promise<number> => (await visitor.send('GET', '/auth/me')).status;

describe('sessions', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  let mariaId: string;

  beforeAll(async () => {
    opened = await openTestApi({ trustedProxies: 1 });
    ({ test, admin } = opened);
    mariaId = (await admin.send<{ id: string }>('POST', '/admin/users', maria)).body.id;
  });
  afterAll(() => opened.close());

  const signedInMaria = (): Promise<Visitor> => test.signedIn(maria.email, maria.password);

  it('live in an HttpOnly cookie of the strict kind; only a hash of at least 128 bits is stored', async () => {
    const answer = await test.visitor().send('POST', '/auth/login', maria);
    const cookie = answer.headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    const rows = await test.api.context.sql`SELECT token_hash::text FROM sessions`;
    expect(JSON.stringify(rows)).not.toContain(cookie.slice(8, 51));
  });

  it('behind HTTPS use the __Host- prefix and Secure, and HSTS is sent with every response', async () => {
    await using secure = await startTestApi(opened.databaseUrl, { publicUrl: 'https://roast.example', isHttps: true });
    const answer = await secure.visitor().send('POST', '/auth/login', maria);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-session=.*; Secure; SameSite=Strict$/);
    expect(answer.headers.get('strict-transport-security')).toContain('max-age=63072000');
  });

  it('are new at each sign-in, which ends the old one', async () => {
    const visitor = await signedInMaria();
    const before = visitor.cookie ?? '';
    await visitor.send('POST', '/auth/login', maria);
    expect(visitor.cookie).not.toBe(before);
    const old = await test.visitor().send('GET', '/auth/me', undefined, { cookie: before });
    expect(old.status).toBe(401);
  });

  it('end with signing out, also when the cookie is kept', async () => {
    const visitor = await signedInMaria();
    const cookie = visitor.cookie ?? '';
    expect((await visitor.send('POST', '/auth/logout')).status).toBe(200);
    expect((await test.visitor().send('GET', '/auth/me', undefined, { cookie })).status).toBe(401);
    expect((await test.visitor().send('POST', '/auth/logout')).status).toBe(200);
  });

  it('end after 12 idle hours and after 30 days', async () => {
    const { sql } = test.api.context;
    const idle = await signedInMaria();
    await sql`UPDATE sessions SET last_seen_at = now() - interval '11 hours 59 minutes'`;
    expect(await statusOfMe(idle)).toBe(200);
    await sql`UPDATE sessions SET last_seen_at = now() - interval '12 hours 1 minute' WHERE user_id = ${mariaId}`;
    expect(await statusOfMe(idle)).toBe(401);
    const old = await signedInMaria();
    const [session] = await sql`
      SELECT extract(day FROM expires_at - created_at)::int AS days FROM sessions
       WHERE user_id = ${mariaId} ORDER BY created_at DESC LIMIT 1`;
    expect(session).toEqual({ days: 30 });
    await sql`UPDATE sessions SET expires_at = now() WHERE user_id = ${mariaId}`;
    expect(await statusOfMe(old)).toBe(401);
  });

  it('end at once, streams too and on every instance, when the user is deactivated', async () => {
    await using other = await startTestApi(opened.databaseUrl);
    const visitor = await signedInMaria();
    const [session] = await test.api.context.sql<{ id: string }[]>`
      SELECT id FROM sessions WHERE user_id = ${mariaId} ORDER BY created_at DESC LIMIT 1`;
    const stream = other.api.context.streams.open(session?.id ?? '', { userId: mariaId });
    const deactivated = await admin.send('PATCH', `/admin/users/${mariaId}`, { is_active: false });
    expect(deactivated.status).toBe(200);
    await until('the stream ends', () => stream.signal.aborted, { timeoutMs: 1000, everyMs: 10 });
    expect(await statusOfMe(visitor)).toBe(401);
    const refused = await test.visitor().send<{ code: string }>('POST', '/auth/login', maria);
    expect(refused.body.code).toBe('account_inactive');
    const wrong = await test.visitor().send<{ code: string }>('POST', '/auth/login', { ...maria, password: 'no' });
    expect(wrong.body.code).toBe('wrong_credentials');
    await admin.send('PATCH', `/admin/users/${mariaId}`, { is_active: true });
  });

  it('are listed and ended one by one; a changed password ends all others', async () => {
    const here = await signedInMaria();
    const there = await signedInMaria();
    const elsewhere = await signedInMaria();
    const list = await here.send<{ sessions: { id: string; is_current: boolean }[] }>('GET', '/account/sessions');
    expect(list.body.sessions.filter((session) => session.is_current)).toHaveLength(1);
    const [newest] = list.body.sessions;
    await here.send('DELETE', `/account/sessions/${newest?.id}`);
    expect(await statusOfMe(elsewhere)).toBe(401);
    const wrong = { current_password: 'wrong', new_password: 'a completely new phrase' };
    expect((await here.send('POST', '/account/password', wrong)).status).toBe(401);
    const right = { current_password: maria.password, new_password: 'a completely new phrase' };
    expect((await here.send('POST', '/account/password', right)).status).toBe(200);
    expect([await statusOfMe(here), await statusOfMe(there)]).toEqual([200, 401]);
    maria.password = right.new_password;
  });
});

describe('requests of other sites', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
  });
  afterAll(() => opened.close());

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('are refused for unsafe methods: %j', async (headers) => {
    const answer = await admin.send<{ code: string }>('POST', '/settings/seed-defaults', undefined, headers);
    expect([answer.status, answer.body.code]).toEqual([403, 'wrong_origin']);
    const login = await test.visitor().send('POST', '/auth/login', testAdmin, headers);
    expect(login.status).toBe(403);
    expect((await admin.send('GET', '/auth/me', undefined, headers)).status).toBe(200);
  });

  it('are not confused with our own', async () => {
    const headers = { origin: test.url, 'sec-fetch-site': 'same-origin' };
    expect((await admin.send('POST', '/settings/seed-defaults', undefined, headers)).status).toBe(200);
  });
});
