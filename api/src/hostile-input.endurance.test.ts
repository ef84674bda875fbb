import { connect } from 'node:net';
import { apiBasePath, type Endpoint } from '@roastery/contract/endpoint';
import { endpoints } from '@roastery/contract/endpoints';
import { volume } from '@roastery/testing/endurance/volume';
import { hostileJson, hostileText } from '@roastery/testing/fuzz/hostile-values';
import { createSeededRandom } from '@roastery/testing/fuzz/seeded-random';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequests } from './testing/example-requests.ts';
import { startTestApi, testAdmin, testBrokerSecret, type TestApi } from './testing/test-api.ts';
import { migratedTemplate } from './testing/ingest-fixture.ts';

describe('hostile input', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let test: TestApi;
  let cookie = '';
  let ownerId = '';
  beforeAll(async () => {
    database = await createTestDatabase(migratedTemplate);
    test = await startTestApi(database.url);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    cookie = admin.cookie ?? '';
    ownerId = (await admin.send<{ id: string }>('GET', '/auth/me')).body.id;
  });
  afterAll(async () => {
    await test.close();
    await database.drop();
  });

  const ask = async (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    type = 'application/json',
  ) => {
    const end = new AbortController();
    const answer = await fetch(`${test.url}${path}`, {
      method,
      headers: {
        cookie,
        'x-broker-secret': testBrokerSecret,
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
      signal: end.signal,
    });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (isStream) end.abort();
    const text = isStream ? '' : await answer.text();
    return { status: answer.status, text };
  };

  const random = createSeededRandom(20_261_121);

  /** A valid body with one to three hostile fields, or something else entirely. */
  const hostileBody = (endpoint: Endpoint, unique: string): string => {
    const fields = Object.entries(exampleRequests[endpoint.name]?.body?.(unique) ?? {}).map(
      ([name, value]) => [name, JSON.stringify(value)] as [string, string],
    );
    if (fields.length === 0 || random.below(12) === 0)
      return random.pick(['', '{', '{"a":', 'undefined', '\ufeff{}', ...hostileJson]);
    const shape = endpoint.body && 'shape' in endpoint.body ? Object.keys(endpoint.body.shape as object) : [];
    const changed = new Map(fields);
    for (let count = 1 + random.below(3); count > 0; count -= 1) {
      changed.set(random.pick([...shape, ...fields.map(([name]) => name)]) ?? '', random.pick(hostileJson));
    }
    return `{${[...changed].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  };
  const hostileQuery = (endpoint: Endpoint): string => {
    const names = endpoint.query && 'shape' in endpoint.query ? Object.keys(endpoint.query.shape as object) : ['q'];
    const raw = (text: string): string =>
      random.below(2) === 0 ? encodeURIComponent(text) : text.replaceAll(/[\0#\s]/g, '+');
    return Array.from({ length: random.below(4) }, () => `${random.pick(names)}=${raw(random.pick(hostileText))}`).join(
      '&',
    );
  };
  const hostilePath = async (endpoint: Endpoint): Promise<string> => {
    const params = (await exampleRequests[endpoint.name]?.params?.(test.api.context.sql, ownerId)) ?? {};
    return endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      random.below(3) === 0 ? encodeURIComponent(random.pick(hostileText)) || 'x' : (params[name] ?? 'x'),
    );
  };

  // Both hash a password, which takes a fraction of a second; a few are enough.
  const slow = new Set(['login', 'changePassword', 'createUser', 'resetPassword']);
  const targets = endpoints.filter((endpoint) => endpoint.name !== 'logout' && endpoint.name !== 'endSession');

  const enough = volume(5000, 1000);

  it(`never gets a 500 or a response with a stack trace, in ${enough} requests`, async () => {
    const bad: string[] = [];
    let sent = 0;
    const oneRound = async (endpoint: Endpoint): Promise<void> => {
      if (slow.has(endpoint.name) && random.below(10) !== 0) return;
      const query = hostileQuery(endpoint);
      const path = `${apiBasePath}${await hostilePath(endpoint)}${query ? `?${query}` : ''}`;
      const body = endpoint.body ? hostileBody(endpoint, `unique-${sent}`) : undefined;
      sent += 1;
      const answer = await ask(endpoint.method, path, body);
      const isRefusedOtherwise = answer.status === 503 && /^machines?Live$/.test(endpoint.name);
      if ((answer.status >= 500 && !isRefusedOtherwise) || /\bat .*\.(ts|js):\d+/.test(answer.text)) {
        bad.push(`${endpoint.method} ${path} ${body?.slice(0, 300)} → ${answer.status} ${answer.text.slice(0, 300)}`);
      }
    };
    const rounds = Math.ceil(enough / (targets.length - slow.size));
    for (let round = 0; round < rounds; round += 1) {
      for (let at = 0; at < targets.length; at += 8) await Promise.all(targets.slice(at, at + 8).map(oneRound));
    }
    expect(sent).toBeGreaterThanOrEqual(enough);
    expect(bad.slice(0, 5)).toEqual([]);
    expect(test.log()).not.toContain('"level":50');
  });

  it('gets 4xx responses that describe its errors', async () => {
    const machines = `${apiBasePath}/machines`;
    const invalid = new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await ask('POST', machines, invalid)).status).toBe(422);
    expect((await ask('POST', machines, '{}', 'text/plain')).status).toBe(415);
    expect((await ask('POST', machines, `{"a":"${'x'.repeat(1024 * 1024)}"}`)).status).toBe(413);
    expect((await ask('POST', machines, `${'['.repeat(100_000)}${']'.repeat(100_000)}`)).status).toBe(422);
    expect((await ask('GET', `${machines}/%zz`)).status).toBe(404);
    expect((await ask('GET', `${machines}?limit=1&limit=2`)).status).toBe(422);
    expect((await ask('DELETE', machines)).status).toBe(405);
    expect((await ask('GET', `${apiBasePath}/nothing`)).status).toBe(404);
    const yearZero = '{"lot_number":"1","coffee_name":"x","origin":"y","initial_weight":1,"harvest_date":"0000-01-01"}';
    expect((await ask('POST', `${apiBasePath}/inventory/lots`, yearZero)).status).toBe(422);
    const fields = await ask('POST', machines, '{"serial_number":"x","max_capacity_kg":"30"}');
    expect(JSON.parse(fields.text)).toMatchObject({
      code: 'validation',
      detail: [
        { field: 'display_name' },
        { field: 'machine_type' },
        { field: 'max_capacity_kg', message: 'Enter the capacity in kg' },
      ],
    });
  });

  /** Bytes that no client library would send. */
  const raw = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(test.api.port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
      socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
      socket.on('error', reject);
    });

  it('gets a response or a closed connection when it is not HTTP', async () => {
    const close = 'Connection: close\r\n\r\n';
    const tooMuch = `${(1024 * 1024 + 1).toString(16)}\r\n${'x'.repeat(1024 * 1024 + 1)}\r\n0\r\n\r\n`;
    const head = `POST ${apiBasePath}/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    expect(await raw(`GET ${apiBasePath}/auth/me?%zz=%ff HTTP/1.1\r\nHost: a\r\n${close}`)).toContain(' 401 ');
    expect(await raw(`GET ${apiBasePath}/machines/%c0%80 HTTP/1.1\r\nHost: a\r\n${close}`)).toContain(' 401 ');
    expect(await raw(`GET / HTTP/1.1\r\nHost: a b<>\r\n${close}`)).toMatch(/ (400|404) /);
    expect(await raw(`GET / HTTP/1.1\r\n${close}`)).toContain(' 400 ');
    expect(await raw(`${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${tooMuch}`)).toContain(' 413 ');
    const before = test.log().length;
    const half = connect(test.api.port, '127.0.0.1');
    half.write(`${head}Content-Length: 100\r\n\r\n{"a"`, () => half.destroy());
    const line = await until('the request that broke off is in the log', () =>
      test
        .log()
        .slice(before)
        .split('\n')
        .find((text) => text.includes('"msg":"request"')),
    );
    expect(line).toContain('"status":422');
    expect(await raw(`GARBAGE\r\n\r\n`)).toContain(' 400 ');
    expect(await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n${close}`)).toContain(' 431 ');
  });
});
