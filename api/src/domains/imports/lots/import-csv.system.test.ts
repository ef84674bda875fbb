import type { ErrorBody } from '@roastery/contract/errors';
import type { Lot, LotImportRow, LotMovement } from '@roastery/contract/inventory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedTestApi, openTestApi, type TestApi } from '../../../testing/test-api.ts';
import type { Visitor } from '../../../testing/visitor.ts';

interface Preview {
  rows: LotImportRow[];
  faulty: number;
  imported: number;
  ignored_columns: string[];
}

/** All fields except those that always differ in a new roastery. */
const described = (rows: Lot[]) => rows.map((lot) => ({ ...lot, id: undefined, registration_date: undefined }));

describe('lots as CSV', () => {
  let test: TestApi;
  let person: Visitor;
  let opened: OpenedTestApi;

  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin: person } = opened);
  });
  afterAll(() => opened.close());

  const send = <T = Preview>(csv: string, isDryRun = true) =>
    person.send<T>('POST', '/inventory/lots/import', { csv, dry_run: isDryRun });
  const lots = async (): Promise<Lot[]> =>
    (await person.send<{ lots: Lot[] }>('GET', '/inventory/lots?limit=500&sort=lot_number')).body.lots;

  const good = [
    'Lot number;Coffee name;Origin;Initial weight (kg);Cost per kg;Harvest date;Note to self',
    'ET-1;Konga, washed;Ethiopia;1.250,5;9,4;2025-12-01;x',
    'CO-1;=cmd|calc;Colombia;60;;01.11.2025;',
  ].join('\r\n');

  it('are previewed without storing anything', async () => {
    const { status, body } = await send(good);
    expect(status).toBe(200);
    expect(body).toMatchObject({ faulty: 0, imported: 0, ignored_columns: ['Note to self'] });
    expect(body.rows.map((row) => [row.line, row.lot_number, row.initial_weight, row.errors])).toEqual([
      [2, 'ET-1', 1250.5, []],
      [3, 'CO-1', 60, []],
    ]);
    expect(await lots()).toEqual([]);
  });

  it('are imported together, each with its ledger', async () => {
    expect((await send(good, false)).body).toMatchObject({ imported: 2 });
    const [colombia, ethiopia] = await lots();
    expect(ethiopia).toMatchObject({
      coffee_name: 'Konga, washed',
      current_weight: 1250.5,
      cost_per_kg: 9.4,
      harvest_date: '2025-12-01T00:00:00.000Z',
      is_reserved: false,
    });
    expect(colombia).toMatchObject({ harvest_date: '2025-11-01T00:00:00.000Z', cost_per_kg: null });
    const ledger = await person.send<{ movements: object[] }>('GET', `/inventory/lots/${ethiopia?.id}/movements`);
    expect(ledger.body.movements).toMatchObject([{ reason: 'initial', kg: 1250.5, balance_kg: 1250.5 }]);
  });

  const weights = async (separator: string, cells: readonly string[], cost = '') => {
    const rows = cells.map((cell, row) => [`W-${row}`, 'Coffee', 'Kenya', cell, cost].join(separator));
    const head = ['lot_number', 'coffee_name', 'origin', 'initial_weight', 'cost_per_kg'].join(separator);
    const { body } = await send([head, ...rows].join('\n'));
    return body.rows.map((row) => row.initial_weight ?? row.errors.map(({ message }) => message));
  };

  it.each([
    // A number never begins with a group of zero.
    [';', ['0.500', '6.125', '12.5'], '', [0.5, 6.125, 12.5]],
    [';', ['6.125', '60'], '8.5', [6.125, 60]],
    [';', ['0,500', '6,125', '1.250,5'], '', [0.5, 6.125, 1250.5]],
    [';', ['1.250', '6.125'], '9,4', [1250, 6125]],
    [';', ['1,250'], '', [1.25]],
    [',', ['"0,500"', '"6,125"', '"12,5"'], '', [0.5, 6.125, 12.5]],
    [',', ['6.125', '"1,250.5"', '"1,250"'], '', [6.125, 1250.5, 1250]],
    [',', ['"1,250"'], '8.50', [1250]],
    ['\t', ['6,125', '0,5'], '', [6.125, 0.5]],
    [';', ['1.250.000', '6.125'], '', [1250000, 6125]],
  ])(
    'read the decimal sign of the whole file, separated by %j: %j with cost %j',
    async (separator, cells, cost, kg) => {
      expect(await weights(separator, cells, cost)).toEqual(kg);
    },
  );

  it.each([
    [';', '6.125', '6125 or 6,125'],
    [',', '"6,125"', '6125 or 6.125'],
  ])('refuse a weight that can be read in two ways, separated by %j: %s', async (separator, cell, ways) => {
    const said = `“${cell.replaceAll('"', '')}” can be read in two ways; write ${ways}`;
    expect(await weights(separator, [cell, '60'])).toEqual([[said], 60]);
  });

  it('with one faulty row are not imported at all, and every faulty row has its error', async () => {
    const csv = [
      'lot_number,coffee_name,origin,initial_weight,cupping_score,purchase_date',
      'NEW-1,Good,Kenya,30,87.5,2025-10-01',
      ',Nameless,Kenya,30,,',
      'NEW-3,Bad figures,Kenya,0,101,3/4/2025',
      'ET-1,Known,Ethiopia,10,,',
      'NEW-1,Twice,Kenya,ten,,',
    ].join('\n');
    const preview = await send(csv);
    expect(preview.body.faulty).toBe(4);
    expect(preview.body.rows.map((row) => row.errors.map(({ field, message }) => `${field}: ${message}`))).toEqual([
      [],
      ['lot_number: Lot number is required'],
      [
        'purchase_date: “3/4/2025” is not a date; use 2025-12-31',
        'initial_weight: Initial weight must be greater than 0',
        'cupping_score: Cupping score: 0-100',
      ],
      ['lot_number: A lot with this number already exists'],
      ['initial_weight: “ten” is not a weight', 'lot_number: is already in line 2'],
    ]);
    const before = await lots();
    const refused = await send<ErrorBody>(csv, false);
    expect([refused.status, refused.body.code]).toEqual([422, 'validation']);
    expect(JSON.stringify(refused.body.detail)).toContain('line 3 lot_number');
    expect(await lots()).toEqual(before);
  });

  it.each([
    ['lot_number,coffee_name,origin,initial_weight\n', 'The file has no lots'],
    ['lot_number,coffee_name\nA,B', 'The file has no column origin, initial_weight'],
    [
      'lot_number,coffee_name,origin,initial_weight,notes\nA,B,C,1,\nD,E,F,1,"nine o\'clock\nG,H,I,1,\nJ,K,L,1,',
      'The quotation mark opened in line 3 is not closed',
    ],
    ['lot,lot_number,coffee_name,origin,initial_weight\nA,A,B,C,1', 'The column lot_number is in the file twice'],
  ])('are refused as a whole: %j', async (csv, message) => {
    const { status, body } = await send<ErrorBody>(csv);
    expect([status, body.detail]).toEqual([422, [{ field: 'csv', message }]]);
  });

  it('are exported as filtered, and are the same after an import in another roastery', async () => {
    const answer = await person.send<string>('GET', '/inventory/lots/export?sort=lot_number');
    expect(answer.headers.get('content-type')).toContain('text/csv');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="lots-\d{4}-\d\d-\d\d\.csv"$/);
    // A cell that begins with = stays text in a spreadsheet.
    expect(answer.body).toContain("CO-1,'=cmd|calc,Colombia");
    const filtered = await person.send<string>('GET', '/inventory/lots/export?origin=Ethiopia');
    expect(filtered.body).not.toContain('CO-1');

    const before = described(await lots());
    await test.api.context.sql`DELETE FROM lots`;
    expect((await send(answer.body, false)).body).toMatchObject({ imported: 2 });
    expect(described(await lots())).toEqual(before);
  });

  it('of a whole warehouse are imported before the portal times out', async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => `ALL-${i},Coffee ${i},Kenya,${i + 1}.5`);
    const csv = ['lot_number,coffee_name,origin,initial_weight', ...rows].join('\n');
    const secondsOf = async (isDryRun: boolean): Promise<number> => {
      const start = performance.now();
      expect(await send(csv, isDryRun)).toMatchObject({ status: 200, body: { imported: isDryRun ? 0 : 5000 } });
      return (performance.now() - start) / 1000;
    };
    const preview = await secondsOf(true);
    const seconds = await secondsOf(false);
    // About three times as long as reading the file; one by one they took forty times as long, and the portal timed
    // out.
    expect(seconds).toBeLessThan(15 * preview);
    const { body } = await person.send<{ lots: Lot[] }>('GET', '/inventory/lots?q=ALL-4999');
    expect(body.lots).toMatchObject([{ initial_weight: 5000.5, current_weight: 5000.5 }]);
    const { body: ledger } = await person.send<{ movements: LotMovement[] }>(
      'GET',
      `/inventory/lots/${body.lots[0]?.id}/movements`,
    );
    expect(ledger.movements).toMatchObject([{ reason: 'initial', kg: 5000.5, balance_kg: 5000.5 }]);
  });
});
