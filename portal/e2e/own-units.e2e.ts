import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { updatePreferences } from '@roastery/contract/auth';
import { getLot, listLots } from '@roastery/contract/inventory';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { listPlannedRoasts } from '@roastery/contract/planned';
import { getRoast } from '@roastery/contract/roasts';
import { getRoasterySettings, putRoasterySettings } from '@roastery/contract/settings';
import { accessibilityFindings, keepAxe } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

/** Where pictures of the pages are kept; none are taken without it. */
const picturesIn = process.env['SCREENS_DIR'];

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let lotId = '';

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  await roastery.admin.call(putRoasterySettings, { body: { time_zone: 'Europe/Berlin', currency: 'EUR' } });
  await ana.call(updatePreferences, { body: { weight_unit: 'lb', date_language: 'de' } });
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
});
afterAll(() => roastery[Symbol.asyncDispose]());

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const choose = async (page: Page, label: string, option: RegExp | string): Promise<void> => {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).click();
};
const holds = (page: Page, name: string, text: string) =>
  expect.poll(() => field(page, name).inputValue(), { message: name }).toBe(text);
const says = (page: Page, text: RegExp) => expect.poll(() => page.getByRole('main').innerText()).toMatch(text);

/** The page on desktop and phone, light and dark: a picture of each, and no finding of axe. */
const inspect = async (page: Page, name: string): Promise<void> => {
  if (picturesIn !== undefined) await mkdir(picturesIn, { recursive: true });
  for (const width of ['phone', 'desk'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(SCREEN[width]);
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe(colorScheme);
      if (picturesIn !== undefined)
        await page.screenshot({ path: path.join(picturesIn, `${name}-${width}-${colorScheme}.png`) });
      expect(await accessibilityFindings(page), `${name} ${width} ${colorScheme}`).toEqual([]);
    }
  }
};

it('the roastery keeps its currency and its sizes of bags', async () => {
  await using watched = await roastery.openAs(roastery.admin, { reducedMotion: 'reduce' });
  const { page } = watched;
  await keepAxe(page);
  await page.goto('/admin/settings');
  await page.getByRole('combobox', { name: 'Currency' }).fill('yen');
  await page.getByRole('option', { name: /JPY/ }).click();
  await field(page, 'Bag Sizes').fill('60 kg; 70.5 sacks');
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await page.getByText('Enter sizes with their units').waitFor();
  await field(page, 'Bag Sizes').fill('60 kg; 70.5 kg; 152 lb');
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await page.getByText('Settings saved successfully!').waitFor();
  await inspect(page, 'settings');
  expect(await ana.call(getRoasterySettings, {})).toMatchObject({
    currency: 'JPY',
    bag_sizes: [
      { weight: 60, unit: 'kg' },
      { weight: 70.5, unit: 'kg' },
      { weight: 152, unit: 'lb' },
    ],
  });
  await page.goto('/inventory');
  await page.getByText(/^Total Value \(¥\)$/i).waitFor();
  await page.goto('/inventory/lots/new');
  await choose(page, 'Bag size', '70.5 kg');
  await field(page, 'Bags').fill('2');
  await holds(page, 'Initial weight', '141');
  await roastery.admin.call(putRoasterySettings, { body: { currency: 'EUR' } });
});

describe('a user with pounds, euros and German formats', () => {
  it('enters a lot in bags, with its price and dates', async () => {
    await using watched = await roastery.openAs(ana, { reducedMotion: 'reduce' });
    const { page } = watched;
    await keepAxe(page);
    await page.goto('/inventory/lots/new');
    await field(page, 'Lot number').fill('LB-1');
    await field(page, 'Coffee name').fill('Guji');
    await page.getByRole('combobox', { name: 'Origin' }).fill('Ethiopia');
    await field(page, 'Harvest date').fill('1.12.2025');
    await field(page, 'Cost per lb').fill('3,10');
    await choose(page, 'Bag size', '152 lb');
    await field(page, 'Bags').fill('3');
    await holds(page, 'Initial weight', '456');
    await says(page, /Total Cost\s+1\.413,60\s€/);
    // The calendar begins its weeks on Monday, works by keyboard and fills the field in the order of the region.
    await field(page, 'Purchase date').fill('2.12.2025');
    await page.getByRole('button', { name: 'Open calendar' }).nth(1).click();
    const calendar = page.getByRole('dialog', { name: 'Choose a date' });
    await calendar.getByText('Dec 2025').first().waitFor();
    await expect.poll(() => calendar.getByRole('columnheader').first().innerText()).toBe('Mo');
    await inspect(page, 'calendar');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await holds(page, 'Purchase date', '09.12.2025');
    await page.getByRole('button', { name: 'Save Lot' }).click();
    await page.waitForURL('**/inventory');
    const { lots } = await ana.call(listLots, { query: { q: 'LB-1' } });
    expect(lots).toMatchObject([
      {
        initial_weight: 206.838_121,
        cost_per_kg: 6.834_33,
        harvest_date: '2025-12-01T00:00:00.000Z',
        purchase_date: '2025-12-09T00:00:00.000Z',
      },
    ]);
    lotId = lots[0]?.id ?? '';
    await says(page, /TOTAL WEIGHT \(LB\)\s+456,0\s+TOTAL VALUE \(€\)\s+1\.413,60/i);
    await page.getByText('456,0').first().waitFor();
    await inspect(page, 'lots');
  });

  it('sees the typed values in the form, and corrects the stock', async () => {
    await using watched = await roastery.openAs(ana, { reducedMotion: 'reduce' });
    const { page } = watched;
    await keepAxe(page);
    await page.goto(`/inventory/lots/${lotId}/edit`);
    await holds(page, 'Initial weight', '456');
    await holds(page, 'Cost per lb', '3,1');
    await holds(page, 'Harvest date', '01.12.2025');
    await inspect(page, 'lot');
    await page.getByRole('button', { name: 'Adjust weight' }).click();
    const dialog = page.getByRole('dialog', { name: 'Adjust weight' });
    await dialog.getByRole('tab', { name: 'Added or removed' }).click();
    await dialog.getByRole('textbox', { name: 'Change' }).fill('-2,5');
    await dialog.getByText('456,0 lb − 2,5 lb = 453,5 lb').waitFor();
    await dialog.getByRole('combobox', { name: 'Reason' }).fill('Spillage');
    await dialog.getByRole('button', { name: 'Adjust weight' }).click();
    await page.getByText('LB-1 now holds 453,5 lb').waitFor();
    // Saving a form with an unchanged weight changes no stock.
    await field(page, 'Farm').fill('Halo');
    await page.getByRole('button', { name: 'Update Lot' }).click();
    await page.waitForURL('**/inventory');
    const lot = await ana.call(getLot, { params: { id: lotId } });
    expect([lot.initial_weight, lot.current_weight]).toEqual([206.838_121, 205.704_14]);
  });

  it('plans a batch in pounds that is too large, then one that fits', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts/new');
    await choose(page, 'Machine', /Probat P25/);
    await choose(page, 'Green coffee lot', /LB-1/);
    await field(page, 'Batch').fill('1.000,5');
    await page.getByText('The lot holds only 453,5 lb').waitFor();
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByText('Probat P25 holds at most 66,14 lb').first().waitFor();
    await field(page, 'Batch').fill('25,3');
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByText('Up next · Probat P25').waitFor();
    await says(page, /25,3 lb/);
    const { planned } = await ana.call(listPlannedRoasts, { query: { machine_id: probat.id } });
    expect(planned).toMatchObject([{ batch_size_kg: 11.475_887 }]);
  });

  it('weighs a roast in the cockpit and finds the same figures in the list and in its file', async () => {
    const roast = await bringPastRoast(roastery.stack, ana, probat, {
      charged: new Date(Date.now() - 900_000),
      details: { coffee_name: 'Guji', batch_size_kg: 11.475_887, end_weight_kg: null },
    });
    await using watched = await roastery.openAs(ana, { reducedMotion: 'reduce' });
    const { page } = watched;
    await keepAxe(page);
    await page.goto(`/machines/${probat.id}/live`);
    await page.getByTestId('unweighed').click();
    const sheet = page.getByTestId('weigh-sheet');
    await sheet.getByText('Batch 25,3 lb').waitFor();
    await sheet.getByLabel('Roasted weight').fill('25,4');
    await sheet.getByText('Roasted weight can’t be more than the batch').waitFor();
    await sheet.getByLabel('Roasted weight').fill('21,75');
    await sheet.getByText(/Loss 14,0\s%/).waitFor();
    await inspect(page, 'weigh');
    await sheet.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByTestId('unweighed').count()).toBe(0);
    expect(await ana.call(getRoast, { params: { id: roast.id } })).toMatchObject({ end_weight_kg: 9.865_634 });

    await page.goto('/roasts');
    await page.getByRole('columnheader', { name: 'Batch (lb)' }).waitFor();
    await says(page, /25,3/);
    await inspect(page, 'roasts');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByRole('menuitem', { name: /CSV/ }).click();
      })(),
    ]);
    const [head = '', row = ''] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    const at = head.split(',').indexOf('Batch (lb)');
    expect([at > 0, row.split(',')[at], row.split(',')[at + 1]]).toEqual([true, '25.3', '21.75']);
    await page.goto(`/roasts/${roast.id}`);
    await says(page, /25,3\s+lb/);
    await page.goto('/analytics');
    await says(page, /25,3\s+lb/);
    await inspect(page, 'analytics');
  });
});
