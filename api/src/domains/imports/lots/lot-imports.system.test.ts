import type { Lot, LotMovement } from '@roastery/contract/inventory';
import type { LotImport, LotImportedRow } from '@roastery/contract/lot-imports';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lotFiles } from '../../../testing/lot-files.ts';
import { migratedTemplate } from '../../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../../testing/test-api.ts';
import type { Visitor } from '../../../testing/visitor.ts';

type Answer<Body> = { status: number; body: Body & { detail?: unknown } };

const csv = (lot: string): string => `lot;name;origin;weight kg\n${lot};Konga;Ethiopia;60`;

describe('import of lots', () => {
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

  const upload = (bytes: string | Uint8Array<ArrayBuffer>, name = 'lots.csv'): Promise<Answer<LotImport>> =>
    admin.sendFile(`/lot-imports?file_name=${encodeURIComponent(name)}`, bytes);
  const stateOf = async (id: string) => (await admin.send<LotImport>('GET', `/lot-imports/${id}`)).body;
  const rowsOf = async (id: string, query = '') =>
    (await admin.send<{ rows: LotImportedRow[]; total: number }>('GET', `/lot-imports/${id}/rows?limit=500${query}`))
      .body;
  const correct = (id: string, line: number, body: object): Promise<Answer<LotImportedRow>> =>
    admin.send('PUT', `/lot-imports/${id}/rows/${line}`, body);
  const change = (id: string, body: object): Promise<Answer<LotImport>> =>
    admin.send('PUT', `/lot-imports/${id}`, body);
  const act = (id: string, what: string): Promise<Answer<LotImport>> =>
    admin.send('POST', `/lot-imports/${id}/${what}`, {});
  const until = (id: string, state: LotImport['state']) =>
    expect.poll(async () => (await stateOf(id)).state, { timeout: 60_000, interval: 200 }).toBe(state);
  const lots = async (q = '') =>
    (await admin.send<{ lots: Lot[]; total: number }>('GET', `/inventory/lots?limit=500&sort=lot_number&q=${q}`)).body;

  const lotId = async (name: string) => (await lots(name)).lots[0]?.id;

  it('imports lists of several programs with the remaining weight of each lot, and undoes each as a whole', async () => {
    const before = (await lots()).total;
    const ids: string[] = [];
    for (const { name, bytes, lots: expected } of lotFiles) {
      const { status, body } = await upload(bytes, name);
      expect([status, body.rows, body.problems.filter(({ problem }) => problem !== 'check')]).toEqual([
        201,
        expected.length,
        [],
      ]);
      expect((await act(body.id, 'start')).body.state).toBe('importing');
      await until(body.id, 'done');
      ids.push(body.id);
    }
    const [konga] = (await lots('PG-0812')).lots;
    expect(konga).toMatchObject({ initial_weight: 600, current_weight: 412.5, cost_per_kg: 8.4, density: 0.712 });
    const ledger = await admin.send<{ movements: LotMovement[] }>('GET', `/inventory/lots/${konga?.id}/movements`);
    expect(ledger.body.movements.map(({ reason, kg, note }) => [reason, kg, note])).toEqual([
      ['adjustment', -187.5, 'Already used before the import'],
      ['initial', 600, null],
    ]);
    for (const id of ids) {
      expect((await stateOf(id)).undo_until).not.toBeNull();
      expect((await act(id, 'undo')).body.state).toBe('undoing');
      await until(id, 'undone');
    }
    expect((await lots()).total).toBe(before);
    expect((await act(ids[0] ?? '', 'undo')).status).toBe(409);
  });

  it('reports rows with problems and duplicates, and imports corrected ones', async () => {
    await admin.send('POST', '/inventory/lots', {
      lot_number: 'KNOWN-1',
      coffee_name: 'Guji',
      origin: 'Ethiopia',
      initial_weight: 60,
    });
    const { body } = await upload(
      [
        'Lot;Coffee;Origin;Weight;Arrival;Colour',
        'NEW-1;Konga;Ethiopia;132 lb;3/4/2025;green',
        'KNOWN-1;Guji;Ethiopia;60 kg;;',
        'NEW-1;Again;Kenya;30 kg;;',
        ';Nameless;Kenya;ten;;',
        'NEW-5;Surplus;Kenya;5 kg;;',
      ].join('\n'),
    );
    const { id } = body;
    expect(body.columns.map(({ head, field }) => [head, field])).toEqual([
      ['Lot', 'lot_number'],
      ['Coffee', 'coffee_name'],
      ['Origin', 'origin'],
      ['Weight', 'initial_weight'],
      ['Arrival', 'purchase_date'],
      ['Colour', null],
    ]);
    expect(body.columns[4]?.is_order_open).toBe(true);
    const problems = async () => (await rowsOf(id)).rows.map(({ problem }) => problem);
    expect(await problems()).toEqual(['invalid', 'exists', 'twice', 'invalid', null]);
    const { rows } = await rowsOf(id);
    expect(rows[1]?.remarks).toEqual(['Lot KNOWN-1 already exists: Guji, 60 kg.']);
    expect(rows[2]?.remarks).toEqual(['Line 2 has the same lot number.']);
    expect(rows[3]?.errors).toEqual([
      { field: 'initial_weight', message: '“ten” is not a weight' },
      { field: 'lot_number', message: 'Lot number is required' },
    ]);

    expect((await correct(id, 4, { lot_number: 'NEW-3' })).body.problem).toBeNull();
    const half = await correct(id, 5, { lot_number: 'NEW-4' });
    expect(half.body.errors).toEqual([{ field: 'initial_weight', message: '“ten” is not a weight' }]);
    expect((await correct(id, 5, { initial_weight: 10 })).body).toMatchObject({
      problem: null,
      values: { initial_weight: 10 },
    });
    await correct(id, 6, { left_out: true });
    // Another choice reads the file again; a person's corrections stay.
    const changed = await change(id, { columns: { '4': { date_order: 'dmy' }, '5': { field: 'notes' } } });
    expect(changed.body.columns[5]?.field).toBe('notes');
    expect(await problems()).toEqual([null, 'exists', null, null, 'left_out']);
    expect((await rowsOf(id, '&problem=any')).total).toBe(2);
    expect(await stateOf(id)).toMatchObject({ ready: 3, ready_kg: 99.874193 });

    await act(id, 'start');
    await until(id, 'done');
    expect(
      (await lots('NEW-')).lots.map(({ lot_number: number, initial_weight: kg, notes }) => [number, kg, notes]),
    ).toEqual([
      ['NEW-1', 59.874193, 'green'],
      ['NEW-3', 30, null],
      ['NEW-4', 10, null],
    ]);
    expect((await lots('NEW-1')).lots[0]?.purchase_date).toBe('2025-04-03T00:00:00.000Z');
    expect((await correct(id, 2, { coffee_name: 'Late' })).status).toBe(409);
  });

  it('keeps all column choices made at the same time', async () => {
    const { id } = (await upload('Los;Sorte;Land;Menge;EK;Fach\nL-1;Konga;Ethiopia;300;2,80;R1', 'said.csv')).body;
    const said = [
      { 1: { field: 'coffee_name' } },
      { 3: { unit: 'lb' } },
      { 4: { unit: 'per_lb' } },
      { 5: { field: 'location' } },
    ];
    const answers = await Promise.all(said.map((columns) => change(id, { columns })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { columns } = await stateOf(id);
    expect(columns.slice(1).map(({ field, unit }) => [field, unit])).toEqual([
      ['coffee_name', null],
      ['origin', null],
      ['initial_weight', 'lb'],
      ['cost_per_kg', 'per_lb'],
      ['location', null],
    ]);
    const [row] = (await rowsOf(id)).rows;
    expect([row?.values.initial_weight, row?.values.cost_per_kg]).toEqual([136.077711, 6.172943]);
    expect((await admin.send('DELETE', `/lot-imports/${id}`, {})).status).toBe(200);
  });

  it('keeps lots that are in use when it is undone, and reports them', async () => {
    const csv = [
      'Lot,Coffee,Origin,Weight kg',
      ...['USED', 'FREE', 'MOVED', 'LINKED'].map((name) => `${name},Konga,Ethiopia,60`),
    ];
    const { id } = (await upload(csv.join('\n'))).body;
    await act(id, 'start');
    await until(id, 'done');
    await admin.send('POST', '/roasts', {
      coffee_name: 'Konga',
      start_time: '2026-11-20T07:40:00.000Z',
      duration_seconds: 640,
      batch_size_kg: 5,
      lot_id: await lotId('USED'),
    });
    await admin.send('POST', `/inventory/lots/${await lotId('MOVED')}/movements`, { kg: -1, note: 'sample' });
    await admin.send('DELETE', `/inventory/lots/${await lotId('LINKED')}`);
    await act(id, 'undo');
    await until(id, 'undone');
    expect((await rowsOf(id, '&problem=kept')).rows.map(({ values, remarks }) => [values.lot_number, remarks])).toEqual(
      [
        ['USED', ['1 roast uses this lot: it is kept.']],
        ['MOVED', ['The weight of this lot has changed since the import: it is kept.']],
      ],
    );
    expect(await stateOf(id)).toMatchObject({ undone: 2, imported: 0 });
    expect([await lotId('USED'), await lotId('FREE')].map((known) => known !== undefined)).toEqual([true, false]);
  });

  it('is given up after repeated statement timeouts, and the next one continues', async () => {
    const { sql } = test.api.context;
    await sql.unsafe(`
      CREATE FUNCTION fail_slowly() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'too slow' USING ERRCODE = '57014'; END $$;
      CREATE TRIGGER slow BEFORE INSERT ON lots FOR EACH ROW WHEN (NEW.lot_number = 'SLOW-1') EXECUTE FUNCTION fail_slowly()`);
    try {
      const [slow, next] = [await upload(csv('SLOW-1')), await upload(csv('NEXT-1'))];
      for (const { body } of [slow, next]) await act(body.id, 'start');
      await until(next.body.id, 'done');
      await until(slow.body.id, 'done');
      expect((await rowsOf(slow.body.id)).rows[0]?.remarks).toEqual([
        expect.stringContaining('The server could not import this row'),
      ]);
      expect((await lots('NEXT-1')).total).toBe(1);
    } finally {
      await sql`DROP FUNCTION fail_slowly CASCADE`;
    }
  });

  it('belongs to one user, who has at most five open', async () => {
    const body = { full_name: 'Eve', email: 'eve-lots@example.com', password: 'a long phrase for eve' };
    await admin.send('POST', '/admin/users', body);
    const eve = await test.signedIn(body.email, body.password);
    const csv = 'lot,name,origin,weight kg\nEVE-1,Konga,Ethiopia,60';
    const mine = await upload(csv);
    for (const what of ['', '/rows'])
      expect((await eve.send('GET', `/lot-imports/${mine.body.id}${what}`)).status).toBe(404);
    expect((await eve.send('POST', `/lot-imports/${mine.body.id}/start`, {})).status).toBe(404);
    const statuses: number[] = [];
    for (let file = 0; file < 6; file += 1)
      statuses.push((await eve.sendFile('/lot-imports?file_name=a.csv', csv)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 409]);
    expect((await admin.send('DELETE', `/lot-imports/${mine.body.id}`)).status).toBe(200);
    expect((await admin.send('GET', `/lot-imports/${mine.body.id}`)).status).toBe(404);
  });
});
