import type { Upload } from '@roastery/contract/imports';
import type { ImportFile, RoastImport } from '@roastery/contract/roast-imports';
import type { Roast } from '@roastery/contract/roasts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notations, tableIn, type TableStyle } from '../../../testing/table-styles.ts';
import { type OpenedTestApi, openTestApi } from '../../../testing/test-api.ts';
import type { Visitor } from '../../../testing/visitor.ts';

/** The logger of one roastery: no other program has these heads. */
const style: TableStyle = { name: 'strange', columns: ['x|s', 'p|bean', 'q|air'] };
const columns = [
  { head: 'x', use: 'time', unit: 's' },
  { head: 'p', use: 'bean_temp', unit: null },
  { head: 'q', use: 'exhaust_temp', unit: null },
];

describe('columns of tables', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
  });
  afterAll(() => opened.close());

  const [plain, fahrenheit] = notations;
  const bytesOf = (notation: typeof plain) =>
    new Uint8Array(tableIn(style, notation ?? { separator: ',', decimal: '.', inF: false, isReversed: false }));
  const upload = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
    admin.sendFile<Upload>(`/roasts/uploads?file_name=${name}`, bytes);
  const choose = (id: string, body: object) =>
    admin.send<Upload & { detail?: unknown }>('PUT', `/roasts/uploads/${id}`, body);
  const stateOf = async (id: string) => (await admin.send<RoastImport>('GET', `/roast-imports/${id}`)).body;
  const filesOf = async (id: string) =>
    (await admin.send<{ files: ImportFile[] }>('GET', `/roast-imports/${id}/files`)).body.files;
  const untilRead = (id: string) =>
    expect.poll(async () => (await stateOf(id)).waiting, { timeout: 60_000, interval: 300 }).toBe(0);

  it('assigned in one file of an import: its other files and later ones are read with them', async () => {
    const { id } = (await admin.send<RoastImport>('POST', '/roast-imports', {})).body;
    await admin.sendFiles(`/roast-imports/${id}/files`, [
      { name: '2026/a.csv', bytes: bytesOf(plain) },
      { name: '2026/b.csv', bytes: bytesOf(fahrenheit) },
      { name: '2026/notes.txt', bytes: new TextEncoder().encode('Guji\n') },
    ]);
    await untilRead(id);
    const problems = async () => (await filesOf(id)).map(({ problem }) => problem);
    expect(await problems()).toEqual(['columns', 'columns', 'refused']);
    const [first] = await filesOf(id);
    const shown = (await admin.send<Upload>('GET', `/roasts/uploads/${first?.id}`)).body;
    expect(shown.table?.columns.map(({ head }) => head)).toEqual(['x', 'p', 'q']);
    expect(shown.missing).toMatch(/which one is the time/);
    expect((await choose(shown.id, { columns })).body).toMatchObject({ missing: null, samples: 166 });
    await untilRead(id);
    expect(
      (await filesOf(id)).map(({ problem, duration_seconds: s }) => [
        problem,
        s === null ? null : Math.abs(s - 600) < 9,
      ]),
    ).toEqual([
      ['no_date', true],
      ['no_date', true],
      ['refused', null],
    ]);

    const later = (await upload('later.csv', bytesOf(plain))).body;
    expect([later.table?.source, later.samples, later.missing]).toEqual(['person', 166, null]);
    const taken = await admin.send<Roast>('POST', `/roasts/uploads/${later.id}/roast`, {
      start_time: '2026-11-21T07:40:00.000Z',
      coffee_name: 'Guji',
    });
    expect(taken.status).toBe(201);
    // A file is read again as it was read, whatever is kept by then.
    const { sql } = opened.test.api.context;
    const [stored] = await sql<{ columns: unknown }[]>`
      SELECT f.choices->'columns' AS columns FROM recording_files f JOIN roasts r ON r.recording_id = f.recording_id
      WHERE r.id = ${taken.body.id}`;
    expect(stored?.columns).toEqual(columns);

    expect((await choose((await filesOf(id))[0]?.id ?? '', { columns: [] })).body.samples).toBe(0);
    await untilRead(id);
    expect(await problems()).toEqual(['columns', 'columns', 'refused']);
    await admin.send('DELETE', `/roast-imports/${id}`);
  });

  it('incomplete ones are not kept, two of one use and those of no table are refused', async () => {
    const { id } = (await upload('half.csv', bytesOf(plain))).body;
    expect((await choose(id, { columns: columns.slice(0, 1) })).body.samples).toBe(0);
    expect((await upload('next.csv', bytesOf(plain))).body.table?.source).toBe('heads');
    const twice = columns.map((column) => ({ ...column, use: 'bean_temp' }));
    expect((await choose(id, { columns: twice })).status).toBe(422);
    const alog = new TextEncoder().encode(
      `{'timex': [${Array.from({ length: 20 }, (_, k) => `${k}.0`).join()}], 'temp1': [${Array(20).fill('200.0').join()}], 'temp2': [${Array(20).fill('200.0').join()}], 'timeindex': [0,0,0,0,0,0,19,0], 'mode': 'C'}`,
    );
    const artisan = (await upload('x.alog', alog)).body;
    expect(artisan.table).toBeNull();
    expect((await choose(artisan.id, { columns })).status).toBe(422);
  });
});
