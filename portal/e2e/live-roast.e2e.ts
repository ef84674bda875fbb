import path from 'node:path';
import { machineMapShape } from '@roastery/contract/machine-map';
import { listMachines, type RegisteredMachine } from '@roastery/contract/machines';
import { createProfile } from '@roastery/contract/profiles';
import { deleteRoast, getRoast, listRoasts, updateRoast } from '@roastery/contract/roasts';
import { parseDuration } from '@roastery/roasting/units';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import type { RunningMachine } from '@roastery/stack/machine';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { hurriedClock } from '@roastery/testing/shared-data';
import { until } from '@roastery/testing/until';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLiveBoard } from './live-board.ts';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let machine: RunningMachine;
let pastId = '';
/** The roast that runs during the tests, one after the other. */
let roastId = '';

/** Machine and board run this many times as fast: ten minutes of roasting in two. */
const factor = 5;

beforeAll(async () => {
  roastery = await openRoastery({ ownServers: true });
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  // Past roasts, from which the machine learns its forecast and its first crack.
  for (let n = 1; n <= 6; n++) {
    const charged = new Date(Date.now() - n * 86_400_000);
    pastId = (await bringPastRoast(roastery.stack, ana, probat, { seed: n, charged })).id;
  }
  machine = await roastery.stack.startMachine({
    serial: probat.serial_number,
    token: probat.auth_token,
    timeFactor: factor,
    // A machine answers in real time, which is many times as long by the accelerated board's clock.
    map: machineMapShape.parse({ ...demoRoasterMap(), hz: 0.5, timeoutMs: 300 * factor }),
    agentNodeOptions: hurriedClock(factor),
    isAutomatic: false,
  });
  await until(
    'the machine to be heard from',
    async () => (await ana.call(listMachines)).some(({ connection }) => connection === 'online'),
    { timeoutMs: 30_000 },
  );
});
afterAll(() => roastery[Symbol.asyncDispose]());

const figures = (page: Page) => page.getByTestId('live-figures');
const stateOf = (page: Page) => figures(page).getAttribute('data-state');
const clock = async (page: Page) => parseDuration(await page.getByTestId('live-clock').innerText()) ?? -1;
/** Seconds on the card of the dashboard. */
const clockOn = async (card: Locator) => parseDuration(await card.locator('dd').first().innerText()) ?? -1;
const pointCount = async (page: Page) =>
  Number((await page.getByText(/^[\d,]+ points$/).innerText()).replaceAll(/\D/g, ''));

it('is linked from the dashboard, the machine and the bar above every page as soon as it is charged', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto('/machines');
  const card = page.getByRole('listitem').filter({ hasText: 'PRB-P25-0042' });
  await card.getByText('Online').waitFor();
  machine.order({ do: 'charge' });
  // The beans dry slowly: the tests up to that of first crack are not in time with the machine.
  machine.order({ output: 'heat_power', percent: 25 });
  const link = card.getByRole('link', { name: 'Roasting now' });
  await link.waitFor();
  await expect.poll(() => link.getAttribute('href')).toBe(`/machines/${probat.id}/live`);
  roastId = (await ana.call(listMachines)).find(({ id }) => id === probat.id)?.current_roast_id ?? '';
  expect(roastId).toMatch(/^[0-9a-f-]{36}$/);
  // Immediately and without a reload.
  await link.click();
  await page.getByTestId('cockpit-status').filter({ hasText: 'Roasting' }).waitFor();
  await page.getByRole('button', { name: 'Close the live view' }).click();
  await page.waitForURL(`**/roasts/${roastId}`);
  await figures(page).waitFor();
  await visit(page, '/dashboard');
  const row = page.getByRole('region', { name: 'Recent Activity' }).getByRole('listitem').first();
  await row.getByText('Probat P25 · roasting now').waitFor();
  await expect.poll(() => row.getByRole('link').getAttribute('href')).toBe(`/roasts/${roastId}`);
  // The card of the machine, live: its clock goes on.
  const now = page.getByTestId('roasting-card');
  await expect.poll(async () => clockOn(now)).toBeGreaterThan(0);
  const shown = await clockOn(now);
  await expect.poll(async () => clockOn(now)).toBeGreaterThan(shown);
  await page.getByRole('list', { name: 'Roasting now' }).getByRole('link').click();
  await page.waitForURL(`**/machines/${probat.id}/live`);
  await visit(page, `/roasts/${roastId}`);
  await page.getByText(/^Probat P25\s*ROASTING \d+:\d\d$/).waitFor();
});

it('shows changing figures, the growing curve, and the expected time of the next event', async () => {
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  await page.goto(`/roasts/${roastId}`);
  await expect.poll(() => stateOf(page)).toBe('live');
  const [before, drawn] = [await clock(page), await pointCount(page)];
  const bean = figures(page).getByText('Bean Temp').locator('xpath=../following-sibling::p');
  const temperature = await bean.innerText();
  expect(temperature).toMatch(/^\d+\.\d$/);
  await expect.poll(() => clock(page)).toBeGreaterThan(before + 5);
  await expect.poll(() => bean.innerText()).not.toBe(temperature);
  await expect.poll(() => pointCount(page)).toBeGreaterThan(drawn);
  const expected = page.getByTestId('next-event');
  await expected.waitFor({ timeout: 60_000 });
  await expect.poll(() => expected.innerText()).toMatch(/^DRY END EXPECTED\s+\d+:\d\d between \d+:\d\d and \d+:\d\d$/);
  expect(complaints).toEqual([]);
});

it('shows changes of the description from another page while it runs', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${roastId}`);
  await page.getByRole('heading', { level: 1, name: 'Unnamed Roast' }).waitFor();
  await ana.call(updateRoast, { params: { id: roastId }, body: { coffee_name: 'Huila Pink Bourbon' } });
  await page.getByRole('heading', { level: 1, name: 'Huila Pink Bourbon' }).waitFor();
  await expect.poll(() => stateOf(page)).toBe('live');
});

/** Sums the layout shifts of the next page, which the person's own input does not cause. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    Object.assign(globalThis, { shifted: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[]) {
        if (!entry.hadRecentInput) (globalThis as unknown as { shifted: number }).shifted += entry.value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
const shiftOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { shifted: number }).shifted);

const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;

it.each([
  { name: 'desk', ...SCREEN.desk, chartBelow: 380 },
  { name: 'tablet-flat', width: 1180, height: 820, chartBelow: 450 },
  { name: 'tablet', ...SCREEN.tablet, chartBelow: 510 },
  { name: 'phone', ...SCREEN.phone, chartBelow: 610 },
])(
  'live roast page: shows the curve in the first screen of a $name, and moves nothing while it connects',
  async ({ name, width, height, chartBelow }) => {
    const isTouch = name !== 'desk';
    await using watched = await roastery.openAs(ana, { viewport: { width, height }, hasTouch: isTouch });
    const { page } = watched;
    const { id } = await ana.call(createProfile, {
      body: {
        name: `House filter, ${name}`,
        control_profile: [
          { time: 0, burner: 80, exhaust: 40, drum: 60 },
          { time: 540, burner: 60, exhaust: 50, drum: 45 },
        ],
      },
    });
    await ana.call(updateRoast, { params: { id: roastId }, body: { profile_id: id } });
    try {
      await watchShifts(page);
      await page.goto(`/roasts/${roastId}?behind=${pastId}`);
      await page.getByTestId('step-moment').filter({ hasText: 'In ' }).waitFor();
      await page.getByText(/^Reference: /).waitFor();
      const chart = page.getByTestId('roast-chart');
      await chart.locator('canvas').waitFor();
      await expect.poll(() => stateOf(page)).toBe('live');
      const folder = process.env['SCREENS_DIR'];
      if (folder !== undefined) await page.screenshot({ path: path.join(folder, `live-${name}.png`) });
      expect(await topOf(chart)).toBeLessThanOrEqual(chartBelow);
      expect(await shiftOf(page)).toBeLessThan(0.05);
      const actions = ['Live view', 'Export', 'Edit', 'More actions'].map((one) =>
        page
          .getByRole('main')
          .getByText(one, { exact: true })
          .or(page.getByRole('button', { name: one })),
      );
      const rows = await Promise.all(actions.map(async (one) => Math.round((await topOf(one.first())) / 24)));
      expect(new Set(rows).size, 'one row of buttons').toBe(1);
    } finally {
      await ana.call(updateRoast, { params: { id: roastId }, body: { profile_id: null } });
    }
  },
);

it('marks the next event with Space, and undoes it', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${roastId}`);
  await expect.poll(() => stateOf(page)).toBe('live');
  const next = page.getByRole('button', { name: /^Mark / });
  // Readings may arrive before the roast, and without its charge there is no time to mark.
  await expect.poll(() => next.isEnabled()).toBe(true);
  const name = (await next.innerText()).split('\n')[0]?.replace('Mark ', '') ?? '';
  await page.keyboard.press('Space');
  await page.getByText(`${name} marked`).waitFor();
  const marker = page
    .getByRole('region', { name: 'Markers' })
    .getByRole('button', { name: new RegExp(`^${name} \\d`) });
  await marker.waitFor();
  await expect.poll(() => marker.getAttribute('title')).toBe(`${name} set by hand`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => marker.count()).toBe(0);
  // Beans may crack before dry end is marked.
  await page.getByRole('button', { name: 'Other events' }).click();
  await page.getByRole('menuitem', { name: 'Mark First Crack End now' }).click();
  await page.getByText('First Crack End marked').waitFor();
  // The message and its Undo disappear; the mark can still be removed.
  await page.getByRole('button', { name: 'Correct markers' }).click();
  const takeBack = page.getByRole('button', { name: 'Remove First Crack End' });
  await takeBack.click();
  await expect.poll(() => takeBack.count()).toBe(0);
});

it('fits a phone: with a large bean temperature, and without sideways scrolling', async () => {
  await using watched = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
  const { page } = watched;
  await page.goto(`/roasts/${roastId}`);
  await expect.poll(() => stateOf(page)).toBe('live');
  const bean = figures(page).getByText('Bean Temp').locator('xpath=../following-sibling::p');
  const sizePx = () => bean.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
  await expect.poll(sizePx).toBeGreaterThanOrEqual(52);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  const button = page.getByRole('button', { name: /^Mark / });
  await expect.poll(async () => (await button.boundingBox())?.height).toBeGreaterThanOrEqual(48);
  const roaster = page.getByRole('button', { name: /^Roasted by .*: change$|^Choose the roaster$/ });
  await expect.poll(async () => (await roaster.boundingBox())?.y).toBe((await button.boundingBox())?.y);
});

it('shows the age of its figures when the board is silent, and continues automatically', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${roastId}`);
  await expect.poll(() => stateOf(page)).toBe('live');
  machine.agent.kill('SIGSTOP');
  try {
    await expect.poll(() => stateOf(page)).not.toBe('live');
    await expect
      // The state is announced, but not its age.
      .poll(() => figures(page).getByRole('status').locator('xpath=..').innerText())
      .toMatch(/^(?:NO NEW READINGS|OFFLINE) · \d+ s ago$/);
    const stood = await page.getByTestId('live-clock').innerText();
    const colour = () => page.getByTestId('live-clock').evaluate((element) => getComputedStyle(element).color);
    const greyed = await colour();
    await page.getByText(/· [789] s ago$/).waitFor();
    await expect
      .poll(() => page.getByTestId('live-clock').innerText(), { message: 'no clock that runs without readings' })
      .toBe(stood);
    await page.reload();
    await expect.poll(() => stateOf(page)).toMatch(/^(?:stale|offline)$/);
    machine.agent.kill('SIGCONT');
    await expect.poll(() => stateOf(page)).toBe('live');
    await expect.poll(colour).not.toBe(greyed);
  } finally {
    machine.agent.kill('SIGCONT');
  }
});

it('survives a kill of the server while the page is open', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${roastId}`);
  await expect.poll(() => stateOf(page)).toBe('live');
  const before = await clock(page);
  roastery.stack.part('api').kill('SIGKILL');
  await expect.poll(() => stateOf(page), { interval: 50 }).toBe('offline');
  await expect.poll(() => stateOf(page), { timeout: 30_000 }).toBe('live');
  await expect.poll(() => clock(page)).toBeGreaterThan(before);
});

it('shows the temperatures of first crack, a countdown once the band is narrow, and the basis of the prediction', async () => {
  machine.order({ output: 'heat_power', percent: 100 });
  // No page draws each reading until then.
  await until(
    'the beans to be dry',
    async () => {
      const { marks } = await ana.call(getRoast, { params: { id: roastId } });
      return marks.some(({ kind }) => kind === 'dry_end');
    },
    { timeoutMs: 120_000 },
  );
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${roastId}`);
  const crack = page.getByTestId('next-event').filter({ hasText: /first crack/i });
  await crack.waitFor();
  await expect
    .poll(() => crack.innerText())
    .toMatch(
      /^FIRST CRACK\s+(?:from \d+ °C to \d+ °C|(?:in \d+:\d\d|any moment) \((?:now|\d+:\d\d)–\d+:\d\d\), at \d+\.\d °C)\s+from 5 roasts on this machine$/,
    );
  await visit(page, `/machines/${probat.id}/live`);
  const step = page.getByTestId('next-step');
  await expect
    .poll(async () => (await step.innerText()).replaceAll(/\s+/g, ' '))
    .toMatch(
      /^NEXT EVENT First Crack (?:from \d+ °C to \d+ °C|(?:in \d+:\d\d|any moment) ?between \d+:\d\d and \d+:\d\d)$/,
    );
});

it('becomes the page of a finished roast at the drop, without a reload [P43]', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${roastId}`);
  await figures(page).waitFor();
  machine.order({ do: 'drop' });
  await page.getByText('Completed', { exact: true }).waitFor({ timeout: 60_000 });
  await figures(page).waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('main').locator('header').first().innerText()).toMatch(/DURATION\s+\d+:\d\d/);
  await page.getByTestId('roast-chart').locator('canvas').waitFor();
  await expect.poll(() => pointCount(page)).toBeGreaterThan(50);
  const drop = page.getByRole('region', { name: 'Markers' }).getByRole('button', { name: /^Drop / });
  await expect.poll(() => drop.innerText()).toMatch(/\d+:\d\d\s+\d+\.\d °C/);
});

it('live roast page: reports a roast that another user deleted while it ran', async () => {
  machine.order({ do: 'charge' });
  const running = await until(
    'a running roast',
    async () => {
      const { roasts } = await ana.call(listRoasts, { query: { limit: 5 } });
      return roasts.find(({ status }) => status === 'in_progress');
    },
    { timeoutMs: 60_000 },
  );
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${running.id}`);
  await expect.poll(() => stateOf(page)).toBe('live');
  await roastery.admin.call(deleteRoast, { params: { id: running.id } });
  const message = page.getByRole('alert').filter({ hasText: 'This roast was deleted' });
  await message.waitFor();
  await message.getByRole('link', { name: 'Back to Roasts' }).waitFor();
});

/** True while tile and panel show the same rate, and that is the fall of the probe. */
const agreeOnTheFall = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const [tile, lastPoint] = [
      '[data-testid="live-figures"] p',
      'section[aria-label="Values at the last point"] dt',
    ].map((labels) => {
      const label = [...document.querySelectorAll(labels)].find(({ textContent }) =>
        textContent?.startsWith('Rate of Rise'),
      );
      return label?.nextElementSibling?.textContent ?? '';
    });
    return tile !== undefined && lastPoint?.startsWith(tile) === true && Number(tile.replace('−', '-')) < -21;
  });

it('shows the same rate of rise in tile and panel while the bean probe falls', async () => {
  const other = await register(ana, 'PRB-P5-0007', 'Probat P5');
  await using board = await startLiveBoard(roastery.stack, other, (seconds) => [230 - seconds / 2, 220], 40);
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.goto(`/roasts/${board.roastId}`);
  await expect.poll(() => agreeOnTheFall(page), { interval: 100 }).toBe(true);
  expect(board.failures).toEqual([]);
});
