import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';

interface Refusal {
  code: string;
  detail: unknown;
}

/** CPU time of this process, all its threads, ms: other processes delay an attempt, but do not add to it. */
const workOf = async (attempted: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await attempted();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

describe('sign-in', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let test: TestApi;
  beforeAll(async () => {
    database = await createTestDatabase(migratedTemplate);
    test = await startTestApi(database.url, { trustedProxies: 1 });
  });
  afterAll(async () => {
    await test.close();
    await database.drop();
  });

  const attempt = async (email: string, password: string, address: string) => {
    return test
      .visitor()
      .send<Refusal>('POST', '/auth/login', { email, password }, { 'x-forwarded-for': `6.6.6.6, ${address}` });
  };
  /** Sets the count of the address that most attempts came from, as if there had been more of them. */
  const countAs = (points: number) => test.api.context.sql`
    UPDATE sign_in_limits SET points = ${points} WHERE points = (SELECT max(points) FROM sign_in_limits)`;
  const right = (address: string) => attempt(testAdmin.email, testAdmin.password, address);

  it('sign-in: answers an unknown account like a wrong password, after the same work', async () => {
    const known: number[] = [];
    const unknown: number[] = [];
    const isSame = () => Math.min(...unknown) > Math.min(...known) / 2 && Math.min(...known) > Math.min(...unknown) / 2;
    const bodies: Refusal[] = [];
    const fail = async (email: string): Promise<void> => {
      const { body } = await attempt(email, 'wrong', '10.0.0.1');
      bodies.push({ code: body.code, detail: body.detail });
    };
    // Rarely the process does other work at the same time, so the least of each kind is compared.
    for (let round = 0; round < 4 || (round < 30 && !isSame()); round += 1) {
      await test.api.context.sql`DELETE FROM sign_in_limits`;
      known.push(await workOf(() => fail(testAdmin.email)));
      unknown.push(await workOf(() => fail(`stranger${round}@example.com`)));
    }
    expect(isSame(), `wrong password ${known.join(', ')} ms, unknown account ${unknown.join(', ')} ms`).toBe(true);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect((await right('10.0.0.1')).status).toBe(200);
  });

  it('sign-in: limits an unknown address to five failures without locking the owner out', async () => {
    expect((await right('10.0.1.1')).status).toBe(200);
    for (let round = 0; round < 5; round += 1) {
      expect((await attempt(testAdmin.email, `guess ${round}`, `10.0.2.${round}`)).status).toBe(401);
    }
    const blocked = await right('10.0.2.9');
    expect([blocked.status, blocked.body.code]).toEqual([429, 'too_many_requests']);
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(blocked.headers.get('retry-after'))).toBeLessThanOrEqual(300);
    // From an address where the owner has signed in before, the owner can still sign in.
    expect((await right('10.0.1.1')).status).toBe(200);
    // For all others sign-in works again after the five minutes.
    await test.api.context.sql`UPDATE sign_in_limits SET expire = expire - 300000`;
    expect((await right('10.0.2.9')).status).toBe(200);
  });

  it('sign-in: applies the limit to parallel guesses', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => attempt('burst@example.com', `guess ${i}`, `10.0.3.${i}`)),
    );
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(5);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(7);
  });

  it('sign-in: limits an address that tries many accounts; only the proxy names addresses', async () => {
    await test.api.context.sql`DELETE FROM sign_in_limits`;
    const statuses: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      statuses.push((await attempt(`user${round}@example.com`, 'guess', '10.0.4.1')).status);
      if (round === 1) await countAs(29);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it.each([
    ['2001:db8::', (round: number) => `2001:db8::${round}:2:3:4`, '2001:DB8:0:0000::5', '2001:db8:0:1::5'],
    ['2001:db8:7:8::', (round: number) => `2001:db8:7:8:${round}:2:3:4`, '2001:0db8:7:8::5', '2001:db8:7::8:1:2:5'],
    ['10.0.6.1', (round: number) => (round % 2 === 0 ? '10.0.6.1' : '::ffff:10.0.6.1'), '::FFFF:10.0.6.1', '10.0.6.2'],
  ])(
    'sign-in: counts the addresses of network %s as one, however they are written',
    async (_, addressOf, same, other) => {
      await test.api.context.sql`DELETE FROM sign_in_limits`;
      const statuses: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        statuses.push((await attempt(`spray${round}@example.com`, 'guess', addressOf(round))).status);
      }
      expect(new Set(statuses)).toEqual(new Set([401]));
      const [counted] = await test.api.context.sql`SELECT max(points) AS most FROM sign_in_limits`;
      expect(counted).toEqual({ most: 4 });
      await countAs(30);
      expect((await attempt('last@example.com', 'guess', same)).status).toBe(429);
      expect((await attempt('last@example.com', 'guess', other)).status).toBe(401);
    },
  );

  it('sign-in: 30 wrong passwords from an office do not lock out a known device', async () => {
    const office = '10.0.9.1';
    const withDevice = async (email: string, password: string, device: string | undefined) => {
      const answer = await test.visitor().send(
        'POST',
        '/auth/login',
        { email, password },
        {
          'x-forwarded-for': office,
          ...(device === undefined ? {} : { cookie: `device=${device}` }),
        },
      );
      const cookie = answer.headers.getSetCookie().find((text) => text.startsWith('device='));
      return { status: answer.status, cookie, device: /^device=([^;]*)/.exec(cookie ?? '')?.[1] };
    };
    const owner = (device: string | undefined) => withDevice(testAdmin.email, testAdmin.password, device);
    const first = await owner(undefined);
    expect(first.cookie).toMatch(/^device=[\w-]{22}\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict$/);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const colleague = { full_name: 'Colleague', email: 'colleague@example.com', password: 'the phrase of a colleague' };
    await admin.send('POST', '/admin/users', colleague);

    await test.api.context.sql`DELETE FROM sign_in_limits`;
    for (let round = 0; round < 12; round += 1) {
      await attempt(round % 2 === 0 ? testAdmin.email : `other${round}@example.com`, 'wrong', office);
    }
    await countAs(31);
    expect((await owner(undefined)).status).toBe(429);
    const again = await owner(first.device);
    expect([again.status, again.device]).toEqual([200, first.device]);
    // It is only valid for its own account, and only unmodified.
    expect((await withDevice(colleague.email, colleague.password, first.device)).status).toBe(429);
    expect((await owner(`${first.device?.slice(0, -2)}xx`)).status).toBe(429);
    await test.api.context.sql`DELETE FROM sign_in_limits`;
    // A shared computer has both.
    const both = await withDevice(colleague.email, colleague.password, first.device);
    expect(both.device?.split('~')).toHaveLength(2);
    for (let round = 0; round < 4; round += 1) await attempt(`third${round}@example.com`, 'wrong', office);
    await countAs(31);
    expect((await owner(both.device)).status).toBe(200);
    expect((await withDevice(colleague.email, colleague.password, both.device)).status).toBe(200);
    // A client with the device's cookie can guess no faster than any other.
    const guesses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      guesses.push((await withDevice(testAdmin.email, `guess ${round}`, both.device)).status);
    }
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('names the field that is wrong [P70]', async () => {
    const answer = await attempt('no email', '', '10.0.5.1');
    expect(answer.body).toMatchObject({
      code: 'validation',
      detail: [
        { field: 'email', message: 'Enter an email address' },
        { field: 'password', message: 'Password is required' },
      ],
    });
  });

  it('writes audit rows for success and failure, without the input', async () => {
    const rows = await test.api.context.sql<{ action: string }[]>`SELECT action, actor, detail FROM audit_log`;
    const actions = new Set(rows.map((row) => row.action));
    expect([...actions]).toEqual(expect.arrayContaining(['sign_in.succeeded', 'sign_in.failed']));
    expect(JSON.stringify(rows)).not.toMatch(/guess|stranger0/);
  });
});
