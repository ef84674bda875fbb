import { adjustLot, createLot, getLot, listLots, updateLot, type Lot } from '@roastery/contract/inventory';
import { createProfile } from '@roastery/contract/profiles';
import { seedDefaults } from '@roastery/contract/settings';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const lotRow = (page: Page, number: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: number, exact: true }) });
const cellsOf = async (row: Locator): Promise<string[]> => {
  await row.waitFor();
  return row.getByRole('cell').allInnerTexts();
};
const takeIn = (lot: Partial<Parameters<typeof createBody>[0]> & { lot_number: string }): Promise<Lot> =>
  ana.call(createLot, { body: createBody(lot) });
const createBody = (lot: { lot_number: string; origin?: string; location?: string; initial_weight?: number }) => ({
  coffee_name: `Coffee of ${lot.lot_number}`,
  origin: 'Kenya',
  initial_weight: 60,
  ...lot,
});
const statCard = (page: Page, label: string): Locator =>
  page.getByRole('heading', { name: label, exact: true }).locator('xpath=../..').getByRole('paragraph');

describe('green inventory', () => {
  it('is empty at first, requires a lot’s fields, and adds the first one', async () => {
    await roastery.admin.call(seedDefaults, {});
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory');
    await page.getByText('No inventory lots found').waitFor();
    await page.getByRole('link', { name: 'Add First Lot' }).click();
    await page.waitForURL('**/inventory/lots/new');

    await page.getByRole('button', { name: 'Save Lot' }).click();
    await page.getByRole('alert').getByText('Please fix the errors in the form').waitFor();
    for (const message of [
      'Lot number is required',
      'Coffee name is required',
      'Origin is required',
      'Initial weight must be greater than 0',
    ]) {
      await expect.poll(() => page.getByText(message, { exact: true }).isVisible(), { message }).toBe(true);
    }
    // A field's error disappears as soon as the field is edited.
    await page.getByLabel('Lot number').fill('E');
    await expect.poll(() => page.getByText('Lot number is required').count()).toBe(0);
    await expect.poll(() => page.getByText('Coffee name is required').count()).toBe(1);

    await page.getByLabel('Lot number').fill('ET-26-07');
    await page.getByLabel('Coffee name').fill('Yirgacheffe Konga');
    await page.getByRole('combobox', { name: 'Origin' }).fill('Eth');
    await page.getByRole('option', { name: 'Ethiopia' }).click();
    await page.getByLabel('Region').fill('Gedeo');
    await page.getByRole('combobox', { name: 'Process' }).fill('Washed');
    await page.getByLabel('Harvest date').fill('2025-12-01');
    await page.getByLabel('Cost per kg').fill('9.4');
    await page.getByLabel('Initial weight').fill('60');
    await expect.poll(() => page.getByLabel('Total Cost').innerText()).toBe('$564.00');
    await page.getByRole('combobox', { name: 'Location' }).fill('Main Warehouse');
    await page.getByRole('button', { name: 'Save Lot' }).click();

    await page.waitForURL('**/inventory');
    await lotRow(page, 'ET-26-07').waitFor();
    await expect
      .poll(async () => (await page.getByRole('columnheader').allInnerTexts()).slice(1))
      .toEqual([
        'LOT',
        'NAME',
        'ORIGIN',
        'REGISTRATION DATE',
        'LOCATION',
        'INITIAL WEIGHT',
        'WEIGHT',
        'RUN OUT ESTIMATION',
        'USED IN PROFILES',
        'PROCESS',
        'STATUS',
      ]);
    const [, lot, name, origin, registered, location, initial, weight, runOut, used, process, status] = (
      await cellsOf(lotRow(page, 'ET-26-07'))
    ).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect([lot, name, origin, location, initial, weight, runOut, used, process, status]).toEqual([
      'ET-26-07',
      'Yirgacheffe Konga Gedeo',
      'Ethiopia',
      'Main Warehouse',
      '60.0 kg',
      '60.0 kg 100%',
      '--',
      '0',
      'Washed',
      'Available',
    ]);
    expect(registered).toMatch(/^[A-Z][a-z]{2} \d{2}, \d{4}$/);
    await expect.poll(() => statCard(page, 'Total Lots').innerText()).toBe('1');
    await expect.poll(() => statCard(page, 'Available Lots').innerText()).toBe('1');
    await expect.poll(() => statCard(page, 'Total Weight (kg)').innerText()).toBe('60.0');
    await expect.poll(() => statCard(page, 'Total Value ($)').innerText()).toBe('564.00');
    expect(watched.complaints).toEqual([]);
  });

  it('shows in the form why the server refuses a lot, and keeps the input', async () => {
    await takeIn({ lot_number: 'TAKEN-1' });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory/lots/new');
    await page.getByLabel('Lot number').fill('TAKEN-1');
    await page.getByLabel('Coffee name').fill('Twice');
    await page.getByRole('combobox', { name: 'Origin' }).fill('Peru');
    await page.getByLabel('Cupping score').fill('100.5');
    await page.getByLabel('Initial weight').fill('12.5');
    await page.getByRole('button', { name: 'Save Lot' }).click();
    await page.getByText('Cupping score: 0-100').waitFor();
    await page.getByLabel('Cupping score').fill('88.5');
    await page.getByRole('button', { name: 'Save Lot' }).click();
    await page.getByText('A lot with the number TAKEN-1 already exists').waitFor();
    await expect.poll(() => page.getByLabel('Coffee name').inputValue()).toBe('Twice');
    // Leaving shows a confirmation first: no input is lost by a stray click.
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL('**/inventory');
  });

  it('saves no unreadable figure, and reads a decimal comma', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory/lots/new');
    await page.getByLabel('Lot number').fill('FIGURES-1');
    await page.getByLabel('Coffee name').fill('Typed in a hurry');
    await page.getByRole('combobox', { name: 'Origin' }).fill('Peru');
    await page.getByLabel('Initial weight').fill('10');
    await page.getByLabel('Cupping score').pressSequentially('8-7');
    await page.getByLabel('Cost per kg').pressSequentially('9,4');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a number such as 9.4').waitFor();
    await page.getByLabel('Cupping score').fill('87');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/inventory');
    const { lots } = await ana.call(listLots, { query: { q: 'FIGURES-1' } });
    expect(lots).toMatchObject([{ cupping_score: 87, cost_per_kg: 9.4 }]);
  });

  it('shows the last existing page when the rows of a page were deleted', async () => {
    for (let i = 10; i < 36; i += 1) await takeIn({ lot_number: `LAST-${i}` });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory?q=LAST&rows=25&sort=lot_number&page=2');
    await lotRow(page, 'LAST-35').getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete (1)' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await lotRow(page, 'LAST-10').waitFor();
    await page.getByText('1–25 of 25').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?q=LAST&rows=25&sort=lot_number');
  });

  it('keeps every letter of a search that is typed slowly on a slow computer', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory?status=all');
    await lotRow(page, 'LAST-10').waitFor();
    const browser = await page.context().newCDPSession(page);
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 6 });
    const box = page.getByRole('searchbox', { name: 'Search lots' });
    await box.pressSequentially('coffee of LAST', { delay: 260, timeout: 60_000 });
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await page.waitForURL('**/inventory?status=all&q=coffee+of+LAST');
    await expect.poll(() => box.inputValue()).toBe('coffee of LAST');
    // Changes from outside the field are shown in it.
    await page.getByRole('button', { name: /^Reset filters/ }).click();
    await expect.poll(() => box.inputValue()).toBe('');
  });

  it('keeps its filters in the address and clears them together', async () => {
    await takeIn({ lot_number: 'FI-1', origin: 'Rwanda', location: 'Silo 2' });
    await takeIn({ lot_number: 'FI-2', origin: 'Rwanda', location: 'Silo 3' });
    const empty = await takeIn({ lot_number: 'FI-3', origin: 'Rwanda', location: 'Silo 2' });
    await ana.call(adjustLot, { params: { id: empty.id }, body: { kg: -60, note: 'Sold green' } });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory/lots');
    await lotRow(page, 'FI-1').waitFor();
    await expect.poll(() => lotRow(page, 'FI-3').count(), { message: 'a depleted lot is not Available' }).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: /^Reset filters/ }).count()).toBe(0);

    await page.getByRole('combobox', { name: 'Origin' }).click();
    await page.getByRole('option', { name: 'Rwanda' }).click();
    await page.getByRole('combobox', { name: 'Location' }).click();
    await page.getByRole('option', { name: 'Silo 2' }).click();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Depleted' }).click();
    await lotRow(page, 'FI-3').waitFor();
    await expect.poll(() => lotRow(page, 'FI-1').count()).toBe(0);
    await expect.poll(() => new URL(page.url()).search).toBe('?origin=Rwanda&location=Silo+2&status=Depleted');

    // Another user who opens the address sees the same.
    await using colleague = await roastery.openAs(roastery.admin);
    await colleague.page.goto(page.url());
    await lotRow(colleague.page, 'FI-3').waitFor();

    await page.getByRole('button', { name: 'Reset filters (3)' }).click();
    await lotRow(page, 'FI-1').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await page.goto('/inventory?origin=Nowhere');
    await page.getByText('No inventory lots found').waitFor();
    expect([...watched.complaints, ...colleague.complaints]).toEqual([]);
  });

  it('opens a lot from its row; the weight is adjusted with a reason, which the ledger shows', async () => {
    await takeIn({ lot_number: 'AD-1', initial_weight: 100 });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory');
    // The whole row is the link, not only its number.
    await lotRow(page, 'AD-1').getByText('Kenya').click({ force: true });
    await page.waitForURL('**/inventory/lots/*/edit');
    await expect.poll(() => page.getByLabel('Lot number').getAttribute('readonly')).not.toBeNull();

    await page.getByRole('button', { name: 'Adjust weight' }).click();
    const dialog = page.getByRole('dialog', { name: 'Adjust weight' });
    await dialog.getByLabel('Weight now').fill('15');
    await dialog.getByRole('button', { name: 'Adjust weight' }).click();
    await dialog.getByText('Enter a reason').waitFor();
    await dialog.getByRole('combobox', { name: 'Reason' }).fill('Mice');
    await dialog.getByText('15.0 kg', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Adjust weight' }).click();
    await page.getByText('AD-1 now holds 15.0 kg').waitFor();

    const ledger = page.getByRole('table', { name: 'Movements of this lot, newest first' });
    await expect
      .poll(async () => (await ledger.getByRole('row').allInnerTexts()).slice(1))
      .toEqual([
        expect.stringMatching(/Adjusted\s+Mice[\s\S]+Ana Restrepo[\s\S]+−85\.00\s+15\.00/),
        expect.stringMatching(/Received[\s\S]+\+100\.00\s+100\.00/),
      ]);

    // Below 20 percent the list shows the weight in red.
    await page.goto('/inventory');
    const colour = (text: string) =>
      lotRow(page, 'AD-1')
        .getByText(text, { exact: true })
        .evaluate((element) => getComputedStyle(element).color);
    const red = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'var(--danger)';
      return getComputedStyle(probe).color;
    });
    await expect.poll(() => colour('15%')).toBe(red);
    await expect.poll(() => colour('Kenya')).not.toBe(red);
    expect(watched.complaints).toEqual([]);
  });

  it('corrects the stock when the initial weight is edited, and marks a lot as reserved', async () => {
    const { id } = await takeIn({ lot_number: 'RE-1', initial_weight: 60 });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/inventory/lots/${id}/edit`);
    await page.getByLabel('Initial weight').fill('69');
    await page.getByRole('checkbox', { name: /^Reserved/ }).click();
    await page.getByRole('button', { name: 'Update Lot' }).click();
    await page.waitForURL('**/inventory');
    await page.getByText('Lot RE-1 saved').waitFor();
    await page.goto('/inventory?status=Reserved');
    await expect
      .poll(async () => (await cellsOf(lotRow(page, 'RE-1'))).join(' '))
      .toMatch(/69\.0\s*kg[\s\S]+100%[\s\S]+Reserved/);
    expect(watched.complaints).toEqual([]);
  });

  it('estimates the run-out of a lot from its roasts, and counts the recipes that use it', async () => {
    const { id } = await takeIn({ lot_number: 'RUN-1', initial_weight: 120 });
    const recipe = {
      name: 'Runs out',
      green_coffee_lot_id: id,
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    };
    await ana.call(createProfile, { body: recipe });
    const machine = await register(ana, 'RM30-RUN', 'Big Drum');
    const roast = await bringPastRoast(roastery.stack, ana, machine, {
      details: { lot_id: id, batch_size_kg: 30, coffee_name: 'Kiambu' },
    });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/inventory/lots/${id}/edit`);
    // 90 kg at 30 kg in 30 days: 90 days, 12 whole weeks.
    await page.getByText('12+ weeks').waitFor();
    const movement = page.getByRole('link', { name: `Roast #${roast.id.slice(0, 8)}` });
    await movement.click();
    await page.waitForURL(`**/roasts/${roast.id}`);
    await page.goto('/inventory');
    await expect
      .poll(async () => (await cellsOf(lotRow(page, 'RUN-1'))).map((text) => text.trim()).slice(8, 10))
      .toEqual(['12+ weeks', '1']);
    expect(watched.complaints).toEqual([]);
  });

  it('shows the second of two users the changes of the first, and keeps both users’ work', async () => {
    const lot = await takeIn({ lot_number: 'TWO-1' });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/inventory/lots/${lot.id}/edit`);
    await page.getByLabel('Notes').fill('dry, shelf 4');
    await page.getByLabel('Farm').fill('Gatomboya');
    const { coffee_name, origin, initial_weight } = lot;
    const theirs = { coffee_name, origin, initial_weight, notes: 'damp!', region: 'Nyeri', revision: lot.revision };
    await roastery.admin.call(updateLot, { params: { id: lot.id }, body: theirs });
    await page.getByRole('button', { name: 'Update Lot' }).click();

    const alert = page.getByRole('alert').filter({ hasText: 'Another user changed this lot' });
    await alert.waitFor();
    await expect.poll(() => alert.innerText()).toContain('They changed: Region.');
    await expect
      .poll(async () => (await alert.getByRole('row').allInnerTexts()).at(-1))
      .toMatch(/Notes\s+damp!\s+dry, shelf 4/);
    expect((await ana.call(getLot, { params: { id: lot.id } })).notes).toBe('damp!');

    await alert.getByRole('button', { name: 'Keep my changes on top of theirs' }).click();
    await expect.poll(() => page.getByLabel('Region').inputValue()).toBe('Nyeri');
    await page.getByRole('button', { name: 'Update Lot' }).click();
    await page.waitForURL('**/inventory');
    expect(await ana.call(getLot, { params: { id: lot.id } })).toMatchObject({
      notes: 'dry, shelf 4',
      farm: 'Gatomboya',
      region: 'Nyeri',
    });
  });

  it('deletes the selected lots after a confirmation with their names', async () => {
    await takeIn({ lot_number: 'DEL-1' });
    const used = await takeIn({ lot_number: 'DEL-2' });
    await takeIn({ lot_number: 'DEL-3' });
    await ana.call(adjustLot, { params: { id: used.id }, body: { kg: -1, note: 'Sample roast' } });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory?q=DEL-');
    for (const number of ['DEL-1', 'DEL-2']) await lotRow(page, number).getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Delete (2)' }).click();
    const dialog = page.getByRole('alertdialog');
    await expect
      .poll(async () =>
        (await dialog.getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
      )
      .toEqual(expect.arrayContaining(['DEL-1 Coffee of DEL-1', 'DEL-2 Coffee of DEL-2']));
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Successfully deleted 2 lot(s)').waitFor();
    await lotRow(page, 'DEL-1').waitFor({ state: 'detached' });
    await expect.poll(() => lotRow(page, 'DEL-3').count()).toBe(1);
    // The lot with history is archived: its ledger stays.
    expect((await ana.call(getLot, { params: { id: used.id } })).archived_at).not.toBeNull();
    await page.goto(`/inventory/lots/${used.id}/edit`);
    await page.getByText(/^Deleted on .+; kept for its history\.$/).waitFor();
    await expect.poll(() => page.getByLabel('Coffee name').isDisabled()).toBe(true);
    await expect.poll(() => page.getByRole('button', { name: 'Update Lot' }).count()).toBe(0);
    await page.getByText('Sample roast').waitFor();
    expect(watched.complaints).toEqual([]);
  });

  it('shows that the list could not be read, and reads it on Retry', async () => {
    await takeIn({ lot_number: 'OUT-1' });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const list = '**/api/v1/inventory/lots?*';
    const body = JSON.stringify({ detail: 'The database is full', code: 'internal', request_id: 'request-7' });
    await page.route(list, (route) => route.fulfill({ status: 500, contentType: 'application/json', body }));
    await page.goto('/inventory');
    await page.getByText('No inventory lots found').waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'Lots could not be loaded. The database is full' });
    await alert.getByText('Request request-7').waitFor();
    await Promise.all([page.waitForRequest(list), alert.getByRole('button', { name: 'Retry' }).click()]);
    await page.unroute(list);
    await expect.poll(async () => (await cellsOf(lotRow(page, 'OUT-1'))).length).toBe(12);
    await expect.poll(() => alert.count()).toBe(0);
  });

  it('returns to the list from a missing lot', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory/lots/00000000-0000-7000-8000-000000000000/edit');
    await page.getByText('Failed to load lot data').waitFor();
    await page.waitForURL('**/inventory');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Green inventory');
  });

  it('can be used by keyboard only', async () => {
    await takeIn({ lot_number: 'KEY-1' });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory?q=KEY-1');
    const link = page.getByRole('link', { name: 'KEY-1', exact: true });
    await link.waitFor();
    await page.getByRole('searchbox', { name: 'Search lots' }).focus();
    for (let press = 0; press < 30; press += 1) {
      if (await link.evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**/edit');
    await page.getByLabel('Coffee name').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Named by keyboard');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/inventory');
    await page.getByText('Named by keyboard', { exact: true }).waitFor();
    expect(watched.complaints).toEqual([]);
  });
});
