import { createLot, type Lot } from '@roastery/contract/inventory';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const lotRow = (page: Page, number: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name: number, exact: true }) });
const topOf = async (control: Locator): Promise<number | undefined> => (await control.boundingBox())?.y;
const takeIn = (lot_number: string, initial_weight: number): Promise<Lot> =>
  ana.call(createLot, {
    body: { lot_number, coffee_name: `Coffee of ${lot_number}`, origin: 'Kenya', initial_weight },
  });

describe('green inventory', () => {
  it('opens a lot from its row; the weight is adjusted with a reason, which the ledger shows [P99 P104 P110 P178]', async () => {
    await takeIn('AD-1', 100);
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

  it('lets no control above its list stand alone in a row on a phone', async () => {
    await takeIn('PH-1', 40);
    await using watched = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true });
    const { page } = watched;
    await page.goto('/inventory');
    await page.getByText('Coffee of PH-1', { exact: true }).waitFor();
    const rows = () =>
      Promise.all(
        [
          page.getByRole('searchbox', { name: 'Search lots' }),
          page.getByRole('button', { name: 'Customize' }),
          ...['Status', 'Origin', 'Location', 'Sort lots'].map((name) => page.getByRole('combobox', { name })),
        ].map(topOf),
      );
    await expect
      .poll(async () => {
        const tops = await rows();
        return tops.filter((one) => tops.filter((other) => Math.abs((other ?? 0) - (one ?? 0)) < 12).length < 2);
      })
      .toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  it('can be used by keyboard only [P105]', async () => {
    await takeIn('KEY-1', 60);
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
