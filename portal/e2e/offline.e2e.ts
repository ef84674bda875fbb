import { createLot } from '@roastery/contract/inventory';
import { until } from '@roastery/testing/until';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';
import type { RoasteryClient } from '@roastery/testing/roastery-client';

let roastery: TestRoastery;
let ana: RoasteryClient;
let roastId: string;
beforeAll(async () => {
  roastery = await openRoastery({ ownServers: true });
  ana = await roastery.addPerson(anaRestrepo);
  const machine = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const roast = await bringPastRoast(roastery.stack, ana, machine, {
    hz: 1,
    details: { coffee_name: 'Huila Pink Bourbon' },
  });
  roastId = roast.id;
});
afterAll(() => roastery[Symbol.asyncDispose]());

const banner = (page: Page) => page.getByTestId('offline');
const saysItsAge = /^Offline\. Showing data from \d\d:\d\d [AP]M, (?:just now|\d+ s ago)\.$/;

/** The worker has stored the whole portal on the device and controls this page. */
const untilKept = (page: Page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller !== null) return;
    await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
  });

/** Keeps the api dead, killing every restart, until the returned function is called. */
const keepApiDown = (): (() => void) => {
  const api = roastery.stack.part('api');
  const kill = () => api.kill('SIGKILL');
  kill();
  const timer = setInterval(kill, 100);
  return () => clearInterval(timer);
};

describe('without the server', () => {
  it('every page shows its age, stays readable, keeps its input, and recovers automatically', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory/lots/new');
    await page.getByLabel('Lot Number').fill('L-OFFLINE');
    await page.getByLabel('Coffee Name').fill('Written while offline');
    await page.getByRole('combobox', { name: 'Origin' }).fill('Colombia');
    await page.getByLabel('Initial Weight').fill('60');
    const bringBack = keepApiDown();
    try {
      await page.getByRole('button', { name: 'Save Lot' }).click();
      await banner(page).waitFor();
      await page.getByRole('alert').filter({ hasText: 'Failed to save lot' }).waitFor();
      await page.getByText('Your input is kept: save again when the connection is back.').waitFor();
      await expect.poll(() => page.getByLabel('Coffee Name').inputValue()).toBe('Written while offline');
      // The banner stays visible on a long form.
      await page.getByLabel('Notes').scrollIntoViewIfNeeded();
      await expect.poll(() => banner(page).boundingBox()).toMatchObject({ y: 54 });
    } finally {
      bringBack();
    }
    await banner(page).waitFor({ state: 'detached', timeout: 30_000 });
    await expect.poll(() => page.getByLabel('Initial Weight').inputValue()).toBe('60');
    await page.getByRole('button', { name: 'Save Lot' }).click();
    // A refusal would be shown here.
    await expect.poll(() => page.getByRole('main').innerText()).toContain('L-OFFLINE');
    await page.getByRole('row', { name: /L-OFFLINE/ }).waitFor();
  });

  it('the content stays on screen and is read again when the network is back', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/inventory');
    await page.getByRole('row', { name: /L-OFFLINE/ }).waitFor();
    await page.context().setOffline(true);
    await banner(page).waitFor();
    await expect.poll(() => banner(page).innerText()).toMatch(saysItsAge);
    await expect.poll(() => page.getByRole('row', { name: /L-OFFLINE/ }).count()).toBe(1);
    await ana.call(createLot, {
      body: { lot_number: 'L-LATER', coffee_name: 'Konga', origin: 'Ethiopia', initial_weight: 30 },
    });
    await page.context().setOffline(false);
    await banner(page).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /L-LATER/ }).waitFor();
  });
});

describe('stored on the device', () => {
  it('the portal opens without the server, shows cached data with its age, and deletes it at the sign-out', async () => {
    await using watched = await roastery.openAs(ana, { serviceWorkers: 'allow' });
    const { page } = watched;
    await page.goto('/dashboard');
    await untilKept(page);
    for (const address of [`/roasts/${roastId}`, '/inventory', '/dashboard']) {
      await page.goto(address);
      await page
        .getByText(address === '/inventory' ? 'L-OFFLINE' : 'Huila Pink Bourbon')
        .first()
        .waitFor();
    }
    await page.goto(`/roasts/${roastId}`);
    await page.getByTestId('roast-chart').locator('canvas').waitFor();
    const bringBack = keepApiDown();
    try {
      await page.reload();
      await page.getByRole('heading', { name: 'Huila Pink Bourbon' }).waitFor();
      await page.getByTestId('roast-chart').locator('canvas').waitFor();
      await banner(page).waitFor();
      await expect.poll(() => banner(page).innerText()).toMatch(saysItsAge);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inventory' }).click();
      await page.getByRole('row', { name: /L-OFFLINE/ }).waitFor();
      // This page was not read before: it opens, and shows what is missing.
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recipes' }).click();
      await page.getByRole('heading', { name: 'Recipes', exact: true }).waitFor();
      await page.getByText('Recipes could not be loaded').waitFor();
    } finally {
      bringBack();
    }
    await banner(page).waitFor({ state: 'detached', timeout: 30_000 });
    await page.getByText('Recipes could not be loaded').waitFor({ state: 'detached' });
    const kept = () => page.evaluate(async () => (await (await caches.open('answers')).keys()).length);
    await expect.poll(kept).toBeGreaterThan(3);
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL('**/login');
    await until('the answers to be forgotten', async () => (await kept()) === 0);
  });

  it('can be installed as an app', async () => {
    await roastery.stack.untilReady();
    await using watched = await roastery.openAs(null);
    const { page } = watched;
    await page.goto('/login');
    const session = await page.context().newCDPSession(page);
    const { errors } = await session.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  });
});
