import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getBoardPackages, type PackageRepository } from '@roastery/contract/board-packages';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';

const deb = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
const repository: PackageRepository = { version: '0.1.0', fingerprints: ['A'.repeat(40)], packages: [] };
const contents = {
  'repository.json': JSON.stringify(repository),
  'install.sh': "#!/bin/sh\nportal='@PORTAL@'\n",
  'roastery.asc': 'key',
  'dists/stable/InRelease': 'x'.repeat(4000),
  'dists/stable/main/binary-arm64/by-hash/SHA256/abc': 'Package: x\n',
  'pool/main/agent_0.1.0_arm64.deb': deb,
  'empty.json': '',
};

let folder: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let test: TestApi;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packages-'));
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(join(folder, 'packages', dirname(path)), { recursive: true });
    await writeFile(join(folder, 'packages', path), content);
  }
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await symlink(join(folder, 'secret.txt'), join(folder, 'packages', 'link.txt'));
  database = await createTestDatabase(migratedTemplate);
  test = await startTestApi(database.url, {
    packagesDir: join(folder, 'packages'),
    publicUrl: 'https://roastery.example',
  });
});
afterAll(async () => {
  await test.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${test.url}/packages/${path}`, { headers: { 'accept-encoding': 'identity', ...headers }, method });
/** `fetch` would normalise the path before it is sent. */
const statusOfRaw = (path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(test.url, { path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .once('error', reject)
      .end();
  });
const bytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

describe('/packages/', () => {
  it('serves packages, indexes and key publicly, each with its type', async () => {
    const answer = await get('pool/main/agent_0.1.0_arm64.deb');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/vnd.debian.binary-package']);
    expect(answer.headers.get('content-length')).toBe('5000');
    expect(await bytes(answer)).toEqual(deb);
    const typeOf = async (path: string) => (await get(path)).headers.get('content-type');
    expect(await typeOf('roastery.asc')).toBe('application/pgp-keys');
    expect(await typeOf('dists/stable/InRelease')).toBe('text/plain; charset=utf-8');
    const head = await get('pool/main/agent_0.1.0_arm64.deb', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '5000']);
    expect((await get('empty.json')).status).toBe(200);
  });

  it('is never compressed, and only files under their own hash are cached without revalidation', async () => {
    const index = await get('dists/stable/InRelease', { 'accept-encoding': 'gzip' });
    expect(index.headers.get('content-encoding')).toBeNull();
    expect(index.headers.get('cache-control')).toBe('public, no-transform, no-cache');
    const byHash = await get('dists/stable/main/binary-arm64/by-hash/SHA256/abc');
    expect(byHash.headers.get('cache-control')).toMatch(/immutable/);
  });

  it('answers 304 to a client that has the file', async () => {
    const first = await get('dists/stable/InRelease');
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    expect((await get('dists/stable/InRelease', { 'if-none-match': etag })).status).toBe(304);
    expect((await get('dists/stable/InRelease', { 'if-modified-since': modified })).status).toBe(304);
    const longAgo = 'Sat, 21 Nov 2020 10:00:00 GMT';
    expect((await get('dists/stable/InRelease', { 'if-modified-since': longAgo })).status).toBe(200);
    expect((await get('dists/stable/InRelease', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['bytes=4000-', 206, 'bytes 4000-4999/5000', deb.subarray(4000)],
    ['bytes=0-9', 206, 'bytes 0-9/5000', deb.subarray(0, 10)],
    ['bytes=4990-9999', 206, 'bytes 4990-4999/5000', deb.subarray(4990)],
    ['bytes=-10', 206, 'bytes 4990-4999/5000', deb.subarray(4990)],
    ['bytes=5000-', 416, 'bytes */5000', Buffer.alloc(0)],
    ['bytes=0-1,4-5', 200, null, deb],
    ['lines=1-2', 200, null, deb],
  ])('answers the range %s with %i', async (range, status, contentRange, content) => {
    const answer = await get('pool/main/agent_0.1.0_arm64.deb', { range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
    expect(await bytes(answer)).toEqual(content);
  });

  it('sends the whole file when the range was requested for another version', async () => {
    const path = 'pool/main/agent_0.1.0_arm64.deb';
    const modified = (await get(path)).headers.get('last-modified') ?? '';
    expect((await get(path, { range: 'bytes=4000-', 'if-range': modified })).status).toBe(206);
    expect((await get(path, { range: 'bytes=4000-', 'if-range': 'Sat, 21 Nov 2020 10:00:00 GMT' })).status).toBe(200);
  });

  it('serves only files of the repository', async () => {
    for (const path of ['', 'dists', 'dists/', 'nothing.deb', 'link.txt', '%E0%A4%A', '..%2fsecret.txt', '%00'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    expect(await statusOfRaw('/packages/../secret.txt')).toBe(404);
    expect(await statusOfRaw('/packages/pool/../../secret.txt')).toBe(404);
    expect(await statusOfRaw('/packages//etc/passwd')).toBe(404);
    expect((await get('roastery.asc', {}, 'DELETE')).status).toBe(404);
  });

  it('writes the address of this server into install.sh', async () => {
    const answer = await get('install.sh');
    expect(await answer.text()).toBe("#!/bin/sh\nportal='https://roastery.example'\n");
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  });
});

describe('getBoardPackages', () => {
  it('returns version, key and address, or null without packages', async () => {
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const { body } = await admin.send('GET', getBoardPackages.path);
    expect(body).toEqual({ portal_url: 'https://roastery.example', repository });
    await using other = await createTestDatabase(migratedTemplate);
    await using without = await startTestApi(other.url, { packagesDir: join(folder, 'nothing') });
    const visitor = await without.signedIn(testAdmin.email, testAdmin.password);
    expect((await visitor.send('GET', getBoardPackages.path)).body).toMatchObject({ repository: null });
    expect((await fetch(`${without.url}/packages/install.sh`)).status).toBe(404);
  });
});
