import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ImportFile, RoastImport } from '@roastery/contract/roast-imports';
import { createTestDatabase } from '@roastery/testing/test-database';
import { expect, it, onTestFinished } from 'vitest';
import { createImportThread } from './import-thread.ts';
import { exampleAlog } from './testing/example-data.ts';
import { migratedTemplate } from './testing/ingest-fixture.ts';
import { startTestApi, testAdmin } from './testing/test-api.ts';

const program = new URL('../dist/program/import-program.js', import.meta.url).href;

const start = async (imports: ReturnType<typeof createImportThread>) => {
  const database = await createTestDatabase(migratedTemplate);
  const test = await startTestApi(database.url, {}, imports);
  onTestFinished(async () => {
    await test.close();
    await database.drop();
  });
  const admin = await test.signedIn(testAdmin.email, testAdmin.password);
  const stateOf = async (id: string) => (await admin.send<RoastImport>('GET', `/roast-imports/${id}`)).body;
  return {
    test,
    admin,
    begin: async () => (await admin.send<RoastImport>('POST', '/roast-imports', {})).body.id,
    send: (id: string, name: string, bytes: string) =>
      admin.sendFiles<{ ids?: string[]; code?: string }>(`/roast-imports/${id}/files`, [{ name, bytes }]),
    until: (id: string, done: (state: RoastImport) => boolean) =>
      expect.poll(async () => done(await stateOf(id)), { timeout: 90_000, interval: 200 }).toBe(true),
  };
};

it('import thread: stores files, returns refusals, reads and imports', async () => {
  const { admin, begin, send, until } = await start(createImportThread());
  const id = await begin();
  const alog = exampleAlog();
  const [small, large] = [await send(id, 'a.alog', alog), await send(id, 'b.txt', 'no roast '.repeat(9000))];
  expect([small.status, large.status]).toEqual([201, 201]);
  expect((await send(id, 'a.alog', alog)).body.ids).toEqual(small.body.ids);
  const refused = await send('0190b5c2-0000-7000-8000-000000000000', 'a.alog', alog);
  expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
  await until(id, ({ waiting, files }) => files === 2 && waiting === 0);
  await admin.send('POST', `/roast-imports/${id}/start`, {});
  await until(id, ({ state, imported }) => state === 'done' && imported === 1);
});

/** A folder with a program in place of the thread's. */
const programOf = async (textIn: (folder: string) => string): Promise<{ folder: string; file: string }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'roastery-import-thread-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, textIn(folder));
  return { folder, file };
};

it('import thread: restarts after it ended, and answers 503 until then', async () => {
  // Ends at the first start, on its first order.
  const failing = await programOf(
    (folder) => `
    import { existsSync, writeFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    const begun = ${JSON.stringify(path.join(folder, 'begun'))};
    if (existsSync(begun)) await import(${JSON.stringify(program)});
    else parentPort.once('message', () => { writeFileSync(begun, ''); throw new Error('out of order'); });`,
  );
  const { test, begin, send, until } = await start(createImportThread(failing.file));
  const id = await begin();
  const first = await send(id, 'a.alog', exampleAlog());
  expect([first.status, first.body.code]).toEqual([503, 'not_ready']);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await send(id, 'a.alog', exampleAlog())).status).toBe(503);
  await expect
    .poll(async () => (await send(id, 'a.alog', exampleAlog())).status, { timeout: 10_000, interval: 200 })
    .toBe(201);
  await until(id, ({ waiting, files }) => files === 1 && waiting === 0);
  expect(test.log()).toContain('import thread ended, restarting');
});

it('import thread: refuses a request with 429 while sixteen others wait', async () => {
  const slow = await programOf(
    (folder) => `
    import { existsSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    const held = [];
    parentPort.on('message', ({ kind, order }) => (kind === 'close' ? process.exit() : held.push(order)));
    setInterval(() => {
      if (!existsSync(${JSON.stringify(path.join(folder, 'go'))})) return;
      for (const order of held.splice(0)) parentPort.postMessage({ order, ids: [] });
    }, 20);`,
  );
  const { begin, send } = await start(createImportThread(slow.file));
  const id = await begin();
  const sent = Array.from({ length: 17 }, (_, place) => send(id, `${place}.alog`, exampleAlog()));
  const first = await Promise.race(sent);
  expect([first.status, first.body.code]).toEqual([429, 'too_many_requests']);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  await writeFile(path.join(slow.folder, 'go'), '');
  const answers = await Promise.all(sent);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(16);
});

it('import thread: is terminated when it does not end at shutdown', async () => {
  const stuck = await programOf(
    () => `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));`,
  );
  const { test } = await start(createImportThread(stuck.file));
  await test.close();
  expect(test.log()).toContain('import thread does not end, terminating');
});

it('import thread: one that the system refuses to start is tried again, and the api runs', async () => {
  // A worker refuses a relative path as it refuses to start without memory: it throws.
  const { test, begin, send } = await start(createImportThread('no-program.mjs'));
  expect((await send(await begin(), 'a.alog', exampleAlog())).status).toBe(503);
  expect(test.log()).toContain('import thread failed');
  expect(test.log()).toContain('import thread ended, restarting');
});

it('import thread: gives up a file that ended it three times, and imports the next one', async () => {
  // Ends when it passes the bad file to its reader.
  const ending = await programOf(
    () => `
    import { Socket } from 'node:net';
    const { write } = Socket.prototype;
    Socket.prototype.write = function (chunk, ...rest) {
      if (!Buffer.isBuffer(chunk) || !chunk.includes('ends the thread')) return write.call(this, chunk, ...rest);
      setImmediate(() => { throw new Error('out of order'); });
      return true;
    };
    await import(${JSON.stringify(program)});`,
  );
  const { test, admin, begin, send, until } = await start(createImportThread(ending.file));
  const id = await begin();
  await send(id, 'bad.alog', 'ends the thread');
  await expect.poll(async () => (await send(id, 'good.alog', exampleAlog())).status, { interval: 200 }).toBe(201);
  await until(id, ({ waiting }) => waiting === 0);
  const { body } = await admin.send<{ files: ImportFile[] }>('GET', `/roast-imports/${id}/files`);
  expect(body.files).toMatchObject([
    { file_name: 'bad.alog', state: 'refused', remarks: [expect.stringContaining('could not process this file')] },
    { file_name: 'good.alog', state: 'read' },
  ]);
  expect(test.log().match(/import thread ended, restarting/g)).toHaveLength(3);
  await admin.send('POST', `/roast-imports/${id}/start`, {});
  await until(id, ({ state, imported }) => state === 'done' && imported === 1);
});
