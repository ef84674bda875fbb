import { me } from '@roastery/contract/auth';
import { listUsers } from '@roastery/contract/users';
import { seedLargeRoastery } from '@roastery/testing/large-roastery/seed';
import { SCREEN, type WatchedPage } from '@roastery/testing/browser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, type TestRoastery, visit } from './roastery.ts';

/*
 * Lists of thousands of rows are checked by their requests and their drawn elements, not by time: a slow computer counts
 * the same.
 */

const rows = 2500;
/** Every fiftieth recipe is archived. */
const recipes = rows - rows / 50;

let roastery: TestRoastery;

beforeAll(async () => {
  roastery = await openRoastery();
  await roastery.addPerson(anaRestrepo);
  const { users } = await roastery.admin.call(listUsers);
  await seedLargeRoastery(
    roastery.databaseUrl,
    { users: 20, machines: 25, lots: rows, recipes: rows, roasts: rows, curves: 0, audit: rows },
    {
      adminId: (await roastery.admin.call(me)).id,
      roasterId: users.find(({ email }) => email === anaRestrepo.email)?.id ?? '',
    },
  );
});
afterAll(() => roastery[Symbol.asyncDispose]());

interface Counted {
  readonly watched: WatchedPage;
  /** Requests to an address of the api since the last check. */
  readonly asked: (path: string) => number;
}

/** Opens a page and counts its requests to the api. */
const openCounted = async (address: string): Promise<Counted> => {
  const watched = await roastery.openAs(roastery.admin);
  let addresses: string[] = [];
  watched.page.on('request', (request) => void addresses.push(new URL(request.url()).pathname));
  await watched.page.goto(address);
  return {
    watched,
    asked(path) {
      const count = addresses.filter((one) => one === `/api/v1${path}`).length;
      addresses = addresses.filter((one) => one !== `/api/v1${path}`);
      return count;
    },
  };
};

/** All elements of a page, which a browser must lay out. */
const drawn = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll('body *').length);
const maxDrawn = 6000;

const lists = [
  { address: '/roasts', path: '/roasts', most: 100, seek: 'kochere', lastColumn: 'Duration' },
  { address: '/inventory', path: '/inventory/lots', most: 100, seek: 'LOT-02321', lastColumn: 'Status' },
  { address: '/admin/audit', path: '/admin/audit', most: 50, seek: undefined, lastColumn: undefined },
] as const;

/** Columns that end beyond the visible part of their table, by their heads. */
const cutColumns = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main th')].flatMap((head) => {
      let shownTo = innerWidth;
      for (let holder = head.parentElement; holder !== null; holder = holder.parentElement) {
        if (getComputedStyle(holder).overflowX !== 'visible') {
          shownTo = Math.min(shownTo, holder.getBoundingClientRect().right);
        }
      }
      return head.getBoundingClientRect().right > shownTo + 1 ? [head.textContent] : [];
    }),
  );

/** No column of the table is cut from 1366 px on. */
const hasWholeColumns = async (page: Page, last: string | undefined): Promise<void> => {
  if (last !== undefined) await page.getByRole('columnheader', { name: last }).waitFor();
  for (const width of [1366, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => cutColumns(page), { message: `${width}` }).toEqual([]);
  }
};

/** Texts of the first four columns, or of a phone's rows, that are not shown whole. */
const cutCells = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const cells = [...document.querySelectorAll('main tbody tr')].flatMap((row) =>
      [...row.querySelectorAll('td')]
        .filter((cell) => cell.querySelector('input') === null && getComputedStyle(cell).display !== 'none')
        .slice(0, 4),
    );
    return [...cells, ...document.querySelectorAll('main li')]
      .filter((cell) =>
        [cell, ...cell.querySelectorAll('*')].some(
          (part) =>
            // Texts for screen readers are a pixel wide.
            part.clientWidth > 1 &&
            getComputedStyle(part).overflowX === 'hidden' &&
            part.scrollWidth > part.clientWidth + 1,
        ),
      )
      .map((cell) => cell.textContent);
  });

describe('lists of thousands of rows', () => {
  it.each(lists)(
    '$address requests each page of rows once (first, last and found), and draws no more [P206]',
    async (list) => {
      const { watched, asked } = await openCounted(list.address);
      await using _ = watched;
      const { page } = watched;
      const shown = page.getByRole('row');
      /** A page of the list is shown, was requested once, and nothing else is drawn. */
      const isOnePage = async (what: RegExp) => {
        await page.getByText(what).first().waitFor();
        await expect.poll(() => shown.count()).toBeGreaterThan(1);
        await expect.poll(() => shown.count()).toBeLessThanOrEqual(list.most + 1);
        expect(await drawn(page)).toBeLessThan(maxDrawn);
        expect(asked(list.path)).toBe(1);
      };
      await isOnePage(new RegExp(`^1–${list.most} of [\\d,]+$`));
      const shownRange = () => page.getByText(/^\d+–?\d* of/).first();
      const range = await shownRange().innerText();
      const total = Number(/of ([\d,]+)/.exec(range)?.[1]?.replace(',', ''));
      expect(total).toBeGreaterThan(rows * 0.9);
      await hasWholeColumns(page, list.lastColumn);
      const last = Math.ceil(total / list.most);
      await page.goto(`${list.address}?page=${last}`);
      await isOnePage(new RegExp(`^${((last - 1) * list.most + 1).toLocaleString('en-US')}–`));
      if (list.seek === undefined) return;
      await page.goto(list.address);
      await isOnePage(/^1–\d+ of/);
      await page.getByRole('searchbox').first().fill(list.seek);
      await page.waitForURL('**q=*');
      // The previous rows are shown until the response arrives.
      await expect.poll(() => shownRange().innerText()).not.toBe(range);
      await isOnePage(/^(?:0|1)–?\d* of [\d,]{1,5}$/);
      expect(watched.complaints).toEqual([]);
    },
  );

  it('/recipes reads its recipes once, draws some sixty, and searches without further requests', async () => {
    const { watched, asked } = await openCounted('/recipes');
    await using _ = watched;
    const { page } = watched;
    await page.getByText(recipes.toLocaleString('en-US'), { exact: true }).waitFor();
    expect(asked('/profiles')).toBe(Math.ceil(recipes / 500));
    const cards = page.getByRole('list', { name: 'Recipes' }).getByRole('listitem');
    await expect.poll(() => cards.count()).toBeLessThanOrEqual(181);
    expect(await drawn(page)).toBeLessThan(maxDrawn);
    await page.getByRole('searchbox').first().fill('recipe 2321');
    await expect.poll(() => cards.count()).toBe(2);
    await cards.getByText(/recipe 2321$/).waitFor();
    expect(asked('/profiles')).toBe(0);
    expect(watched.complaints).toEqual([]);
  });

  it('a field for one of thousands of recipes or lots finds each, and draws at most two hundred options [P206]', async () => {
    const { watched } = await openCounted('/roasts/new');
    await using _ = watched;
    const { page } = watched;
    const options = page.getByRole('option');
    const choose = async (label: string, text: string, option: RegExp) => {
      const field = page.getByRole('combobox', { name: label });
      await field.click();
      await expect.poll(() => options.count()).toBeGreaterThan(10);
      await expect.poll(() => options.count()).toBeLessThanOrEqual(200);
      await field.fill(text);
      await page.getByRole('option', { name: option }).click();
      await expect.poll(() => field.inputValue()).toMatch(option);
    };
    await choose('Recipe', 'recipe 2373', /recipe 2373\b/);
    await choose('Green coffee lot', 'LOT-02374', /LOT-02374\b/);
    // Of the roasts' filters only the recipes are all in the browser.
    await page.goto('/roasts');
    await page.getByRole('button', { name: /^Filters/ }).click();
    await page.getByRole('combobox', { name: 'Recipe' }).click();
    await page.getByText(/^Type to search all \d+$/).waitFor();
    await expect.poll(() => options.count()).toBeLessThanOrEqual(200);
    expect(await drawn(page)).toBeLessThan(maxDrawn);
    expect(watched.complaints).toEqual([]);
  });
});

describe('lists with long and short texts', () => {
  /** Goes from list to list, and is resized on each. */
  let watched: WatchedPage;
  let page: Page;
  beforeAll(async () => {
    watched = await roastery.openAs(roastery.admin);
    ({ page } = watched);
  });
  beforeEach(() => page.setViewportSize(SCREEN.desk));
  afterAll(() => watched.close());

  it('/admin/devices: no column of the table is cut from 1366 px on', async () => {
    await visit(page, '/admin/devices');
    await page.getByRole('row').nth(1).waitFor();
    await hasWholeColumns(page, 'Pairing');
    expect(watched.complaints).toEqual([]);
  });

  it.each([
    { address: '/roasts?rows=25' },
    { address: '/inventory?rows=25' },
    { address: '/admin/users' },
    { address: '/admin/devices' },
    { address: '/analytics' },
    { address: '/analytics?tab=consistency' },
    { address: '/analytics?tab=green' },
  ])('$address: no cell of the first four columns is cut at any width', async ({ address }) => {
    await visit(page, address);
    await page.locator('main tbody td:visible').nth(10).waitFor();
    for (const width of [1440, 1180, 820, 640, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => cutCells(page), { message: `${width}` }).toEqual([]);
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), { message: `${width}` })
        .toBeLessThanOrEqual(0);
    }
  });

  it('/roasts: coffee has 180 px, weight and duration are in view on a tablet, and the page is its only scroller', async () => {
    await visit(page, '/roasts?rows=25');
    await page.getByRole('row').nth(20).waitFor();
    for (const width of [1440, 1180, 820]) {
      await page.setViewportSize({ width, height: 900 });
      const head = (name: string) => page.getByRole('columnheader', { name }).boundingBox();
      const isInView = async () => {
        const [coffee, weight, duration] = await Promise.all(['Coffee', 'Batch (kg)', 'Duration'].map(head));
        const ends = [weight, duration].map((box) => (box?.x ?? Number.NaN) + (box?.width ?? Number.NaN));
        return { isWide: (coffee?.width ?? 0) >= 180, areIn: ends.every((end) => end <= width) };
      };
      await expect.poll(isInView, { message: `${width}` }).toEqual({ isWide: true, areIn: true });
      await expect
        .poll(
          () =>
            page
              .getByRole('button', { name: /^Delete roast/ })
              .first()
              .isVisible(),
          { message: `${width}` },
        )
        .toBe(width >= 1024);
      const scrollers = await page.evaluate(() =>
        [...document.querySelectorAll('main *')]
          .filter(
            (one) => /auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1,
          )
          .map((one) => one.className),
      );
      expect(scrollers, `${width}`).toEqual([]);
    }
    await page
      .getByRole('button', { name: /^Actions for roast/ })
      .first()
      .click();
    await expect
      .poll(() => page.getByRole('menuitem').allInnerTexts())
      .toEqual(['Compare', 'Add to favorites', 'Delete']);
  });

  it('/roasts: filters, position and selection are there again on return from a roast', async () => {
    await page.goto('/roasts?rows=50&status=completed');
    const row = page.getByRole('row').nth(30);
    await row.scrollIntoViewIfNeeded();
    await row.getByRole('checkbox').check({ force: true });
    const bar = page.getByText('1 selected');
    await expect.poll(async () => (await bar.boundingBox())?.y ?? 0).toBeGreaterThan(SCREEN.desk.height - 60);
    const before = await page.evaluate(() => scrollY);
    expect(before).toBeGreaterThan(100);
    const address = page.url();
    for (const back of ['link', 'browser']) {
      await row.getByRole('link').click();
      await page.waitForURL(/\/roasts\/[0-9a-f-]{36}/);
      if (back === 'link') await page.getByRole('link', { name: 'Back to roasts' }).click();
      else await page.goBack();
      await page.waitForURL(address);
      await bar.waitFor();
      await expect.poll(() => page.evaluate(() => scrollY), { message: back }).toBe(before);
    }
  });

  it.each([
    { address: '/roasts?rows=25', label: 'Roasts' },
    { address: '/inventory?rows=25', label: 'Lots' },
  ])('$address on a phone: each row has two lines, 64 to 88 px', async ({ address, label }) => {
    await using watched = await roastery.openAs(roastery.admin, { viewport: { width: 390, height: 844 } });
    const { page } = watched;
    await page.goto(address);
    const shown = page.getByRole('list', { name: label }).getByRole('listitem');
    await shown.nth(20).waitFor();
    // A row that was never near the screen has the height that the list assumes for it.
    await shown.nth(20).scrollIntoViewIfNeeded();
    const heights = () => shown.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    await expect.poll(async () => Math.min(...(await heights()))).toBeGreaterThanOrEqual(64);
    await expect.poll(async () => Math.max(...(await heights()))).toBeLessThanOrEqual(88);
  });

  it('/inventory on a phone: each row says when its lot runs out, and those that do first come first', async () => {
    await using watched = await roastery.openAs(roastery.admin, { viewport: { width: 390, height: 844 } });
    const { page } = watched;
    await page.goto('/inventory?rows=25');
    const shown = page.getByRole('list', { name: 'Lots' }).getByRole('listitem');
    await shown.nth(20).waitFor();
    await page.getByRole('combobox', { name: 'Sort lots' }).click();
    await page.getByRole('option', { name: 'Runs out first' }).click();
    await page.waitForURL(/sort=estimated_runout_days/);
    const order = page.getByRole('combobox', { name: 'Sort lots' }).getByText('Runs out first').first();
    await expect.poll(() => order.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
    /** Whole days of each row, NaN where it says nothing. */
    const days = async () =>
      (await shown.allInnerTexts()).map((row) => {
        const [, least, count, unit] = /(< )?(\d+)\+? (day|week)s?\b/.exec(row) ?? [];
        if (row.includes('--')) return Infinity;
        return least === undefined ? Number(count) * (unit === 'week' ? 7 : 1) : 0;
      });
    await expect.poll(async () => (await days())[0]).toBeLessThan(80);
    const all = await days();
    expect(all.length).toBeGreaterThan(20);
    expect(all).toEqual(all.toSorted((one, other) => one - other));
  });
});
