import type { LotImportChoices } from '@roastery/contract/lot-imports';
import { describe, expect, it } from 'vitest';
import { lotFiles } from '../../../testing/lot-files.ts';
import { rowsOf } from '../file-jobs.ts';
import { readLotsFile } from './read-lots.ts';

const read = async (bytes: Uint8Array | string, choices: LotImportChoices = {}) => {
  const { reading, rows } = await readLotsFile(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, choices);
  return { ...reading, rows: rows.flatMap(rowsOf) };
};
const fieldsOf = async (heads: string) =>
  (await read(`${heads}\n${heads.replaceAll(/[^;]+/g, 'x')}`)).columns.map(({ field }) => field);
/** The value of one cell, or its error. */
const cell = async (head: string, value: string, choices: LotImportChoices = {}) => {
  const { rows, columns } = await read(`lot;name;origin;weight kg;${head}\nA;B;C;60;"${value}"`, choices);
  const field = columns[4]?.field ?? '';
  return rows[0]?.errors.find((error) => error.field === field)?.message ?? rows[0]?.values[field as never];
};

describe('list of lots', () => {
  it.each(lotFiles)('reads $name: its columns, weights, prices and dates', async ({ bytes, lots, notImported }) => {
    const { rows, columns } = await read(bytes);
    expect(rows.map(({ errors }) => errors)).toEqual(lots.map(() => []));
    expect(rows.map(({ values }) => values)).toMatchObject(lots);
    expect(columns.filter(({ field }) => field === null).map(({ head }) => head)).toEqual(notImported);
  });

  it('returns the lines above the heads, and the sheets of a workbook', async () => {
    const [cropster, excel] = [lotFiles[0], lotFiles[4]].map((file) => file?.bytes ?? new Uint8Array());
    expect((await read(cropster ?? '')).notes).toEqual(['Not imported: line 1, above the column names.']);
    expect(await read(excel ?? '')).toMatchObject({ sheet: 'Stock', sheets: ['Read', 'Stock'] });
    // The line above has a comma, and the figures have decimal commas: semicolons separate the cells.
    const titled = await read('Stock, 3 April 2025\n\nlot;name;origin;weight kg;price\nA;B;C;62,5;9,4');
    expect(titled.rows.map(({ values }) => [values.initial_weight, values.cost_per_kg])).toEqual([[62.5, 9.4]]);
  });

  it('guesses columns by their heads in several languages', async () => {
    expect(await fieldsOf('Numéro de lot;Nom du café;Pays d’origine;Poids net (kg);Prix au kg;Date d’achat')).toEqual([
      'lot_number',
      'coffee_name',
      'origin',
      'initial_weight',
      'cost_per_kg',
      'purchase_date',
    ]);
    expect(await fieldsOf('Lotto;Caffè;Paese;Quantità;Prezzo;Data acquisto;Colore')).toEqual([
      'lot_number',
      'coffee_name',
      'origin',
      'initial_weight',
      'cost_per_kg',
      'purchase_date',
      null,
    ]);
  });

  it.each([
    ['weight lb', '132', 59.874193],
    ['weight', '132 lb', 59.874193],
    ['weight g', '115.2', 0.1152],
    ['weight', '1,5 t', 1500],
    ['weight', '10 bags of 60 kg', 600],
    ['weight', '10 × 69 kg', 690],
    ['weight', '10 bags', '10 bags: enter the weight of a bag'],
    ['weight', '12 stones', '“12 stones” is not a weight: its unit is not known'],
    ['weight', 'ten', '“ten” is not a weight'],
  ])('reads the weight of “%s” %s as %s', async (head, value, expected) => {
    const { rows } = await read(`lot;name;origin;${head}\nA;B;C;${value}`);
    expect(rows[0]?.errors[0]?.message ?? rows[0]?.values.initial_weight).toBe(expected);
  });

  it.each([
    ['price', '4.20', 4.2],
    ['price/lb', '4.20', 9.259415],
    ['price', '$4.20/lb', 9.259415],
    ['price (¢/lb)', '420', 9.259415],
    ['price', '9,40 €/kg', 9.4],
    ['price per bag', '300', 'A price per bag: enter the weight of a bag'],
    ['total cost', '600', 10],
    ['price', 'negotiable', '“negotiable” is not a price'],
  ])('reads the price of “%s” %s as %s', async (head, value, expected) => {
    const { rows } = await read(`lot;name;origin;weight kg;${head}\nA;B;C;60;"${value}"`);
    const [row] = rows;
    expect(row?.errors[0]?.message ?? row?.values.cost_per_kg).toBe(expected);
  });

  it.each([
    ['altitude', '1,900 masl', 1900],
    ['altitude', '1800 - 2000 m', 1900],
    ['altitude ft', '6000', 1829],
    ['altitude', 'high', '“high” is not an altitude'],
    ['density', '0.71', 0.71],
    ['density', '712', 0.712],
    ['moisture', '10.8 %', 10.8],
    ['purchase date', '2025-12-01', '2025-12-01'],
    ['purchase date', '25/12/2025', '2025-12-25'],
    ['purchase date', '12/25/2025', '2025-12-25'],
    ['purchase date', '3.4.2025', '2025-04-03'],
    ['purchase date', '3 Mar 2025', '2025-03-03'],
    ['purchase date', '31/02/2025', '“31/02/2025” is not a date; use 2025-12-31'],
    ['harvest', 'Nov 2024', '2024-11-01'],
    ['harvest', '2024/25', '2024-01-01'],
  ])('reads “%s” %s as %s', async (head, value, expected) => {
    expect(await cell(head, value)).toBe(expected);
  });

  it('requires the order of ambiguous dates, and applies the choice', async () => {
    const csv = 'lot;name;origin;weight kg;arrival\nA;B;C;60;3/4/2025\nD;B;C;60;5/6/2025';
    const open = await read(csv);
    expect(open.columns[4]).toMatchObject({ is_order_open: true, date_order: null });
    expect(open.rows[0]?.errors).toEqual([
      {
        field: 'purchase_date',
        message: '“3/4/2025” can be two dates; choose the date order, or use 2025-12-31',
      },
    ]);
    for (const [order, day] of [
      ['dmy', '2025-04-03'],
      ['mdy', '2025-03-04'],
    ] as const) {
      const { rows, columns } = await read(csv, { columns: { '4': { date_order: order } } });
      expect(rows[0]?.values.purchase_date).toBe(day);
      expect(columns[4]?.is_order_open).toBe(false);
    }
    // One date shows the order of all.
    const shown = await read(`${csv}\nE;B;C;60;25/6/2025`);
    expect(shown.rows.map(({ values }) => values.purchase_date)).toEqual(['2025-04-03', '2025-06-05', '2025-06-25']);
  });

  it('finds the decimal sign of each column, and requires a choice where a column does not show it', async () => {
    const { columns, rows } = await read('lot;name;origin;weight kg;price\nA;B;C;1.250;9,4\nD;B;C;6.125;8,50');
    expect(columns.map(({ decimal }) => decimal)).toEqual([null, null, null, ',', ',']);
    expect(rows.map(({ values }) => values.initial_weight)).toEqual([1250, 6125]);
    const open = 'lot;name;origin;weight kg\nA;B;C;6.125';
    expect((await read(open)).columns[3]?.notes).toEqual(['The decimal sign can be a comma or a point: choose one']);
    expect((await read(open, { columns: { '3': { decimal: '.' } } })).rows[0]?.values.initial_weight).toBe(6.125);
    expect((await read(open, { columns: { '3': { decimal: ',' } } })).rows[0]?.values.initial_weight).toBe(6125);
  });

  it('applies the choices of columns, lot numbers, origin and bags', async () => {
    const csv = 'Kaffee;Anzahl;Farbe\nKonga;10;grün\nSalto;4;blau';
    const guessed = await read(csv);
    expect(guessed.rows[0]?.errors.map(({ field }) => field)).toEqual(['initial_weight', 'lot_number', 'origin']);
    const { rows } = await read(csv, {
      columns: { '2': { field: 'notes' } },
      number_prefix: 'M-',
      origin: 'Ethiopia',
      bag_kg: 69,
    });
    expect(
      rows.map(({ values, errors }) => [values.lot_number, values.initial_weight, values.origin, values.notes, errors]),
    ).toEqual([
      ['M-1', 690, 'Ethiopia', 'grün', []],
      ['M-2', 276, 'Ethiopia', 'blau', []],
    ]);
    const none = await read(csv, { columns: { '0': { field: null } } });
    expect(none.columns[0]?.field).toBeNull();
  });

  it('reports one of two columns for the same field as not imported', async () => {
    const { columns } = await read('lot;name;origin;Weight (kg);Weight (lb)\nA;B;C;60;132');
    expect(columns[4]).toMatchObject({
      field: null,
      notes: ['“Weight (kg)” has the same meaning: only one of them can be imported'],
    });
  });

  it.each([
    ['', 'The file is empty'],
    ['lot,name', 'The file has no lots'],
    [`${'x,'.repeat(200)}\n1`, 'The file has more than 100 columns'],
    ['lot,name\nA,"B', 'The quotation mark opened in line 2 is not closed'],
    [`lot\n${'A\n'.repeat(20_001)}`, 'The file has more than 20,000 lots: split it'],
  ])('refuses a file with a reason (%#)', async (csv, says) => {
    await expect(read(csv)).rejects.toThrow(says);
  });

  it('stores neither NUL nor half a surrogate pair', async () => {
    const { rows } = await readLotsFile(
      Buffer.from(`lot;name;origin;weight kg\n${'a'.repeat(5000)};B\0;\ud800;60`),
      {},
    );
    expect(rows.join('')).not.toMatch(/\\u0000|\\ud800/);
  });
});
