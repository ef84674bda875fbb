import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLot } from '@roastery/contract/inventory';
import { createProfile } from '@roastery/contract/profiles';
import { isReadLater } from '@roastery/testing/slow-phone';
import { bringPastRoast } from './past-roast.ts';
import { openRoastery, register, type TestRoastery } from './roastery.ts';

const dist = new URL('../dist/', import.meta.url);

interface Piece {
  readonly file: string;
  readonly imports?: readonly string[];
}
const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, dist), 'utf8'));
const manifest = readJson('.vite/manifest.json') as Record<string, Piece>;
const preloads = readJson('preloads.json') as Record<string, string[]>;

/** The files of a chunk, including transitive imports. */
const filesOf = (name: string): string[] => {
  const piece = manifest[name];
  if (piece === undefined) throw new Error(`the build has no ${name}`);
  return [piece.file, ...(piece.imports ?? []).flatMap(filesOf)];
};

/** The scripts that a browser fetches for the page of a route. */
const scriptsFor = (route: string): string[] => [
  ...new Set([...filesOf('index.html'), ...(preloads[route] ?? []).map((file) => file.slice(1))]),
];

const pages = { 'sign-in': '/login', dashboard: '/dashboard' };

describe('the first page', () => {
  it.each(Object.entries(pages))('%s fetches less than 150 KB of JavaScript, gzipped', (_, route) => {
    expect(preloads[route]).toHaveLength(1);
    const bytes = scriptsFor(route).map((file) => gzipSync(readFileSync(new URL(file, dist)), { level: 6 }).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * 1024);
  });

  it.each(Object.entries(pages))('%s loads neither charts nor schemas nor editors', (_, route) => {
    const scripts = scriptsFor(route).map((file) => readFileSync(new URL(file, dist), 'utf8'));
    // Texts in the code of chart.js, zod and react-hook-form that the minifier keeps.
    for (const word of ['beforeDatasetsDraw', 'invalid_union', 'shouldFocusError']) {
      expect(scripts.filter((script) => script.includes(word))).toEqual([]);
      const all = [...new Set(Object.values(manifest).map(({ file }) => file))].filter((file) => file.endsWith('.js'));
      expect(all.some((file) => readFileSync(new URL(file, dist), 'utf8').includes(word))).toBe(true);
    }
  });

  it('is stored compressed', () => {
    for (const file of scriptsFor(pages.dashboard)) {
      if (readFileSync(new URL(file, dist)).length < 1024) continue;
      for (const ending of ['br', 'gz']) expect(existsSync(new URL(`${file}.${ending}`, dist)), file).toBe(true);
    }
  });
});

const points = [
  { time: 0, burner: 90, exhaust: 40, drum: 60 },
  { time: 600, burner: 10, exhaust: 80, drum: 50 },
];

const dashboardLoaded = (page: Page) => page.getByTestId('idle-line').getByText('Offline').waitFor();
const cockpitLoaded = (page: Page) => page.getByTestId('cockpit-status').getByText('Offline').waitFor();

describe('the requests of a page', () => {
  let roastery: TestRoastery;
  let roastId: string;
  let machineId: string;
  let recipeId: string;
  let lotId: string;
  beforeAll(async () => {
    roastery = await openRoastery();
    const machine = await register(roastery.admin, 'PRB-P25-0042', 'Probat P25');
    machineId = machine.id;
    roastId = (await bringPastRoast(roastery.stack, roastery.admin, machine)).id;
    const lot = { lot_number: 'L-1', coffee_name: 'Kochere', origin: 'Ethiopia', initial_weight: 60 };
    lotId = (await roastery.admin.call(createLot, { body: lot })).id;
    const recipe = { name: 'House filter', green_coffee_lot_id: lotId, control_profile: points };
    recipeId = (await roastery.admin.call(createProfile, { body: recipe })).id;
  });
  afterAll(() => roastery[Symbol.asyncDispose]());

  /** The last read of the roast page; a slow computer is idle only after that. */
  const readLast = '/api/v1/settings/roastery';
  /** The requests of a page, including fonts, api responses, and what the browser's cache answers. */
  const requestsOf = async (
    address: string,
    shows: string | RegExp,
    isLoaded = (page: Page) => page.waitForLoadState('networkidle'),
  ): Promise<string[]> => {
    await using watched = await roastery.openAs(roastery.admin);
    const { page } = watched;
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url().slice(roastery.stack.url.length)));
    await page.goto(address);
    await page.getByText(shows).first().waitFor();
    await isLoaded(page);
    return asked.filter((one) => one !== readLast && !isReadLater(one.split('?', 1)[0] ?? one));
  };

  it.each([
    { page: 'roast', address: () => `/roasts/${roastId}`, shows: /^[\d,]+ points$/ },
    { page: 'roasts', address: () => '/roasts', shows: 'Probat P25' },
    { page: 'machines', address: () => '/machines', shows: 'Probat P25' },
    { page: 'inventory', address: () => '/inventory', shows: 'Kochere' },
    { page: 'recipes', address: () => '/recipes', shows: 'Create Recipe' },
    { page: 'analytics', address: () => '/analytics', shows: 'Roasted, kg' },
    { page: 'new roast', address: () => '/roasts/new', shows: 'The queue is empty' },
    { page: 'compare', address: () => `/roasts/compare?ids=${roastId}`, shows: 'Probat P25' },
    { page: 'settings', address: () => '/admin/settings', shows: 'Time zone' },
    { page: 'account', address: () => '/account', shows: 'Apply to your account on every device.' },
    { page: 'new recipe', address: () => '/recipes/new', shows: 'New recipe' },
    { page: 'new lot', address: () => '/inventory/lots/new', shows: 'Green coffee that was delivered.' },
    { page: 'a recipe', address: () => `/recipes/${recipeId}`, shows: 'Not roasted yet' },
    { page: 'a lot', address: () => `/inventory/lots/${lotId}/edit`, shows: 'Received' },
  ])('$page: at most 15, and none twice', async ({ address, shows }) => {
    const asked = await requestsOf(address(), shows);
    expect(asked.filter((one, index) => asked.indexOf(one) !== index)).toEqual([]);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(15);
  });

  // The script of their shared worker does not end for the page, so their network is never idle.
  it('dashboard: at most 15, none twice, and its live values without the code of other pages', async () => {
    const asked = await requestsOf('/dashboard', 'Nothing is planned', dashboardLoaded);
    expect(asked.filter((one, index) => asked.indexOf(one) !== index)).toEqual([]);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(15);
    expect(asked.filter((one) => /\/assets\/(?:widgets|forms|charts)-/.test(one))).toEqual([]);
  });

  it('cockpit: at most 15, and none twice', async () => {
    const asked = await requestsOf(`/machines/${machineId}/live`, 'Nothing is planned', cockpitLoaded);
    expect(asked.filter((one, index) => asked.indexOf(one) !== index)).toEqual([]);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(15);
  });
});
