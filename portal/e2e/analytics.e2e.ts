import { logRoast } from '@roastery/contract/imports';
import { createLot } from '@roastery/contract/inventory';
import { createProfile, deleteProfile } from '@roastery/contract/profiles';
import { listRoasts, updateRoast } from '@roastery/contract/roasts';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
const control_profile = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 720, burner: 0, exhaust: 90, drum: 30 },
];

/** Roasts without a machine, coffee, recipe or lot, and of a recipe that was deleted. */
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  const drum = await register(ana, 'RM15-AN', 'Ana’s Drum', 'RM15');
  const lot = await ana.call(createLot, {
    body: { lot_number: 'AN-1', coffee_name: 'Yirga', origin: 'Ethiopia', initial_weight: 200, cost_per_kg: 7 },
  });
  const recipe = (name: string, auto_deduct_inventory = true) =>
    ana.call(createProfile, { body: { name, control_profile, auto_deduct_inventory } });
  const former = await recipe('Old Filter');
  const bySample = await recipe('Samples', false);
  const log = (body: object) =>
    ana.call(logRoast, {
      body: { start_time: daysAgo(3).toISOString(), duration_seconds: 600, coffee_name: 'Yirga', ...body },
    });
  const machine = { machine_id: drum.id };
  const nameless = await log({ batch_size_kg: 3 });
  await ana.call(updateRoast, { params: { id: nameless.id }, body: { coffee_name: null } });
  await log({ ...machine, batch_size_kg: 4, first_crack_time: 480, lot_id: lot.id });
  await log({ ...machine, batch_size_kg: 5, profile_id: former.id });
  await log({ ...machine, batch_size_kg: 6, lot_id: lot.id, profile_id: bySample.id });
  await log({ ...machine, coffee_name: 'K'.repeat(180), profile_id: former.id });
  await ana.call(deleteProfile, { params: { id: former.id } });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const tile = (page: Page, label: string) => page.getByRole('link', { name: new RegExp(`^${label} `) });
const periods = (page: Page) => page.getByRole('list', { name: 'Weight roasted by period' }).getByRole('link');

describe('analytics', () => {
  it('opens as many roasts as each figure counts, also those without a machine, coffee, recipe or lot', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const behind = async (href: string | null): Promise<number> => {
      const query = Object.fromEntries(new URL(href ?? '', roastery.stack.url).searchParams);
      return (await ana.call(listRoasts, { query })).total;
    };
    await page.goto('/analytics');
    for (const [label, names] of [
      ['Machines', ['Ana’s Drum', 'No machine']],
      ['Coffees', ['Yirga', 'No coffee named', 'K'.repeat(180)]],
      ['People', ['Ana Restrepo']],
      ['Recipes', ['Samples', 'Old Filter', 'No recipe']],
    ] as const) {
      await page.getByRole('tab', { name: label }).click();
      const rows = page.getByRole('table', { name: label }).getByRole('row');
      for (const name of names) {
        const row = rows.filter({ has: page.getByRole('link', { name, exact: true }) });
        const counted = Number((await row.innerText()).split('\t')[2]);
        await expect
          .poll(async () => behind(await row.getByRole('link').getAttribute('href')), { message: `${label}: ${name}` })
          .toBe(counted);
      }
    }
    await tile(page, 'Development ratio').getByText('of 1 roast').waitFor();
    await expect.poll(async () => behind(await tile(page, 'Development ratio').getAttribute('href'))).toBe(1);
    await page.getByRole('link', { name: 'Old Filter' }).click();
    const chosen = () => page.getByRole('combobox', { name: 'Recipe' }).inputValue();
    await expect.poll(chosen).toBe('Old Filter (deleted)');
    const rows = page.getByRole('table', { name: 'Roasts' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(1 + 2);
    await page.goBack();

    await page.getByRole('tab', { name: 'Green coffee' }).click();
    await tile(page, 'Green used').getByText('by 1 roast').waitFor();
    await expect.poll(async () => behind(await tile(page, 'Green used').getAttribute('href'))).toBe(1);
    await expect
      .poll(async () => behind(await page.getByRole('link', { name: '1 roast of lot AN-1' }).getAttribute('href')))
      .toBe(1);
    await tile(page, 'Without a lot').click();
    await page.getByRole('combobox', { name: 'Data' }).getByText('Used no green coffee from a lot').waitFor();
    await expect.poll(() => rows.count()).toBe(1 + 4);
    await page.getByRole('button', { name: /^Reset filters/ }).click();
    await expect.poll(() => rows.count()).toBe(1 + 5);
    expect(watched.complaints).toEqual([]);
  });

  it('works by keyboard: arrows move along the columns, Enter opens', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/analytics?span=30d&period=week');
    const links = periods(page);
    await links.last().waitFor();
    await page.getByRole('radio', { name: 'Week' }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => links.last().evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => links.nth(1).evaluate((element) => element === document.activeElement)).toBe(true);
    const second = await links.nth(1).getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${second}`);
    expect(watched.complaints).toEqual([]);
  });

  it('explains on the first touch and opens on the second', async () => {
    await using watched = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
    const { page } = watched;
    await page.goto('/analytics?span=30d&period=week');
    const link = periods(page).last();
    await link.tap();
    await page.getByText('Tap again to see the roasts').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/analytics');
    await link.tap();
    await page.waitForURL('**/roasts?from=*');
    expect(watched.complaints).toEqual([]);
  });
});
