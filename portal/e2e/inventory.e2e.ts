import { adjustLot, createLot, getLot, updateLot, type Lot } from '@roastery/contract/inventory';
import { createProfile } from '@roastery/contract/profiles';
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

describe('green inventory', () => {
  it('keeps every letter of a search that is typed slowly on a slow computer', async () => {
    for (let i = 10; i < 36; i += 1) await takeIn({ lot_number: `LAST-${i}` });
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
