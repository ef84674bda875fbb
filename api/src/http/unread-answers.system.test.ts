import { once } from 'node:events';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PackageRepository } from '@roastery/contract/board-packages';
import { apiBasePath } from '@roastery/contract/endpoint';
import type { Upload } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleCsv } from '../testing/example-data.ts';
import { migratedTemplate } from '../testing/ingest-fixture.ts';
import { presentClock } from '../testing/present.ts';
import { startTestApi, testAdmin, type TestApi } from '../testing/test-api.ts';
import type { Visitor } from '../testing/visitor.ts';
import { usualAnswerLimits, type AnswerKind } from './unread-answers.ts';

const megabyte = 1024 * 1024;
/** More than a connection holds by itself. */
const fileBytes = 16 * megabyte;
const packageName = 'agent_0.1.0_arm64.deb';
const repository: PackageRepository = { version: '0.1.0', fingerprints: ['A'.repeat(40)], packages: [] };
/** One router, behind one proxy. */
const office = { 'x-forwarded-for': '203.0.113.9' };

interface Reading {
  readonly socket: Socket;
  readonly head: () => string;
  readonly received: () => number;
  readonly isClosed: () => boolean;
}

describe('answers that are not read', () => {
  const clock = presentClock();
  let folder: string;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  let roast: Roast;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unread-'));
    await mkdir(join(folder, 'pool'));
    await writeFile(join(folder, 'repository.json'), JSON.stringify(repository));
    for (const name of [packageName, 'replaced.deb', 'shortened.deb']) {
      await writeFile(join(folder, 'pool', name), '');
      await truncate(join(folder, 'pool', name), fileBytes);
    }
    await mkdir(join(folder, 'portal/assets'), { recursive: true });
    await writeFile(join(folder, 'portal/index.html'), '<!doctype html><title>portal</title>');
    await writeFile(join(folder, 'portal/assets/app.woff2'), Buffer.alloc(fileBytes));
    database = await createTestDatabase(migratedTemplate);
    test = await startTestApi(
      database.url,
      {
        trustedProxies: 1,
        packagesDir: folder,
        portalDir: join(folder, 'portal'),
        // Two downloads by one address.
        answerLimits: {
          ...usualAnswerLimits,
          package: { total: megabyte, perAddress: 300 * 1024, perReader: megabyte },
        },
      },
      undefined,
      clock,
    );
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const { body: upload } = await admin.sendFile<Upload>('/roasts/uploads?file_name=a.csv', exampleCsv());
    const facts = { start_time: '2026-11-21T07:40:00.000Z', coffee_name: 'Guji' };
    roast = (await admin.send<Roast>('POST', `/roasts/uploads/${upload.id}/roast`, facts)).body;
    await test.api.context.sql`UPDATE recording_files SET content = ${gzipSync(Buffer.alloc(fileBytes))}`;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await test.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Requests a file and reads its head, and no more until it is resumed. */
  const request = async (path: string, headers: Record<string, string> = {}): Promise<Reading> => {
    const socket = connect(test.api.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    let [head, received, isClosed] = ['', 0, false];
    socket.on('error', () => undefined).once('close', () => (isClosed = true));
    const lines = Object.entries({ host: 'roastery', ...office, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    socket.on('data', (piece: Buffer) => {
      received += piece.length;
      if (head !== '') return;
      head = String(piece);
      socket.pause();
    });
    await until('the head of the answer', () => head !== '');
    return { socket, head: () => head, received: () => received, isClosed: () => isClosed };
  };
  const original = (by: Visitor) => request(`${apiBasePath}/roasts/${roast.id}/original`, { cookie: by.cookie ?? '' });
  const personal = async (name: string): Promise<Visitor> => {
    const person = { email: `${name}@roastery.example`, password: 'unread files of a person' };
    const { body } = await admin.send<{ id: string }>('POST', '/admin/users', { ...person, full_name: name });
    await admin.send('PATCH', `/admin/users/${body.id}`, { is_admin: true });
    return test.signedIn(person.email, person.password);
  };
  const held = (kind: AnswerKind) => test.api.context.answers.heldBytes(kind);

  it('of one person: are refused above the person’s share with the time to wait, and cut off when nothing of them is read for 30 s', async () => {
    const [ana, tomo] = [await personal('ana'), await personal('tomo')];
    const unread = [await original(ana), await original(ana)];
    expect(unread.map(({ head }) => head().split('\r\n')[0])).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']);
    const third = await ana.send<{ code: string }>('GET', `/roasts/${roast.id}/original`, undefined, office);
    expect([third.status, third.body.code, third.headers.get('retry-after')]).toEqual([429, 'too_many_requests', '30']);
    // Pages have room of their own.
    expect((await ana.send('GET', `/roasts/${roast.id}`, undefined, office)).status).toBe(200);

    // A slow reader at the same address goes on.
    const slow = await original(tomo);
    expect(held('file')).toBe(3 * fileBytes);
    await until('the unread answers to be cut off', async () => {
      const before = slow.received();
      slow.socket.resume();
      if (before < fileBytes) await until('more of the slow answer', () => slow.received() > before);
      slow.socket.pause();
      clock.pass(5000);
      return held('file') <= fileBytes;
    });
    slow.socket.resume();
    await until('the whole slow answer', () => slow.received() > fileBytes);
    await expect.poll(() => held('file')).toBe(0);
    expect(slow.isClosed()).toBe(false);
    for (const { socket, isClosed } of unread) {
      socket.resume();
      await until('the end of the connection', isClosed);
    }
    expect(unread.filter(({ received }) => received() >= fileBytes)).toEqual([]);
    expect((await ana.download(`/roasts/${roast.id}/original`)).bytes).toHaveLength(fileBytes);
  });

  it('of requests that wait behind another one on a connection: are given back when the connection ends', async () => {
    const reader = await personal('pipelining');
    const socket = connect(test.api.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.pause();
    const head = `host: roastery\r\ncookie: ${reader.cookie ?? ''}\r\n\r\n`;
    const path = `${apiBasePath}/roasts/${roast.id}/original`;
    socket.write(
      `GET ${path} HTTP/1.1\r\n${head}GET ${path} HTTP/1.1\r\n${head}GET ${apiBasePath}/wall/live HTTP/1.1\r\n${head}`,
    );
    const { streams } = test.api.context;
    await until('three answers', () => held('file') === 2 * fileBytes && streams.size === 1);
    socket.destroy();
    await expect.poll(() => [held('file'), streams.size]).toEqual([0, 0]);
  });

  it('of the portal’s files: count as what is read ahead of them, and are cut off', async () => {
    const unread = [await request('/assets/app.woff2'), await request('/assets/app.woff2')];
    expect(unread.map(({ head }) => head().split('\r\n')[0])).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']);
    expect(held('page')).toBe(2 * 128 * 1024);
    await until('the unread files to be cut off', () => {
      clock.pass(5000);
      return held('page') === 0;
    });
  });

  it('of packages: are refused above the share of their address, and cut off', async () => {
    const path = `/packages/pool/${packageName}`;
    for (let n = 0; n < 2; n++) await request(path);
    const refused = await request(path);
    expect(refused.head()).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 30[^]*"code":"too_many_requests"/i);
    const elsewhere = await request(path, { 'x-forwarded-for': '203.0.113.10' });
    expect(elsewhere.head()).toMatch(/^HTTP\/1\.1 200 /);
    expect(held('package')).toBeGreaterThan(0);
    await until('the unread packages to be cut off', () => {
      clock.pass(5000);
      return held('package') === 0;
    });
    expect((await fetch(`${test.url}${path}`, { headers: office })).status).toBe(200);
  });

  it('of packages: end with an error when the file is shortened or replaced under the api', async () => {
    const shortened = await request('/packages/pool/shortened.deb');
    await truncate(join(folder, 'pool/shortened.deb'), 1000);
    shortened.socket.resume();
    await until('the end of the shortened package', shortened.isClosed);
    expect(shortened.received()).toBeLessThan(fileBytes);

    await writeFile(join(folder, 'pool/replaced.deb'), 'another release');
    const replaced = await fetch(`${test.url}/packages/pool/replaced.deb`, { headers: office });
    expect([replaced.status, replaced.headers.get('retry-after')]).toEqual([503, '60']);
    await rm(join(folder, 'pool/replaced.deb'));
    expect((await fetch(`${test.url}/packages/pool/replaced.deb`, { headers: office })).status).toBe(503);
  });
});
