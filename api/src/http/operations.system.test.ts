import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { uuidV7 } from '@roastery/runtime/uuid';
import { startEmbeddedPostgres } from '@roastery/stack/embedded-postgres';
import { freePort } from '@roastery/stack/ports';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import { startTestApi, testAdmin } from '../testing/test-api.ts';
import { migratedTemplate } from '../testing/ingest-fixture.ts';

const quiet = { info: () => undefined, debug: () => undefined };
const temporaryFolder = async (name: string) => {
  const folder = await mkdtemp(join(tmpdir(), name));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
};

describe('when Postgres is unavailable', () => {
  it('the api waits for it at the start, answers 503 while it is down, and recovers', async () => {
    await using place = await temporaryFolder('api-postgres-');
    const port = await freePort();
    const startPostgres = () => startEmbeddedPostgres({ dataDir: place.folder, port, log: quiet });
    const first = await startPostgres();
    const { url } = first;
    await first.close();

    const starting = startTestApi(url);
    const second = await startPostgres();
    await using test = await starting;
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const stream = test.api.context.streams.open(uuidV7(), { userId: uuidV7() });

    process.kill(second.pid, 'SIGKILL');
    await second.exited;
    await second.close();
    const away = await admin.send<{ code: string }>('GET', '/machines');
    expect([away.status, away.body.code]).toEqual([503, 'not_ready']);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await (await fetch(`${test.url}/readyz`)).json()).toMatchObject({ status: 'not_ready', database: false });
    expect((await fetch(`${test.url}/healthz`)).status).toBe(200);

    const third = await startPostgres();
    try {
      await until('the api works again', async () => (await admin.send('GET', '/machines')).status === 200, {
        timeoutMs: 60_000,
        everyMs: 100,
      });
      // It listens for ended sessions again, and ends streams whose session ended before.
      await until('the stream without a session has ended', () => stream.signal.aborted, {
        timeoutMs: 60_000,
        everyMs: 50,
      });
    } finally {
      await test.close();
      await third.close();
    }
  });
});

describe('when ingest commits nothing', () => {
  it('readyz: answers 503 with the age of the oldest message while ingest is stalled', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using test = await startTestApi(database.url);
    const { health } = test.api.context;
    const ready = async () => {
      const answer = await fetch(`${test.url}/readyz`);
      return { code: answer.status, ...((await answer.json()) as { ingest?: object }) };
    };
    const lastCommitAt = new Date('2026-11-22T07:00:00.000Z');
    health.ingest = () => ({ isStalled: true, oldestWaitingSeconds: 75.4, lastCommitAt, parkedMachines: 2 });
    expect(await ready()).toMatchObject({
      code: 503,
      ingest: {
        stalled: true,
        oldest_waiting_seconds: 75,
        last_commit_at: lastCommitAt.toISOString(),
        parked_machines: 2,
      },
    });
    health.ingest = () => ({ isStalled: false, oldestWaitingSeconds: 75.4, lastCommitAt, parkedMachines: 2 });
    expect(await ready()).toMatchObject({ database: true, ingest: { stalled: false } });
  });
});

describe('when the api stops', () => {
  it('reports not ready, ends streams, completes requests in flight and accepts no more', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    const test = await startTestApi(database.url);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const form = { serial_number: 'S', display_name: 'Before', machine_type: 'RM7', max_capacity_kg: 7 };
    const { id } = (await admin.send<{ id: string }>('POST', '/machines', form)).body;
    const stream = test.api.context.streams.open('session', { userId: 'user' });

    const release = new AbortController();
    const held = once(release.signal, 'abort');
    const { sql } = test.api.context;
    const locked = new AbortController();
    const isLocked = once(locked.signal, 'abort');
    const blocking = sql.begin(async (tx) => {
      await tx`SELECT 1 FROM machines WHERE id = ${id} FOR UPDATE`;
      locked.abort();
      await held;
    });
    await isLocked;
    const inFlight = admin.send('PUT', `/machines/${id}`, { ...form, display_name: 'After' });
    await until('the update waits', async () => {
      const [row] = await sql<{ waiting: number }[]>`SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted`;
      return (row?.waiting ?? 0) > 0;
    });
    const closed = test.close();
    expect(test.api.context.health.stopping).toBe(true);
    expect(stream.signal.aborted).toBe(true);
    const refused = () => fetch(`${test.url}/healthz`).then(() => '', String);
    await expect.poll(refused).toContain('fetch failed');
    release.abort();
    await blocking;
    expect((await inFlight).status).toBe(200);
    await closed;
  });
});

describe('after SIGTERM', () => {
  it('readyz: answers 503 first, and no request sent before a balancer sees it is refused or reset', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    const test = await startTestApi(database.url, { drainMs: 5000 });
    /** One request on a separate connection. */
    const ask = (path: string) =>
      new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
        get(`${test.url}${path}`, { agent: false }, (answer) => {
          answer.resume();
          answer.once('end', () => resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection }));
        }).once('error', reject);
      });
    const sending = new AbortController();
    const failed: string[] = [];
    let answered = 0;
    const client = async (): Promise<void> => {
      while (!sending.signal.aborted) {
        await ask('/healthz').then(
          () => (answered += 1),
          (error: unknown) => failed.push(String(error)),
        );
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await until('requests to be answered', () => answered > 50);
    const closed = test.close();
    await until('a balancer to see it', async () => (await ask('/readyz')).status === 503);
    const last = await ask('/healthz');
    sending.abort();
    await clients;
    expect(last).toEqual({ status: 200, connection: 'close' });
    expect(failed).toEqual([]);
    await closed;
    await expect(ask('/healthz')).rejects.toThrow('ECONNREFUSED');
  });
});

const board = (token: string) => ({ authorization: `Bearer ${token}`, 'x-machine-serial': 'CANARY' });

describe('operations', () => {
  it('show metrics to this computer or with the token, not through a proxy', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using test = await startTestApi(database.url, { metricsToken: 'a token for the figures' });
    const status = async (headers: Record<string, string>) => (await fetch(`${test.url}/metrics`, { headers })).status;
    expect(await status({})).toBe(200);
    expect(await status({ 'x-forwarded-for': '203.0.113.9' })).toBe(404);
    expect(await status({ 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer wrong' })).toBe(404);
    expect(await status({ 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer a token for the figures' })).toBe(
      200,
    );
    expect(await (await fetch(`${test.url}/metrics`)).text()).toContain('http_request_duration_seconds_count');
    expect(await (await fetch(`${test.url}/.well-known/security.txt`)).text()).toMatch(/^Contact: .*\nExpires: /);
  });

  it('no secret reaches the log', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using test = await startTestApi(database.url);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const form = { serial_number: 'CANARY', display_name: 'x', machine_type: 'RM7', max_capacity_kg: 7 };
    const machine = (await admin.send<{ auth_token: string; pairing_code: string }>('POST', '/machines', form)).body;
    const person = { full_name: 'x', email: 'canary@example.com', password: 'canary password one' };
    const user = (await admin.send<{ id: string }>('POST', '/admin/users', person)).body;
    await admin.send('POST', '/admin/users', person);
    const reset = (await admin.send<{ password: string }>('POST', `/admin/users/${user.id}/reset-password`)).body;
    await test.visitor().send('POST', '/auth/login', { email: person.email, password: 'canary wrong guess' });
    await test.visitor().send('GET', '/devices/me', undefined, board(machine.auth_token));
    await test.visitor().send('GET', '/devices/me', undefined, board('canary-wrong-token'));
    const connect = { clientid: 'board-CANARY', username: 'CANARY', password: 'canary-mqtt-password' };
    const secret = { 'x-broker-secret': test.api.context.config.brokerSecret };
    await test.visitor().send('POST', '/mqtt/auth', connect, secret);
    await admin.send('GET', '/machines?q=canary-search');
    const secrets = [
      testAdmin.password,
      person.password,
      reset.password,
      machine.auth_token,
      machine.pairing_code,
      admin.cookie?.split('=')[1] ?? 'no cookie',
      test.api.context.config.brokerSecret,
      test.api.context.config.secretKey,
      new URL(database.url).password,
      'canary wrong guess',
      'canary-wrong-token',
      'canary-mqtt-password',
      'canary-search',
    ].filter((text) => text !== '');
    const log = test.log();
    expect(log).toContain('/api/v1/devices/me');
    expect(secrets.filter((text) => log.includes(text))).toEqual([]);
    const rows = JSON.stringify(await test.api.context.sql`SELECT * FROM audit_log`);
    expect(secrets.filter((text) => rows.includes(text))).toEqual([]);
  });
});

describe('the portal', () => {
  it('is served with caching, compression, preloads and a strict policy with its inline script, and never for the api', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using place = await temporaryFolder('portal files ');
    await mkdir(join(place.folder, 'assets'));
    const inline = `\n  document.documentElement.dataset.theme = 'dark';\n`;
    const hash = createHash('sha256').update(inline).digest('base64');
    await writeFile(join(place.folder, 'index.html'), `<!doctype html><title>portal</title><script>${inline}</script>`);
    const script = `console.log(${JSON.stringify('x'.repeat(5000))})`;
    await writeFile(join(place.folder, 'assets', 'app-1a2b3c.js'), script);
    await writeFile(join(place.folder, 'assets', 'app-1a2b3c.js.br'), brotliCompressSync(script));
    await writeFile(join(place.folder, 'assets', 'plain-4d5e6f.js'), script);
    const preloads = { '/roasts/new': ['/assets/new.js'], '/roasts/:id': ['/assets/roast.js', '/assets/charts.js'] };
    await writeFile(join(place.folder, 'preloads.json'), JSON.stringify(preloads));
    await using test = await startTestApi(database.url, { portalDir: place.folder });
    const get = (path: string, encoding = 'gzip, br') =>
      fetch(`${test.url}${path}`, { headers: { 'accept-encoding': encoding } });

    for (const path of ['/', '/roasts/0198c0de-0000-7000-8000-000000000000', '/admin/users']) {
      const page = await get(path);
      expect(page.headers.get('content-type'), path).toContain('text/html');
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const policy = page.headers.get('content-security-policy');
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
      expect(await page.text()).toContain('<title>portal</title>');
    }
    const linkOf = async (path: string) => (await get(path)).headers.get('link');
    expect(await linkOf('/roasts/new')).toBe('</assets/new.js>; rel=modulepreload');
    expect(await linkOf('/roasts/0198c0de')).toBe(
      '</assets/roast.js>; rel=modulepreload, </assets/charts.js>; rel=modulepreload',
    );
    expect([await linkOf('/'), await linkOf('/admin/users'), await linkOf('/roasts/a/b')]).toEqual([null, null, null]);
    const openFiles = async (): Promise<number> => {
      const links = await readdir('/proc/self/fd');
      const targets = await Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')));
      return targets.filter((target) => target.startsWith(place.folder)).length;
    };
    for (let n = 0; n < 20; n++) {
      const head = await fetch(`${test.url}/assets/plain-4d5e6f.js`, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(script.length)]);
    }
    await until('HEAD requests to leave no file open', async () => (await openFiles()) === 0);
    const asset = await get('/assets/app-1a2b3c.js');
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-encoding')).toBe('br');
    expect(await asset.text()).toBe(script);
    expect((await get('/assets/plain-4d5e6f.js')).headers.get('content-encoding')).toBe('gzip');
    for (const path of ['/assets/gone.js', '/api/v1/gone', '/api/gone', '/favicon.ico', '/.well-known/x']) {
      const gone = await get(path);
      expect([gone.status, gone.headers.get('content-type')], path).toEqual([404, 'application/json']);
    }
    for (const path of ['/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2fpackage.json', '/%2e%2e/secret']) {
      expect(await (await get(path)).text(), path).not.toMatch(/root:|"name"/);
    }
  });
});

const statusUnder = (port: number, path: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).once('error', reject);
  });

describe('operations endpoints', () => {
  it('answer 421 under a foreign host name (DNS rebinding)', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    const token = 'a token for the metrics of this test';
    await using test = await startTestApi(database.url, {
      metricsToken: token,
      publicUrl: 'https://roastery.example',
    });
    const { port } = test.api;
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`]) {
        expect(await statusUnder(port, path, { host }), `${path} ${host}`).toBe(421);
      }
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'api:3000', 'roastery.example']) {
        expect(await statusUnder(port, path, { host }), `${path} ${host}`).toBe(path === '/readyz' ? 503 : 200);
      }
    }
    const authorization = `Bearer ${token}`;
    expect(await statusUnder(port, '/metrics', { host: 'api.roastery.svc', authorization })).toBe(200);
  });
});
