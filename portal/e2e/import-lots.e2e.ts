import { readFile } from 'node:fs/promises';
import { updatePreferences } from '@roastery/contract/auth';
import { listLots } from '@roastery/contract/inventory';
import { putRoasterySettings } from '@roastery/contract/settings';
import { utils, write } from '@e965/xlsx';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const rowOf = (page: Page, number: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: number, exact: true }) });

it('import of lots: imports a list after its columns and rows were checked, and undoes it', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  const good = [
    'Lot number;Coffee name;Origin;Initial weight (kg)',
    'IM-1;Santa Bárbara;Honduras;1.380,5',
    'IM-2;Montecillos;Honduras;69',
  ].join('\r\n');
  await page.goto('/inventory?q=IM-');
  await page.getByText('No inventory lots found').waitFor();
  await page.getByRole('link', { name: 'Import' }).click();
  const rows = [
    'Los;Bezeichnung;Herkunft;Gewicht;Eingang;Farbe',
    'IM-1;Santa Bárbara;Honduras;1.380,5 kg;3/4/2025;grün',
    ';Montecillos;Honduras;zehn;5/6/2025;blau',
    'IM-3;Surplus;Honduras;132 lb;;',
  ];
  await page
    .getByLabel('List of lots')
    .setInputFiles({ name: 'lots.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\r\n'), 'latin1') });
  await page.getByText('1 of 3 lots can be imported, 59.87 kg').waitFor();
  // The order of the dates is requested; an unknown column can be assigned to a field.
  await page.getByText('These dates can be read in two ways: choose their order').waitFor();
  await page.getByRole('combobox', { name: 'Order of the dates of Eingang' }).click();
  await page.getByRole('option', { name: 'Day, month, year' }).click();
  await page.getByText('2 of 3 lots can be imported, 1,440.37 kg').waitFor();
  await page.getByRole('combobox', { name: 'Field of Farbe' }).click();
  await page.getByRole('option', { name: 'Notes' }).click();

  const table = page.getByRole('table', { name: 'Rows' });
  await expect.poll(() => table.innerText()).toContain('Lot number is required');
  await expect.poll(() => table.innerText()).toContain('“zehn” is not a weight');
  const lot = page.getByLabel('Lot number of line 3');
  await lot.fill('IM-2');
  await lot.press('Enter');
  const weight = page.getByLabel('Initial weight of line 3, kg');
  await weight.fill('69');
  await weight.press('Enter');
  await page.getByText('3 of 3 lots can be imported').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Import 3 lots' }).click();
  await page.getByText('3 lots imported').waitFor();

  await visit(page, '/inventory?q=IM-');
  await rowOf(page, 'IM-3').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Undo import' }).click();
  await page.getByRole('button', { name: 'Delete lots' }).click();
  await page.getByText('Undone: 3 lots deleted').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page
    .getByLabel('List of lots')
    .setInputFiles({ name: 'lots.csv', mimeType: 'text/csv', buffer: Buffer.from(good, 'latin1') });
  await page.getByRole('button', { name: 'Import 2 lots' }).click();
  await page.getByText('2 lots imported').waitFor();
  await page.getByRole('link', { name: 'Show lots' }).click();
  await page.waitForURL('**/inventory');
  await visit(page, '/inventory?q=IM-');
  await rowOf(page, 'IM-1').getByText('Santa Bárbara', { exact: true }).waitFor();
  await expect.poll(() => rowOf(page, 'IM-2').count()).toBe(1);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^lots-\d{4}-\d\d-\d\d\.csv$/);
  const csv = await readFile(await download.path(), 'utf8');
  const [head = '', ...lines] = csv.trim().split('\r\n');
  expect(head).toContain('lot_number,coffee_name,origin');
  const numbers = lines.map((line) => line.split(',')[0]);
  expect(new Set(numbers), 'what the filters show, and nothing else').toEqual(new Set(['IM-1', 'IM-2']));
  expect(numbers).toHaveLength(2);
  expect(watched.complaints).toEqual([]);
});

it('import of lots: applies quick choices in order, and does not begin before they are read', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  const buffer = Buffer.from('Los;Bezeichnung;Herkunft;Menge;EK\nQU-1;Konga;Ethiopia;300;2,80');
  await page.goto('/inventory/lots/import');
  await page.getByLabel('List of lots').setInputFiles({ name: 'quick.csv', mimeType: 'text/csv', buffer });
  const start = page.getByRole('button', { name: 'Import 1 lot' });
  await expect.poll(() => start.isEnabled()).toBe(true);
  const asked: Route[] = [];
  await page.route(/lot-imports\/[^/]+$/, (route) =>
    route.request().method() === 'PUT' ? void asked.push(route) : route.fallback(),
  );
  const choose = async (name: string, option: string) => {
    await page.getByRole('combobox', { name }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Unit of Menge', 'lb');
  await expect.poll(() => asked.length).toBe(1);
  await choose('Unit of EK', 'per lb');
  await expect.poll(() => start.isEnabled()).toBe(false);
  await asked[0]?.continue();
  await expect.poll(() => asked.length).toBe(2);
  await expect.poll(() => start.isEnabled()).toBe(false);
  await asked[1]?.continue();
  await start.click();
  await page.getByText('1 lot imported').waitFor();
  const { lots } = await ana.call(listLots, { query: { q: 'QU-1' } });
  expect([lots[0]?.initial_weight, lots[0]?.cost_per_kg]).toEqual([136.077711, 6.172943]);
  expect(watched.complaints).toEqual([]);
});

it('import of lots: shows and imports forty lots of a workbook in pounds and euros', async () => {
  await roastery.admin.call(putRoasterySettings, { body: { currency: 'EUR' } });
  await ana.call(updatePreferences, { body: { weight_unit: 'lb' } });
  const rows = Array.from({ length: 40 }, (_, at) => [`DAY-${at}`, `Coffee ${at}`, 'Kenya', 10, '132 lb', 3.5]);
  const book = utils.book_new();
  const heads = ['Lot', 'Coffee', 'Country', 'Bags', 'Bag size', 'Price (EUR/lb)'];
  utils.book_append_sheet(book, utils.aoa_to_sheet([heads, ...rows]), 'Green');
  const buffer = Buffer.from(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto('/inventory/lots/import');
  await page.getByLabel('List of lots').setInputFiles({ name: 'green.xlsx', mimeType: 'application/xlsx', buffer });
  await page.getByText('40 of 40 lots can be imported, 52,800.0 lb').waitFor();
  await page.getByRole('button', { name: 'Import 40 lots' }).click();
  await page.getByText('40 lots imported').waitFor();
  const { lots, total } = await ana.call(listLots, { query: { q: 'DAY-' } });
  expect([total, lots[0]?.initial_weight, lots[0]?.cost_per_kg]).toEqual([40, 598.741928, 7.716179]);
  await visit(page, '/inventory?q=DAY-7');
  await expect.poll(() => rowOf(page, 'DAY-7').innerText()).toContain('1,320.0');
});
