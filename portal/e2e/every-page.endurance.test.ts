import { createBlend } from '@roastery/contract/blends';
import { adjustLot, createLot } from '@roastery/contract/inventory';
import { planRoast } from '@roastery/contract/planned';
import { createProfile } from '@roastery/contract/profiles';
import { SCREEN } from '@roastery/testing/browser';
import { volume } from '@roastery/testing/endurance/volume';
import { until } from '@roastery/testing/until';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bringOwnMap } from './own-map.ts';
import { bringPastRoast } from './past-roast.ts';
import { openRoastery, register, type TestRoastery } from './roastery.ts';
import { pagesWithout } from './screens.ts';

/** Titles of imported files can look like this: no space where a line could break. */
const longName = (length: number): string => '2025-11_Kochere_WASHED_G1_lot'.padEnd(length, '_0123456789');

/** Opens a page and waits until all its reads are complete. */
const openPage = async (page: Page, address: string): Promise<void> => {
  await page.goto(address);
  await page.getByRole('main').waitFor();
  // Placeholders are animated until their content arrives.
  await page.waitForFunction(() => document.querySelector('[class*=breathe]') === null);
};
const nameOf = (address: string): string => address.replace(/[\da-f]{8}-[\w-]+/g, 'id');

let roastery: TestRoastery;
let ana: RoasteryClient;
let addresses: readonly string[];

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson({
    full_name: longName(120),
    email: 'ana@roastery.example',
    password: 'twelve long names',
  });
  const machine = await register(ana, longName(64), longName(120));
  const coffee = { coffee_name: longName(200), origin: longName(120), variety: longName(120), process: longName(120) };
  const places = { supplier: longName(120), location: longName(120), region: longName(120), farm: longName(120) };
  const lotBody = { lot_number: longName(60), initial_weight: 500, ...coffee, ...places };
  const lot = await ana.call(createLot, { body: { ...lotBody, notes: longName(500) } });
  await ana.call(adjustLot, { params: { id: lot.id }, body: { kg: -1, note: longName(500) } });
  const control_profile = [0, 720].map((time) => ({ time, burner: 50, exhaust: 50, drum: 60 }));
  const recipe = await ana.call(createProfile, {
    body: { name: longName(200), description: longName(1000), coffee_origin: longName(120), control_profile },
  });
  const details = {
    coffee_name: longName(200),
    coffee_origin: longName(120),
    coffee_process: longName(120),
    roasted_by: longName(120),
    roast_number: longName(40),
    notes: longName(1000),
    profile_id: recipe.id,
  };
  const charges = [2, 5].map((hours) => new Date(Date.now() - hours * 3_600_000));
  const roasts: string[] = [];
  for (const charged of charges)
    roasts.push((await bringPastRoast(roastery.stack, ana, machine, { charged, details })).id);
  const components = roasts.map((roast_id) => ({ roast_id, kg: 1 }));
  const blend = await ana.call(createBlend, { body: { name: longName(120), notes: longName(500), components } });
  await ana.call(planRoast, {
    body: { machine_id: machine.id, profile_id: recipe.id, lot_id: lot.id, batch_size_kg: 12, notes: longName(500) },
  });
  addresses = [
    '/dashboard',
    '/machines',
    '/machines/register',
    '/machines/maps',
    `/machines/maps/${await bringOwnMap(ana, machine.id)}`,
    `/machines/${machine.id}/live`,
    `/machines/${machine.id}/probe`,
    `/machines/${machine.id}/timeline`,
    `/machines/${machine.id}/learnt`,
    '/roasts',
    '/roasts/new',
    '/roasts/batch-numbers',
    '/roasts/times',
    `/roasts/${roasts[0]}`,
    `/roasts/compare?ids=${roasts.join(',')}`,
    '/roasts/blends',
    '/roasts/blends/new',
    `/roasts/blends/${blend.id}`,
    '/inventory',
    '/inventory/lots/new',
    '/inventory/lots/import',
    `/inventory/lots/${lot.id}/edit`,
    '/recipes',
    '/recipes/new',
    `/recipes/${recipe.id}`,
    '/analytics',
    '/analytics?tab=consistency',
    '/analytics?tab=green',
    '/admin/users',
    '/admin/stats',
    '/admin/settings',
    '/admin/devices',
    '/admin/audit',
    '/account',
    '/wall',
  ];
});
afterAll(() => roastery[Symbol.asyncDispose]());

it('every page of the map with names on it is visited', async () => {
  const withoutNames = ['/login', '/', '/inventory/lots'];
  expect(await pagesWithout(addresses)).toEqual(withoutNames);
});

it('no page of long names without spaces is wider than a desk or a phone', async () => {
  await using watched = await roastery.openAs(roastery.admin);
  const { page } = watched;
  const tooWide: string[] = [];
  for (const address of addresses) {
    await page.setViewportSize(SCREEN.desk);
    await openPage(page, address);
    // The width is changed in place: loading the page again takes most of the time.
    for (const width of ['desk', 'phone'] as const) {
      await page.setViewportSize(SCREEN[width]);
      await page.waitForFunction((pixels) => innerWidth === pixels, SCREEN[width].width);
      // What the page draws for this width instead of another has been drawn by then.
      await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) tooWide.push(`${nameOf(address)}, ${width}: ${over} px`);
    }
  }
  expect(tooWide).toEqual([]);
});

/** The cockpit shows "--" for an unknown value: who may be chosen. */
const shownAsUnknown = new Set(['/machines/id/live: /api/v1/machines/id/roasters']);
/** Pages that show no data of the server except that of the shell, until a field is opened. */
const pagesWithoutReads: readonly string[] = ['/recipes/new'];
/** Read by the shell around every page: once is enough. */
const readByShell = ['/api/v1/machines', '/api/v1/alerts'];

/**
 * Opens a page and answers its requests: a read may begin when another one is answered, so it waits until the page
 * sends no more.
 */
const readsOf = async (page: Page, address: string): Promise<Set<string>> => {
  const asked = new Set<string>();
  const open = new Set<Request>();
  const begin = (request: Request): void => {
    if (request.resourceType() !== 'fetch' || request.method() !== 'GET') return;
    asked.add(new URL(request.url()).pathname);
    open.add(request);
  };
  const end = (request: Request): void => void open.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await openPage(page, address);
  let known = -1;
  await until(`${address} to have read everything`, async () => {
    const isSame = open.size === 0 && asked.size === known;
    known = asked.size;
    // Reads that follow a response are sent before the browser is idle.
    await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())));
    return isSame && open.size === 0 && asked.size === known;
  });
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  return asked;
};

it('every page reports the failure of every single read', async () => {
  const tried = addresses.filter((_, index) => index % volume(1, 6) === 0);
  const left = [...tried];
  const silent: string[] = [];
  const withoutReads: string[] = [];
  const failEach = async (page: Page, address: string): Promise<void> => {
    const asked = await readsOf(page, address);
    // The session is read before there is a page; without that response there is none.
    asked.delete('/api/v1/auth/me');
    if (address !== addresses[0]) for (const path of readByShell) asked.delete(path);
    if (asked.size === 0) withoutReads.push(nameOf(address));
    for (const path of asked) {
      const name = `${nameOf(address)}: ${nameOf(path)}`;
      if (shownAsUnknown.has(name)) continue;
      const isFailing = (url: URL) => url.pathname === path;
      await page.route(isFailing, (route) =>
        route.fulfill({ status: 500, json: { detail: 'Broken', code: 'internal', request_id: 'r-1' } }),
      );
      await page.goto(address);
      const said = page.getByText(/could not be loaded|failed to load/i).first();
      await said.waitFor().catch(() => silent.push(name));
      await page.unroute(isFailing);
    }
  };
  const work = async (): Promise<void> => {
    await using watched = await roastery.openAs(roastery.admin);
    watched.page.setDefaultTimeout(20_000);
    for (let address = left.shift(); address !== undefined; address = left.shift())
      await failEach(watched.page, address);
  };
  await Promise.all([work(), work()]);
  expect(silent).toEqual([]);
  expect(withoutReads.toSorted()).toEqual(pagesWithoutReads.filter((page) => tried.includes(page)));
}, 600_000);
