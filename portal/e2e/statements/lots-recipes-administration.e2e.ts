import { errorStatus } from '@roastery/contract/errors';
import { createLot } from '@roastery/contract/inventory';
import { createProfile } from '@roastery/contract/profiles';
import { seedDefaults } from '@roastery/contract/settings';
import type { WatchedPage } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, type TestRoastery } from '../roastery.ts';
import { choices, fillLot, limits, lost, refusals, shown } from './lots-recipes-administration.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
/** Two users in their browsers, who open one screen after the other. */
let pages: { user: WatchedPage; admin: WatchedPage };
/** The values of ids in the addresses below. */
const ids = { lot: '', recipe: '' };

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  await roastery.admin.call(seedDefaults, {});
  const lot = await ana.call(createLot, {
    body: { lot_number: 'KE-26-05', coffee_name: 'Kiambu AA', origin: 'Kenya', initial_weight: 12 },
  });
  const recipe = await ana.call(createProfile, {
    body: {
      name: 'Kiambu Filter',
      coffee_origin: 'Kenya',
      green_coffee_lot_id: lot.id,
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
  pages = { user: await roastery.openAs(ana), admin: await roastery.openAs(roastery.admin) };
  Object.assign(ids, { lot: lot.id, recipe: recipe.id });
});
afterAll(() => roastery[Symbol.asyncDispose]());

/** The browser of a user who may open an address, without state of the previous test. */
const browserFor = async (address: string): Promise<WatchedPage> => {
  const watched = address.startsWith('/admin') ? pages.admin : pages.user;
  await watched.page.unrouteAll({ behavior: 'ignoreErrors' });
  watched.complaints.length = 0;
  return watched;
};
const withIds = (address: string): string => address.replace('{lot}', ids.lot).replace('{recipe}', ids.recipe);

describe('the document’s texts on lots, recipes and administration', () => {
  it.each(shown)('shows $statement', async ({ address, among, texts }) => {
    const watched = await browserFor(address);
    await watched.page.goto(withIds(address));
    // Capitals are a matter of style; the texts are in the document's spelling.
    const found = async () => {
      const all = await among(watched.page).allTextContents();
      // A star marks a required field.
      return all
        .map((text) => text.replaceAll(/\s+/g, ' ').replace(/\*$/, '').trim())
        .filter((text) => texts.includes(text));
    };
    await expect.poll(found).toEqual(texts);
    expect(watched.complaints).toEqual([]);
  });

  it.each(choices)('offers $statement', async ({ address, label, offered }) => {
    const { page } = await browserFor(address);
    await page.goto(address);
    await page.getByRole('combobox', { name: label }).click();
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(offered);
  });

  it('limits the fields of a lot and sends its input as the document requires', async () => {
    const { page } = await browserFor('/inventory');
    await page.goto('/inventory/lots/new');
    await fillLot(page);
    for (const { field, min, max, step, beyond } of limits) {
      const input = page.getByLabel(field);
      const after = async (start: string, key: 'ArrowUp' | 'ArrowDown', text: string) => {
        await input.fill(start);
        await input.press(key);
        await expect.poll(() => input.inputValue(), { message: `${field}: ${key} from ${start}` }).toBe(text);
      };
      await after(min, 'ArrowDown', min);
      await after(min, 'ArrowUp', step);
      if (max !== undefined) await after(max, 'ArrowUp', max);
      await input.fill(beyond);
    }
    await page.getByRole('button', { name: 'Save Lot' }).click();
    await page.getByRole('alert').getByText('Please fix the errors in the form').waitFor();
    for (const { says } of limits) await page.getByText(says, { exact: true }).waitFor();

    for (const [field, value] of Object.entries({
      Altitude: '1700',
      'Cupping score': '87.5',
      'Moisture content': '',
      'Water activity': '0.55',
      'Cost per kg': '8.2',
      'Initial weight': '30.5',
      'Harvest date': '2026-03-31',
    })) {
      await page.getByLabel(field).fill(value);
    }
    await expect.poll(() => page.getByLabel('Total Cost').innerText()).toBe('$250.10');
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === 'POST' && sent.url().endsWith('/api/v1/inventory/lots')),
      page.getByRole('button', { name: 'Save Lot' }).click(),
    ]);
    expect(request.headers()['content-type']).toBe('application/json');
    expect((await request.allHeaders())['cookie']).toBe(ana.cookie);
    expect(request.postDataJSON()).toEqual({
      lot_number: 'RW-26-01',
      coffee_name: 'Gitesi',
      origin: 'Rwanda',
      region: null,
      farm: null,
      variety: null,
      process: null,
      altitude: 1700,
      harvest_date: '2026-03-31T00:00:00.000Z',
      supplier: null,
      purchase_date: null,
      cost_per_kg: 8.2,
      initial_weight: 30.5,
      location: null,
      cupping_score: 87.5,
      moisture_content: null,
      water_activity: 0.55,
      density: null,
      screen_size: null,
      notes: null,
    });
    await page.waitForURL('**/inventory');
  });

  it.each(refusals)('$does refused: $sentence', async ({ address, by, detail, says }) => {
    const { page } = await browserFor(address);
    await page.goto(address);
    const code = detail === undefined ? 'internal' : typeof detail === 'string' ? 'conflict' : 'validation';
    const body = detail === undefined ? '{}' : JSON.stringify({ detail, code, request_id: 'request-7' });
    await page.route('**/api/v1/**', (route) =>
      route.request().method() === 'GET'
        ? route.continue()
        : route.fulfill({ status: errorStatus[code], contentType: 'application/json', body }),
    );
    await by(page);
    for (const sentence of says) {
      await expect
        .poll(async () => (await page.getByRole('alert').allInnerTexts()).join('\n').replaceAll(/\s+/g, ' '))
        .toContain(sentence);
    }
  });

  it.each(lost)('$address without its list: empty, said, logged and read again', async ({ address, list, says }) => {
    const watched = await browserFor(address);
    const { page } = watched;
    const isList = (url: URL) => url.href.includes(`/api/v1${list}`);
    await page.route(isList, (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto(address);
    const main = page.getByRole('main');
    for (const words of says) await main.getByText(words).first().waitFor();
    expect(watched.complaints.filter((line) => !line.includes('Failed to load resource'))).not.toEqual([]);
    await page.unroute(isList);
    await page.getByRole('button', { name: 'Retry' }).first().click();
    await main.getByText(says[1] ?? '').waitFor({ state: 'detached' });
  });

  it('signs the user out when the logout can’t be sent, and when the session check fails', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory');
    await page.route('**/api/v1/auth/logout', (route) => route.abort());
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL('**/login');
    // A signed-in user would be redirected from here.
    await page.getByRole('button', { name: 'Login' }).waitFor();
    await page.route('**/api/v1/auth/me', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto('/recipes');
    await page.getByRole('button', { name: 'Login' }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?next=%2Frecipes');
  });

  it('requests ten roasts on the dashboard, a hundred on the list, and available lots', async () => {
    const { page } = await browserFor('/inventory');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}${search}`);
    });
    for (const [address, call] of [
      ['/dashboard', 'GET /api/v1/roasts?limit=10'],
      ['/roasts', 'GET /api/v1/roasts?limit=100'],
      ['/inventory', 'GET /api/v1/inventory/lots?limit=100'],
    ] as const) {
      await page.goto(address);
      await expect.poll(() => asked.some((line) => line.startsWith(call))).toBe(true);
    }
    expect(asked[0]).toBe('GET /api/v1/auth/me');
    expect(asked.find((line) => line.includes('/inventory/lots?'))).toContain('status=Available');
  });
});
