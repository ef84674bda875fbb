import type { BatchNumber } from '@roastery/contract/batch-numbers';
import type { ImportFile, RoastImport } from '@roastery/contract/roast-imports';
import type { Roast, RoastRow } from '@roastery/contract/roasts';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addImport, addMachine, addUser, exampleCsv } from '../../../testing/example-data.ts';
import { formatFiles } from '../../../testing/format-files.ts';
import { migratedTemplate } from '../../../testing/ingest-fixture.ts';
import { numberLateRoasts } from '../../../ingest/sweeper.ts';
import { startTestApi, testAdmin, type TestApi } from '../../../testing/test-api.ts';
import type { NamedBytes, Visitor } from '../../../testing/visitor.ts';

type Answer<Body> = { status: number; body: Body & { detail?: unknown } };

describe('import of many files', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    database = await createTestDatabase(migratedTemplate);
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
  });
  afterAll(async () => {
    await test.close();
    await database.drop();
  });

  const begin = async () => (await admin.send<RoastImport>('POST', '/roast-imports', {})).body.id;
  const send = (id: string, ...files: NamedBytes[]) =>
    admin.sendFiles<{ ids: string[]; detail?: unknown }>(`/roast-imports/${id}/files`, files);
  const add = (id: string, name: string, bytes: NamedBytes['bytes']) => send(id, { name, bytes });
  const stateOf = async (id: string) => (await admin.send<RoastImport>('GET', `/roast-imports/${id}`)).body;
  const filesOf = async (id: string, query = '') =>
    (await admin.send<{ files: ImportFile[]; total: number }>('GET', `/roast-imports/${id}/files?limit=500${query}`))
      .body;
  const until = (id: string, done: (state: RoastImport) => boolean) =>
    expect.poll(async () => done(await stateOf(id)), { timeout: 120_000, interval: 300 }).toBe(true);
  const act = (id: string, what: string): Promise<Answer<RoastImport>> =>
    admin.send('POST', `/roast-imports/${id}/${what}`, {});
  const correct = (id: string, fileId: string, body: object): Promise<Answer<ImportFile>> =>
    admin.send('PUT', `/roast-imports/${id}/files/${fileId}`, body);
  const roastCount = async () => (await admin.send<{ total: number }>('GET', '/roasts?limit=1')).body.total;

  it('reads every format, reports problems, imports valid files, and undoes them as a whole', async () => {
    const before = await roastCount();
    const id = await begin();
    for (const { name, bytes } of formatFiles) expect((await add(id, `years/2025/${name}`, bytes)).status).toBe(201);
    await add(id, 'broken.alog', "{'timex': [1, 2");
    await add(id, 'notes.txt', 'no roast at all');
    await until(id, ({ waiting }) => waiting === 0);
    const { files } = await filesOf(id);
    const problem = (name: string) => files.find(({ file_name: file }) => file.endsWith(name))?.problem;
    expect(files).toHaveLength(formatFiles.length + 2);
    expect([problem('broken.alog'), problem('notes.txt')]).toEqual(['refused', 'refused']);
    expect(problem('stronghold.xlsx')).toBe('no_date');
    // All but the first file with one curve are duplicates, whatever program wrote them.
    expect(problem('artisan.json')).toBe('duplicate');
    const refused = await filesOf(id, '&problem=refused&sort=-file_name');
    expect(refused.files.map(({ file_name: name }) => name)).toEqual(['notes.txt', 'broken.alog']);
    expect(refused.files[0]?.remarks.join()).toMatch(/No table of readings/);

    const stronghold = files.find(({ file_name: name }) => name.endsWith('stronghold.xlsx'));
    const dated = await correct(id, stronghold?.id ?? '', {
      start_time: '2025-01-02T03:04:05.000Z',
      coffee_name: 'Kochere',
      left_out: false,
    });
    expect(dated.body).toMatchObject({ problem: null, coffee_name: 'Kochere' });
    const loring = files.find(({ file_name: name }) => name.endsWith('loring.csv'));
    await correct(id, loring?.id ?? '', { left_out: true });

    const { ready } = await stateOf(id);
    expect(ready).toBeGreaterThan(2);
    expect((await act(id, 'start')).body.state).toBe('importing');
    await until(id, ({ state }) => state === 'done');
    const done = await stateOf(id);
    expect(done.imported).toBe(ready);
    expect(await roastCount()).toBe(before + ready);
    const imported = (await filesOf(id)).files.find(({ file_name: name }) => name.endsWith('stronghold.xlsx'));
    const roast = (await admin.send<Roast>('GET', `/roasts/${imported?.roast_id}`)).body;
    expect(roast).toMatchObject({ coffee_name: 'Kochere', start_time: '2025-01-02T03:04:05.000Z' });
    const artisan = (await filesOf(id)).files.find(({ file_name: name }) => name.endsWith('artisan.alog'));
    expect((await admin.send<Roast>('GET', `/roasts/${artisan?.roast_id}`)).body.source_batch).toBe('P5-42');

    expect(done.undo_until).not.toBeNull();
    expect((await act(id, 'undo')).body.state).toBe('undoing');
    await until(id, ({ state }) => state === 'undone');
    expect(await roastCount()).toBe(before);
    const [left] = await test.api.context.sql<{ recordings: number }[]>`
      SELECT count(*)::int AS recordings FROM recordings WHERE source = 'upload'`;
    expect(left?.recordings).toBe(0);
    expect((await act(id, 'undo')).status).toBe(409);
  });

  it('reads local times again in a chosen zone, and keeps a time that a person entered', async () => {
    const id = await begin();
    const names = ['kaleido.csv', 'loring.csv', 'artisan.json'];
    for (const { name, bytes } of formatFiles.filter((file) => names.includes(file.name))) await add(id, name, bytes);
    await until(id, ({ waiting }) => waiting === 0);
    const timesIn = async () =>
      Object.fromEntries((await filesOf(id)).files.map((file) => [file.file_name, [file.start_time, file.time_zone]]));
    const first = await timesIn();
    expect(first['artisan.json']).toEqual(['2025-03-10T09:03:25.000Z', null]);
    const loring = (await filesOf(id)).files.find(({ file_name: name }) => name === 'loring.csv');
    await correct(id, loring?.id ?? '', { start_time: '2022-06-15T00:00:00.000Z' });
    const chosen = await admin.send<RoastImport>('PUT', `/roast-imports/${id}`, { time_zone: 'Asia/Tokyo' });
    expect(chosen.body.time_zone).toBe('Asia/Tokyo');
    await until(id, ({ waiting }) => waiting === 0);
    expect(await timesIn()).toEqual({
      'artisan.json': first['artisan.json'],
      'kaleido.csv': ['2025-05-15T11:31:48.000Z', 'Asia/Tokyo'],
      'loring.csv': ['2022-06-15T00:00:00.000Z', 'Asia/Tokyo'],
    });
    await admin.send('DELETE', `/roast-imports/${id}`);
  });

  it('numbers roasts without a number of their program in the order of roasting, and no others', async () => {
    const log = async () => {
      const body = { coffee_name: 'Guji', start_time: '2026-11-21T07:40:00.000Z', duration_seconds: 640 };
      return Number((await admin.send<Roast>('POST', '/roasts', body)).body.batch_number);
    };
    const before = await log();
    const id = await begin();
    const artisan = formatFiles.find(({ name }) => name === 'artisan.alog')?.bytes ?? '';
    // Sent in another order than roasted.
    const days = ['2025-03-03', '2025-03-01', '2025-03-02'];
    for (const day of days) await add(id, `${day}.csv`, exampleCsv());
    await add(id, 'artisan.alog', artisan);
    await until(id, ({ waiting }) => waiting === 0);
    for (const { id: fileId, file_name: name } of (await filesOf(id)).files) {
      const dated = days.includes(name.slice(0, 10)) ? { start_time: `${name.slice(0, 10)}T07:00:00.000Z` } : {};
      await correct(id, fileId, { left_out: false, ...dated });
    }
    await act(id, 'start');
    await until(id, ({ state }) => state === 'done');
    await numberLateRoasts(test.api.context.sql);
    const roastOf = async (name: string) => {
      const file = (await filesOf(id)).files.find(({ file_name: found }) => found.startsWith(name));
      return (await admin.send<Roast>('GET', `/roasts/${file?.roast_id}`)).body;
    };
    const numbers = await Promise.all(days.toSorted().map(async (day) => (await roastOf(day)).batch_number));
    expect(numbers.map(Number)).toEqual([before + 1, before + 2, before + 3]);
    expect(await log()).toBe(before + 4);
    const listed = await admin.send<{ numbers: BatchNumber[] }>('GET', `/batch-numbers?q=${before + 1}`);
    expect(listed.body.numbers[0]).toMatchObject({ state: 'roasted', roast_id: (await roastOf('2025-03-01')).id });

    const found = await admin.send<{ roasts: RoastRow[] }>('GET', '/roasts?q=P5-42');
    expect(found.body.roasts).toMatchObject([{ source_batch: 'P5-42', batch_number: null, is_numbered: false }]);
    const [imported] = found.body.roasts;
    await admin.send('PUT', `/roasts/${imported?.id}`, { coffee_name: 'Guji Uraga' });
    expect((await admin.send<Roast>('GET', `/roasts/${imported?.id}`)).body.batch_number).toBeNull();
    const csv = await admin.send<string>('GET', '/roasts/export/csv?q=P5-42');
    expect(csv.body).toMatch(/,Batch number,Roast,[^]*,P5-42,PR-/);
    await act(id, 'undo');
    await until(id, ({ state }) => state === 'undone');
  });

  it('stores a repeated file once, and imports a duplicate that a user wants', async () => {
    const id = await begin();
    const same = exampleCsv();
    const [first, again] = [await add(id, 'a.csv', same), await add(id, 'a.csv', same)];
    expect(again.body.ids).toEqual(first.body.ids);
    for (const name of ['b.csv', 'c.csv', 'd.csv']) await add(id, name, same);
    await until(id, ({ waiting }) => waiting === 0);
    const { files } = await filesOf(id);
    for (const file of files) await correct(id, file.id, { start_time: '2025-02-02T03:04:05.000Z' });
    expect((await filesOf(id)).files.map(({ problem }) => problem === 'duplicate')).toEqual([false, true, true, true]);
    for (const file of files.slice(1)) {
      const wanted = await correct(id, file.id, { left_out: false });
      expect(wanted.body.problem).not.toBe('duplicate');
    }
    await act(id, 'start');
    await until(id, ({ state }) => state === 'done');
    expect((await stateOf(id)).imported).toBe(4);
  });

  it('adds the files of a request together, each once, or none of them', async () => {
    const id = await begin();
    const [a, b] = [exampleCsv(), exampleCsv()];
    const sent = await send(
      id,
      { name: 'years/"2025"/ä.csv', bytes: a },
      { name: 'b.csv', bytes: b },
      { name: 'b.csv', bytes: b },
    );
    expect(sent.status).toBe(201);
    expect(new Set(sent.body.ids).size).toBe(2);
    expect(sent.body.ids[2]).toBe(sent.body.ids[1]);
    expect((await send(id, { name: 'b.csv', bytes: b }, { name: 'b.csv', bytes: a })).body.ids[0]).toBe(
      sent.body.ids[1],
    );
    const names = async () => (await filesOf(id)).files.map(({ file_name: name }) => name);
    const before = ['b.csv', 'b.csv', 'years/"2025"/ä.csv'];
    expect(await names()).toEqual(before);

    const large = new Uint8Array(10 * 1024 * 1024 + 1);
    expect((await send(id, { name: 'c.csv', bytes: a }, { name: 'large.csv', bytes: large })).status).toBe(413);
    expect((await send(id, { name: 'c.csv', bytes: a }, { name: ' ', bytes: a })).status).toBe(422);
    expect((await send(id)).status).toBe(422);
    const many = Array.from({ length: 101 }, (_, place) => ({ name: `${place}.csv`, bytes: a }));
    expect((await send(id, ...many)).body.detail).toEqual([{ field: 'files', message: 'must be 100 files at most' }]);
    expect((await admin.sendFile(`/roast-imports/${id}/files`, a)).status).toBe(415);
    const broken = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await admin.send('POST', `/roast-imports/${id}/files`, 'no parts', broken)).status).toBe(422);
    expect(await names()).toEqual(before);
  });

  it('matches machine and lot by name, and deducts green coffee only on request', async () => {
    const lot = await admin.send<{ id: string }>('POST', '/inventory/lots', {
      lot_number: 'L-77',
      coffee_name: 'Guji',
      origin: 'Ethiopia',
      initial_weight: 60,
    });
    const weight = async () =>
      (await admin.send<{ current_weight: number }>('GET', `/inventory/lots/${lot.body.id}`)).body.current_weight;
    const alog = formatFiles.find(({ format }) => format === 'alog')?.bytes ?? new Uint8Array();
    for (const [takesGreen, left] of [
      [false, 60],
      [true, 55],
    ] as const) {
      const id = await begin();
      await admin.send('PUT', `/roast-imports/${id}`, { takes_green: takesGreen });
      await add(id, 'x.alog', alog);
      await until(id, ({ waiting }) => waiting === 0);
      const [file] = (await filesOf(id)).files;
      expect(file).toMatchObject({ lot_id: lot.body.id, batch_size_kg: 5 });
      await act(id, 'start');
      await until(id, ({ state }) => state === 'done');
      expect(await weight()).toBe(left);
      await act(id, 'undo');
      await until(id, ({ state }) => state === 'undone');
      expect(await weight()).toBe(60);
    }
  });

  it('continues after a restart of the api', async () => {
    const id = await begin();
    for (let file = 0; file < 20; file += 1) await add(id, `${file}.csv`, exampleCsv());
    await test.close();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    await until(id, ({ waiting }) => waiting === 0);
    for (const { id: fileId } of (await filesOf(id)).files)
      await correct(id, fileId, { start_time: '2025-03-03T03:04:05.000Z' });
    const { ready } = await stateOf(id);
    expect(ready).toBeGreaterThan(0);
    await act(id, 'start');
    await until(id, ({ imported }) => imported > 0);
    await test.close();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    await until(id, ({ state }) => state === 'done');
    const { files } = await filesOf(id);
    const made = files.flatMap(({ roast_id: roast }) => roast ?? []);
    expect(made).toHaveLength(ready);
    expect(new Set(made).size).toBe(ready);
    const listed = (await admin.send<{ roasts: RoastRow[] }>('GET', '/roasts?limit=500')).body.roasts.map(
      (roast) => roast.id,
    );
    expect(made.filter((roast) => !listed.includes(roast))).toEqual([]);
  });

  it.each([
    ['fault of the server', 'P0001'],
    ['statement that times out', '57014'],
  ])('gives up a file after repeated failures (%s), and continues with the others', async (what, code) => {
    const { sql } = test.api.context;
    await sql.unsafe(`
      CREATE FUNCTION fault_of_ours() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '${what}' USING ERRCODE = '${code}'; END $$`);
    await sql`
      CREATE TRIGGER fault BEFORE UPDATE OF format ON roast_import_files FOR EACH ROW
      WHEN (NEW.file_name = 'faulty.csv') EXECUTE FUNCTION fault_of_ours()`;
    try {
      const id = await begin();
      for (const name of ['faulty.csv', 'sound.csv']) await add(id, name, exampleCsv());
      await until(id, ({ waiting }) => waiting === 0);
      const { files } = await filesOf(id, '&sort=file_name');
      expect(files.map(({ file_name: name, state }) => [name, state])).toEqual([
        ['faulty.csv', 'refused'],
        ['sound.csv', 'read'],
      ]);
      expect(files[0]?.remarks).toEqual([expect.stringContaining('The server could not process this file')]);
    } finally {
      await sql`DROP FUNCTION fault_of_ours CASCADE`;
    }
  });

  it('reads and imports the files of a user, and finds the roasts of machines shared with them', async () => {
    const ofAdmin = await begin();
    const { sql } = test.api.context;
    const [{ id: adminId } = { id: '' }] = await sql<{ id: string }[]>`
      SELECT id FROM users WHERE email = ${testAdmin.email}`;
    const machineId = await addMachine(sql, adminId);
    await admin.send('PUT', `/roast-imports/${ofAdmin}`, { machine_id: machineId });
    const known = exampleCsv();
    await add(ofAdmin, '2025-04-04 0740 Known.csv', known);
    await until(ofAdmin, ({ waiting }) => waiting === 0);
    await act(ofAdmin, 'start');
    await until(ofAdmin, ({ state }) => state === 'done');

    const body = { full_name: 'Ivo', email: 'ivo-many@example.com', password: 'a long phrase for ivo' };
    const { id: ivoId } = (await admin.send<{ id: string }>('POST', '/admin/users', body)).body;
    await sql`INSERT INTO machine_members (user_id, machine_id, role) VALUES (${ivoId}, ${machineId}, 'viewer')`;
    const ivo = await test.signedIn(body.email, body.password);
    const { id } = (await ivo.send<RoastImport>('POST', '/roast-imports', {})).body;
    const ofIvo = async () => (await ivo.send<RoastImport>('GET', `/roast-imports/${id}`)).body;
    await ivo.sendFiles(`/roast-imports/${id}/files`, [
      { name: '2025-04-04 0740 Known.csv', bytes: known },
      { name: '2025-04-05 0740 New.csv', bytes: exampleCsv() },
    ]);
    await expect.poll(async () => (await ofIvo()).waiting).toBe(0);
    expect(await ofIvo()).toMatchObject({ files: 2, ready: 1 });
    expect((await ofIvo()).problems).toEqual([{ problem: 'duplicate', files: 1 }]);
    await ivo.send('POST', `/roast-imports/${id}/start`, {});
    await expect.poll(async () => (await ofIvo()).state).toBe('done');
    expect((await ofIvo()).imported).toBe(1);
  });

  it('waits while its user is inactive, and continues with them', async () => {
    const { sql } = test.api.context;
    const userId = await addUser(sql);
    await sql`UPDATE users SET is_active = false WHERE id = ${userId}`;
    const theirs = await addImport(sql, userId);
    await sql`UPDATE roast_imports SET state = 'importing', created_at = now() - interval '1 day' WHERE id = ${theirs}`;
    const theirState = async () =>
      (await sql<{ state: string }[]>`SELECT state FROM roast_import_files WHERE import_id = ${theirs}`)[0]?.state;
    // Imported after it, if it did not wait.
    const id = await begin();
    await add(id, '2025-04-07 0740 Later.csv', exampleCsv());
    await until(id, ({ waiting }) => waiting === 0);
    await act(id, 'start');
    await until(id, ({ state }) => state === 'done');
    expect(await theirState()).toBe('read');
    await sql`UPDATE users SET is_active = true WHERE id = ${userId}`;
    await expect.poll(theirState).toBe('imported');
  });

  it('belongs to one user', async () => {
    const id = await begin();
    const body = { full_name: 'Eve', email: 'eve-many@example.com', password: 'a long phrase for eve' };
    await admin.send('POST', '/admin/users', body);
    const eve = await test.signedIn(body.email, body.password);
    expect((await eve.send('GET', `/roast-imports/${id}`)).status).toBe(404);
    expect((await eve.send('GET', `/roast-imports/${id}/files`)).status).toBe(404);
    expect((await eve.send('POST', `/roast-imports/${id}/start`, {})).status).toBe(404);
  });
});
