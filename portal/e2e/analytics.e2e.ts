import { analyticsProduction } from '@roastery/contract/analytics';
import { logRoast } from '@roastery/contract/imports';
import { createLot } from '@roastery/contract/inventory';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { createProfile, deleteProfile } from '@roastery/contract/profiles';
import { listRoasts, updateRoast, type Roast } from '@roastery/contract/roasts';
import { putRoasterySettings } from '@roastery/contract/settings';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdRequests } from './hold-requests.ts';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, tomoIto, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let tomo: RoasteryClient;
let recipeId: string;
const roasts: Roast[] = [];

const dayMs = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMs);
const control_profile = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 720, burner: 0, exhaust: 90, drum: 30 },
];

beforeAll(async () => {
  roastery = await openRoastery();
  await roastery.admin.call(putRoasterySettings, { body: { time_zone: 'UTC' } });
  ana = await roastery.addPerson(anaRestrepo);
  tomo = await roastery.addPerson(tomoIto);
  const big = await register(ana, 'RM30-AN', 'Big Drum');
  const small = await register(ana, 'RM7-AN', 'Little Drum', 'RM7');
  const foreign = await register(tomo, 'RM15-TO', 'Tomo’s Drum', 'RM15');
  recipeId = (await ana.call(createProfile, { body: { name: 'House Espresso', control_profile } })).id;
  const lot = await ana.call(createLot, {
    body: { lot_number: 'KE-1', coffee_name: 'Kiambu', origin: 'Kenya', initial_weight: 300, cost_per_kg: 8 },
  });
  const roast = async (
    who: RoasteryClient,
    machine: RegisteredMachine,
    days: number,
    details: object,
    seed: number,
  ) => {
    roasts.push(await bringPastRoast(roastery.stack, who, machine, { charged: daysAgo(days), details, seed }));
  };
  const espresso = { coffee_name: 'Kiambu', lot_id: lot.id, profile_id: recipeId };
  await roast(ana, big, 2, { ...espresso, batch_size_kg: 20, roasted_by: 'Ida', cupping_score: 88 }, 1);
  await roast(ana, big, 9, { ...espresso, batch_size_kg: 22.5, roasted_by: 'Ida' }, 2);
  await roast(ana, big, 16, { ...espresso, batch_size_kg: 10 }, 3);
  await roast(ana, small, 3, { coffee_name: 'Huila', batch_size_kg: 5 }, 4);
  await roast(tomo, foreign, 2, { coffee_name: 'Sidra', batch_size_kg: 12 }, 5);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const tile = (page: Page, label: string) => page.getByRole('link', { name: new RegExp(`^${label} `) });
const groups = (page: Page, label: string) => page.getByRole('table', { name: label }).getByRole('row');

describe('analytics', () => {
  it('shows the roasts of the user’s own machines, and all of them to an admin', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/dashboard');
    await page
      .getByRole('navigation', { name: 'Shortcuts' })
      .getByRole('link', { name: /^Analytics/ })
      .click();
    await page.waitForURL('**/analytics');
    await tile(page, 'Roasted').getByText('57.5').waitFor();
    await expect.poll(() => tile(page, 'Roasts').innerText()).toMatch(/ROASTS\s+4/);
    await expect.poll(() => tile(page, 'Average duration').innerText()).toMatch(/\d+:\d\d/);
    await expect.poll(() => tile(page, 'Development ratio').innerText()).toMatch(/\d+\.\d\s+± \d+\.\d%\s+of 4 roasts/);
    await expect
      .poll(async () => (await groups(page, 'Machines').allInnerTexts()).slice(1))
      .toEqual([
        expect.stringMatching(/^\s*Big Drum\s*\t[\s\S]*52\.5[\s\S]*3[\s\S]*\d+:\d\d[\s\S]*\d+\.\d ± \d+\.\d%/),
        expect.stringMatching(/^\s*Little Drum\s*\t/),
      ]);
    for (const [tab, names] of [
      ['Coffees', ['Kiambu', 'Huila']],
      ['Recipes', ['House Espresso', 'No recipe']],
      ['People', ['Ida', 'Ana Restrepo']],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await groups(page, tab).filter({ hasText: names[0] }).waitFor();
      const shown = async () =>
        (await groups(page, tab).allInnerTexts()).slice(1).map((row) => row.split('\t')[0]?.trim());
      await expect.poll(shown, { message: tab }).toEqual(names);
    }
    await using admin = await roastery.openAs(roastery.admin);
    await admin.page.goto('/analytics');
    await tile(admin.page, 'Roasted').getByText('69.5').waitFor();
    await groups(admin.page, 'Machines').filter({ hasText: 'Tomo’s Drum' }).waitFor();
    expect([...watched.complaints, ...admin.complaints]).toEqual([]);
  });

  it('opens the counted roasts behind every figure', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/analytics?span=30d&period=week');
    const chart = page.getByRole('list', { name: 'Weight roasted by period' });
    await chart.getByRole('link').first().waitFor();
    const { periods } = await ana.call(analyticsProduction, {
      query: { from: daysAgo(29).toISOString().slice(0, 10), period: 'week', week_start: 'sunday' },
    });
    await expect.poll(() => chart.getByRole('link').count()).toBe(periods.length);
    for (const [index, period] of periods.entries()) {
      const href = (await chart.getByRole('link').nth(index).getAttribute('href')) ?? '';
      const query = Object.fromEntries(new URL(href, roastery.stack.url).searchParams);
      expect(query).toEqual({ from: period.from, to: period.to });
      const { total } = await ana.call(listRoasts, { query });
      expect(total, href).toBe(period.roasts);
    }
    await page.getByRole('link', { name: 'Little Drum' }).click();
    await page.waitForURL(/\/roasts\?from=.*&machine_id=[0-9a-f-]{36}$/);
    // Until the list of machines is loaded, a placeholder is shown for the chosen one, not its id.
    const releasePlan = await holdRequests(page, '**/api/v1/analytics/choices*');
    await page.reload();
    const chosen = page.getByRole('combobox', { name: 'Machine' });
    await expect.poll(() => chosen.getAttribute('aria-busy')).toBe('true');
    await expect.poll(() => chosen.evaluate((field) => getComputedStyle(field).color)).toBe('rgba(0, 0, 0, 0)');
    releasePlan();
    await expect.poll(() => chosen.inputValue()).toBe('Little Drum');
    await page.goto('/analytics?by=person');
    await page.getByRole('link', { name: 'Ida' }).click();
    await page.waitForURL(/\/roasts\?from=.*&roasted_by=Ida$/);
    await page.goto('/analytics');
    await tile(page, 'Roasted').click();
    await page.waitForURL(/\/roasts\?from=[\d-]+$/);
    expect(watched.complaints).toEqual([]);
  });

  it('opens as many roasts as each figure counts, also those without a machine, coffee, recipe or lot', async () => {
    const ida = await roastery.addPerson({
      full_name: 'Ida Lund',
      email: 'ida@roastery.example',
      password: 'cooler 9 kg tray',
    });
    const big = await register(ida, 'RM15-ID', 'Ida’s Drum', 'RM15');
    const lot = await ida.call(createLot, {
      body: { lot_number: 'ID-1', coffee_name: 'Yirga', origin: 'Ethiopia', initial_weight: 200, cost_per_kg: 7 },
    });
    const recipe = (name: string, auto_deduct_inventory = true) =>
      ida.call(createProfile, { body: { name, control_profile, auto_deduct_inventory } });
    const former = await recipe('Old Filter');
    const bySample = await recipe('Samples', false);
    const log = (body: object) =>
      ida.call(logRoast, {
        body: { start_time: daysAgo(3).toISOString(), duration_seconds: 600, coffee_name: 'Yirga', ...body },
      });
    const machine = { machine_id: big.id };
    const nameless = await log({ batch_size_kg: 3 });
    await ida.call(updateRoast, { params: { id: nameless.id }, body: { coffee_name: null } });
    await log({ ...machine, batch_size_kg: 4, first_crack_time: 480, lot_id: lot.id });
    await log({ ...machine, batch_size_kg: 5, profile_id: former.id });
    await log({ ...machine, batch_size_kg: 6, lot_id: lot.id, profile_id: bySample.id });
    await log({ ...machine, coffee_name: 'K'.repeat(180), profile_id: former.id });
    await ida.call(deleteProfile, { params: { id: former.id } });

    await using watched = await roastery.openAs(ida);
    const { page } = watched;
    const behind = async (href: string | null): Promise<number> => {
      const query = Object.fromEntries(new URL(href ?? '', roastery.stack.url).searchParams);
      return (await ida.call(listRoasts, { query })).total;
    };
    for (const [by, label, names] of [
      ['machine', 'Machines', ['Ida’s Drum', 'No machine']],
      ['coffee', 'Coffees', ['Yirga', 'No coffee named', 'K'.repeat(180)]],
      ['recipe', 'Recipes', ['Samples', 'Old Filter', 'No recipe']],
      ['person', 'People', ['Ida Lund']],
    ] as const) {
      await page.goto(`/analytics?by=${by}`);
      for (const name of names) {
        const row = groups(page, label).filter({ has: page.getByRole('link', { name, exact: true }) });
        const counted = Number((await row.innerText()).split('\t')[2]);
        await expect
          .poll(async () => behind(await row.getByRole('link').getAttribute('href')), {
            message: `${by}: ${name}`,
          })
          .toBe(counted);
      }
    }
    await page.goto('/analytics?by=recipe');
    await tile(page, 'Development ratio').getByText('of 1 roast').waitFor();
    await expect.poll(async () => behind(await tile(page, 'Development ratio').getAttribute('href'))).toBe(1);
    await page.getByRole('link', { name: 'Old Filter' }).click();
    const chosen = () => page.getByRole('combobox', { name: 'Recipe' }).inputValue();
    await expect.poll(chosen).toBe('Old Filter (deleted)');
    const rows = page.getByRole('table', { name: 'Roasts' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(1 + 2);

    await page.goto('/analytics?tab=green');
    await tile(page, 'Green used').getByText('by 1 roast').waitFor();
    await expect.poll(async () => behind(await tile(page, 'Green used').getAttribute('href'))).toBe(1);
    await expect
      .poll(async () => behind(await page.getByRole('link', { name: '1 roast of lot ID-1' }).getAttribute('href')))
      .toBe(1);
    await tile(page, 'Without a lot').click();
    await page.getByRole('combobox', { name: 'Data' }).getByText('Used no green coffee from a lot').waitFor();
    await expect.poll(() => rows.count()).toBe(1 + 4);
    await page.getByRole('button', { name: /^Reset filters/ }).click();
    await expect.poll(() => rows.count()).toBe(1 + 5);
    expect(watched.complaints).toEqual([]);
  });

  it('keeps span, filters and tab in the address', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/analytics');
    await page.getByRole('combobox', { name: 'Coffee' }).click();
    await page.getByRole('option', { name: 'Kiambu' }).click();
    await tile(page, 'Roasted').getByText('52.5').waitFor();
    await page.getByRole('radio', { name: 'All' }).click();
    await page.getByRole('combobox', { name: 'Person' }).fill('id');
    await page.getByRole('option', { name: 'Ida' }).click();
    await tile(page, 'Roasted').getByText('42.5').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?coffee_name=Kiambu&span=all&roasted_by=Ida');
    await page.reload();
    await tile(page, 'Roasted').getByText('42.5').waitFor();
    await page.getByRole('button', { name: 'Reset filters (2)' }).click();
    await tile(page, 'Roasted').getByText('57.5').waitFor();
    await page.getByLabel('From').fill(daysAgo(4).toISOString().slice(0, 10));
    await tile(page, 'Roasted').getByText('25.0').waitFor();
    await expect.poll(() => page.getByRole('radio', { name: 'All' }).getAttribute('aria-checked')).toBe('false');
    await page.goto('/analytics?from=2001-01-01&to=2001-02-01&machine_id=nonsense');
    await page.getByText('No roasts in this period').waitFor();
    expect(watched.complaints).toEqual([]);
  });

  it('works by keyboard: arrows move along the columns, Enter opens', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/analytics?span=30d&period=week');
    const links = page.getByRole('list', { name: 'Weight roasted by period' }).getByRole('link');
    await links.last().waitFor();
    await page.getByRole('radio', { name: 'Week' }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(() => links.last().evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const second = await links.nth(1).getAttribute('href');
    await expect.poll(() => links.nth(1).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${second}`);
    expect(watched.complaints).toEqual([]);
  });

  it('shows the deviation of a recipe’s roasts from its reference', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/analytics?tab=consistency');
    // All recipes first, the least consistent on top.
    const recipes = page.getByRole('table', { name: 'Recipes' });
    await recipes.getByText(/^2 of 3$/).waitFor();
    await recipes.getByText('highest cupping score').waitFor();
    await recipes.getByRole('link').first().click();
    await page.waitForURL(`**profile_id=${recipeId}`);
    await tile(page, 'Reference').getByText('highest cupping score').waitFor();
    await expect.poll(() => tile(page, 'Reference').getAttribute('href')).toBe(`/roasts/${roasts[0]?.id}`);
    await expect
      .poll(() => tile(page, 'Average deviation').innerText())
      .toMatch(/\d+\.\d\s+°C\s+median \d+\.\d, 3 roasts/);
    const [, near = ''] =
      /(\d) of 2/.exec((await tile(page, 'Within 3.0 °C').innerText()).replaceAll(/\s+/g, ' ')) ?? [];
    const listed = page.getByRole('table', { name: 'Roasts' }).getByRole('row');
    for (const [figure, count] of [
      ['Average deviation', 2],
      ['Within 3.0 °C', Number(near)],
    ] as const) {
      await tile(page, figure).click();
      await page.getByRole('button', { name: 'Reset filters (1)' }).waitFor();
      await expect.poll(() => listed.count()).toBe(count + 1);
      await page.goBack();
    }
    await page.getByRole('img', { name: /^The reference runs from [\d.]+ °C at charge/ }).waitFor();
    const columns = page.getByRole('list', { name: 'Deviation from the reference by roast' }).getByRole('link');
    await expect.poll(() => columns.count()).toBe(2);
    const table = page.getByRole('table', { name: 'Compared roasts' });
    await expect.poll(() => table.getByRole('row').count()).toBe(4);
    await table.getByText('Reference').waitFor();
    await page.getByText('Figures as a table').click();
    await page.getByRole('rowheader', { name: '0:30', exact: true }).waitFor();
    await columns.first().click();
    await page.waitForURL(`**/roasts/${roasts[2]?.id}`);

    // Tomo has no roast with a recipe: the page shows this, and nothing of Ana's.
    await using other = await roastery.openAs(tomo);
    await other.page.goto('/analytics?tab=consistency');
    await other.page.getByText('No roast with a recipe', { exact: true }).waitFor();
    await other.page.goto(`/analytics?tab=consistency&profile_id=${recipeId}`);
    await other.page.getByText('Nothing to compare yet').waitFor();
    expect([...watched.complaints, ...other.complaints]).toEqual([]);
  });

  it('shows the used green coffee and its cost', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/analytics?tab=green&span=all');
    await tile(page, 'Green used').getByText('52.5').waitFor();
    await expect.poll(() => page.getByRole('link', { name: /^Cost \$/ }).innerText()).toContain('$420.00');
    await expect.poll(() => tile(page, 'Cost per kg').innerText()).toContain('$8.00');
    const row = page.getByRole('table', { name: 'Lots' }).getByRole('row').filter({ hasText: 'KE-1' });
    await expect
      .poll(() => row.innerText())
      .toMatch(/Kiambu[\s\S]*52\.5[\s\S]*\$8\.00[\s\S]*\$420\.00[\s\S]*247\.5[\s\S]*3/);
    await expect.poll(() => page.getByText('Without a lot').locator('xpath=..').innerText()).toMatch(/5\.0\s+kg/);
    await row.getByRole('link', { name: '3 roasts of lot KE-1' }).click();
    await page.waitForURL(/\/roasts\?lot_id=[0-9a-f-]{36}&with=green$/);
    expect(watched.complaints).toEqual([]);
  });

  it('explains on the first touch and opens on the second', async () => {
    await using watched = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
    const { page } = watched;
    await page.goto('/analytics?span=30d&period=week');
    const link = page.getByRole('list', { name: 'Weight roasted by period' }).getByRole('link').last();
    await link.waitFor();
    await link.tap();
    await page.getByText('Tap again to see the roasts').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/analytics');
    await link.tap();
    await page.waitForURL('**/roasts?from=*');
    expect(watched.complaints).toEqual([]);
  });
});
