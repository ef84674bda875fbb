import type { Roast } from '@roastery/contract/roasts';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
const roasts: Roast[] = [];
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  const probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  for (let n = 0; n < 6; n++) {
    roasts.push(
      await bringPastRoast(roastery.stack, ana, probat, {
        seed: n + 3,
        charged: new Date(Date.now() - (n + 1) * 3_600_000),
        ...(n === 1 ? { batchKg: 29 } : {}),
        details: { coffee_name: `Coffee ${n + 1}` },
      }),
    );
  }
});
afterAll(() => roastery[Symbol.asyncDispose]());

const legend = (page: Page) => page.getByRole('list', { name: 'Compared roasts' });
const moment = (page: Page) => page.getByRole('region', { name: 'Values at one time' });
const idsIn = (page: Page): string[] => new URL(page.url()).searchParams.get('ids')?.split(',') ?? [];

describe('comparison of roasts', () => {
  it('shows roasts chosen in the list, with their difference at any time [P45]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page, complaints } = watched;
    await page.goto('/roasts');
    const boxes = page.getByRole('checkbox', { name: /^Select Roast/ });
    await boxes.first().waitFor();
    await boxes.nth(0).click();
    await boxes.nth(1).click();
    await page.getByRole('link', { name: 'Compare (2)' }).click();
    await page.waitForURL('**/roasts/compare?ids=*');
    expect(idsIn(page)).toEqual(roasts.slice(0, 2).map(({ id }) => id));
    await page.getByTestId('compare-temperature').waitFor();
    await page.getByTestId('compare-temperature_difference').waitFor();
    // Before a time is chosen: one that both curves have.
    await expect.poll(() => moment(page).innerText()).toMatch(/B\s+[\d.]+ °C\s+[−+±][\d.]+ °C/);
    // The heavier batch lags behind: colder five minutes after charge.
    await page.getByTestId('compare-temperature').focus();
    for (let press = 0; press < 10; press++) await page.keyboard.press('PageDown');
    await expect.poll(() => moment(page).innerText()).toMatch(/^5:00 after charge/);
    const difference = async () =>
      Number(/B\s+[\d.]+ °C\s+(−[\d.]+) °C/.exec(await moment(page).innerText())?.[1]?.replace('−', '-'));
    await expect.poll(difference).toBeLessThan(-1);
    await page.waitForURL(/at=300/);
    // The figures stand beside the charts, and the readout goes on where one roast has ended.
    const figures = await page.getByRole('region', { name: 'Figures', exact: true }).boundingBox();
    expect((figures?.y ?? Infinity) + (figures?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    await page.getByTestId('compare-temperature').focus();
    await page.keyboard.press('End');
    await expect.poll(() => moment(page).innerText()).toMatch(/ended \d+:\d\d\s+--\s+--/);
    await page.goto(page.url().replace(/&at=\d+/, '&at=300'));
    await expect.poll(() => moment(page).innerText()).toMatch(/^5:00 after charge/);
    // The curves arrive one after the other: alone, B has no difference.
    await expect.poll(difference).toBeLessThan(-1);
    // Relative to the other roast, the same difference has the other sign.
    const before = await difference();
    await page.getByRole('button', { name: /^Use .* as the reference$/ }).click();
    await expect.poll(() => idsIn(page)).toEqual([roasts[1]?.id, roasts[0]?.id]);
    await expect
      .poll(async () => Number(/B\s+[\d.]+ °C\s+\+([\d.]+) °C/.exec(await moment(page).innerText())?.[1]))
      .toBeCloseTo(-before, 1);
    await page.reload();
    await expect.poll(() => moment(page).innerText()).toMatch(/^5:00 after charge/);
    expect(complaints).toEqual([]);
  });

  it('aligns at first crack on request, and shows the differences in figures', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(
      `/roasts/compare?ids=${roasts
        .slice(0, 3)
        .map(({ id }) => id)
        .join(',')}`,
    );
    await page.getByRole('radio', { name: 'First crack' }).click();
    await page.getByTestId('compare-temperature').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => moment(page).innerText()).toMatch(/^0:01 after first crack/);
    const crack = roasts[0]?.first_crack_temp ?? 0;
    // The curves arrive in any order.
    const shown = async () => Number(/A\s+([\d.]+) °C/.exec(await moment(page).innerText())?.[1]);
    await expect.poll(async () => Math.abs((await shown()) - crack)).toBeLessThan(1.5);
    const figures = page.getByRole('region', { name: 'Figures', exact: true });
    await expect
      .poll(() => figures.innerText())
      .toMatch(/Average deviation\s+Reference\s+\d+\.\d °C[^]*\d+\.\d °C at most, at -?\d+:\d\d/);
    await expect.poll(() => new URL(page.url()).searchParams.get('align')).toBe('first_crack');
    // A choice made while the moved cursor is not in the address yet.
    await page.getByTestId('compare-temperature').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('radio', { name: 'Rate of rise' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('2');
    await page.getByTestId('compare-rate_difference').waitFor();
  });

  it('shows at most five, added by search and removed one by one; ignores unavailable ones in a link', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/roasts/${roasts[0]?.id}`);
    await page.getByRole('link', { name: 'Compare' }).click();
    await legend(page).getByRole('listitem').first().waitFor();
    for (const wanted of ['Coffee 3', 'Coffee 4', 'Coffee 5', 'Coffee 6']) {
      await page.getByRole('combobox', { name: 'Add a roast' }).fill(wanted);
      await page.getByRole('option', { name: new RegExp(wanted) }).click();
      await legend(page).getByText(wanted).waitFor();
    }
    await expect.poll(() => legend(page).getByRole('listitem').count()).toBe(5);
    await expect.poll(() => page.getByRole('combobox', { name: 'Add a roast' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Remove .*Coffee 4/ }).click();
    await expect.poll(() => legend(page).getByRole('listitem').count()).toBe(4);

    await page.goto(`/roasts/compare?ids=${roasts[0]?.id},018f0000-0000-7000-8000-000000000000,nonsense`);
    await legend(page).getByText('Roast not found').waitFor();
    await page.getByTestId('compare-temperature').waitFor();
    await page.goto('/roasts/compare');
    await page.getByText('Nothing to compare yet').waitFor();
  });

  it('shows the figures of five and four roasts in the first screen, none of them cut', async () => {
    await using watched = await roastery.openAs(ana, { viewport: { width: 1440, height: 900 } });
    const { page } = watched;
    await page.goto(
      `/roasts/compare?ids=${roasts
        .slice(0, 5)
        .map(({ id }) => id)
        .join(',')}`,
    );
    await page.getByTestId('compare-temperature_difference').waitFor();
    const table = page.getByRole('region', { name: 'Table of figures' });
    const end = async () => {
      const box = await table.boundingBox();
      return box === null ? Number.NaN : box.y + box.height;
    };
    for (const count of [5, 4]) {
      await expect.poll(() => legend(page).getByRole('listitem').count()).toBe(count);
      await expect.poll(() => table.innerText()).toMatch(/Average deviation[^]*at most/);
      await expect.poll(end).toBeLessThanOrEqual(900);
      await expect.poll(() => table.evaluate((part) => part.scrollWidth - part.clientWidth)).toBe(0);
      const chart = await page.getByTestId('compare-temperature').boundingBox();
      expect(chart?.width).toBeGreaterThan(450);
      expect((chart?.y ?? Infinity) + (chart?.height ?? 0)).toBeLessThanOrEqual(900);
      await legend(page)
        .getByRole('button', { name: /^Remove / })
        .last()
        .click();
    }
  });

  it('fits a phone', async () => {
    await using watched = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, colorScheme: 'dark' });
    const { page, complaints } = watched;
    await page.goto(
      `/roasts/compare?ids=${roasts
        .slice(0, 5)
        .map(({ id }) => id)
        .join(',')}`,
    );
    await page.getByTestId('compare-temperature').waitFor();
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    await expect.poll(overflow).toBe(0);
    expect(complaints).toEqual([]);
  });
});
