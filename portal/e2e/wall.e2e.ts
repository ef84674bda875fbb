import path from 'node:path';
import { createMachineAlarmRule } from '@roastery/contract/alarm-rules';
import { updatePreferences } from '@roastery/contract/auth';
import { listMachines, type RegisteredMachine } from '@roastery/contract/machines';
import { planRoast } from '@roastery/contract/planned';
import { createProfile, setReferenceRoast } from '@roastery/contract/profiles';
import { createWallLink, getWall } from '@roastery/contract/wall';
import type { RunningMachine } from '@roastery/stack/machine';
import { accessibilityFindings } from '@roastery/testing/accessibility';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLiveBoard, usualCurve } from './live-board.ts';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, tomoIto, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let tomo: RoasteryClient;
let probat: RegisteredMachine;
let machine: RunningMachine;

/** Televisions, one in portrait, a tablet in both orientations, a phone. */
const sizes = [
  [1920, 1080],
  [1280, 720],
  [1080, 1920],
  [1180, 820],
  [820, 1180],
  [390, 844],
] as const;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  tomo = await roastery.addPerson(tomoIto);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  await register(ana, 'GIE-W6-0007', 'Giesen W6 sample room', 'RM7');
  await register(tomo, 'LOR-S15-0001', 'Loring S15', 'RM15');
  const recipe = await ana.call(createProfile, {
    body: {
      name: 'House filter',
      control_profile: [
        { time: 0, burner: 80, exhaust: 40, drum: 60 },
        { time: 600, burner: 0, exhaust: 90, drum: 45 },
      ],
    },
  });
  const past = await bringPastRoast(roastery.stack, ana, probat, {
    charged: new Date(Date.now() - 86_400_000),
    details: { coffee_name: 'Huila Pink Bourbon', profile_id: recipe.id },
  });
  await ana.call(setReferenceRoast, { params: { id: recipe.id }, body: { roast_id: past.id } });
  const plan = { machine_id: probat.id, profile_id: recipe.id, coffee_name: 'Huila Pink Bourbon', batch_size_kg: 12 };
  await ana.call(planRoast, { body: plan });
  machine = await roastery.stack.startMachine({
    serial: probat.serial_number,
    token: probat.auth_token,
    start: 'preheat',
    timeFactor: 2,
    hz: 1,
  });
  await until(
    'a roast to run',
    async () => (await ana.call(listMachines)).some(({ current_roast_id }) => current_roast_id !== null),
    { timeoutMs: 90_000 },
  );
});
afterAll(() => roastery[Symbol.asyncDispose]());

const tile = (page: Page, name: string) => page.getByTestId('wall-tile').filter({ hasText: name });

/** Pixels by which content exceeds the window, or the page scrolls; and texts that are cut off. */
const outside = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { scrollHeight, scrollWidth } = document.documentElement;
    const parts = [
      ...document.querySelectorAll(
        '[data-testid="wall-tile"], [data-testid="wall-tile"] p, [data-testid="wall-step"], [data-testid="wall-step"] > *, [data-testid="wall-pages"], [data-testid="wall-pages"] p, [data-testid="wall-pages"] button',
      ),
    ];
    const over = parts.map((part) => {
      const box = part.getBoundingClientRect();
      const holder = part.closest('li')?.getBoundingClientRect() ?? box;
      // A cut line of text is higher inside than outside; a wrapped one is higher than two of its letters; a step and
      // an alarm may wrap once.
      const letters = [part, ...part.querySelectorAll('*')].map((one) =>
        Number.parseFloat(getComputedStyle(one).fontSize),
      );
      const letter = Math.max(...letters);
      const cut = part.tagName === 'P' ? part.scrollHeight - part.clientHeight - letter / 4 : 0;
      const isAlarm = part.getAttribute('data-testid') === 'wall-alarm';
      const maxLines = new Map([
        ['P', isAlarm ? 2 : 1],
        ['DIV', 2],
      ]).get(part.tagName);
      const wrapped = maxLines === undefined ? 0 : part.clientHeight - (maxLines + 1) * letter;
      return Math.max(
        holder.left - box.left,
        holder.top - box.top,
        box.right - holder.right,
        box.bottom - holder.bottom,
        cut,
        wrapped,
      );
    });
    return Math.round(Math.max(scrollHeight - innerHeight, scrollWidth - innerWidth, ...over));
  });

it('wall: opens by its link without an account, on any aspect without scrolling', async () => {
  const { token } = await roastery.admin.call(createWallLink, { body: { name: 'Roasting room' } });
  await using watched = await roastery.openAs(null, { viewport: { width: 1920, height: 1080 } });
  const { page, complaints } = watched;
  await page.goto(`/wall#token=${token}`);
  await expect.poll(() => page.getByTestId('wall-tile').count()).toBe(3);
  await expect.poll(() => new URL(page.url()).hash).toBe('');
  await expect.poll(() => tile(page, 'Probat P25').getAttribute('data-state')).toBe('roasting');
  const running = tile(page, 'Probat P25');
  await running.getByText(/^Batch \d+ · Huila Pink Bourbon$/).waitFor();
  await expect.poll(() => running.getByTestId('wall-bean').innerText()).toMatch(/^\d+\.\d °C$/);
  await expect.poll(() => running.innerText()).toMatch(/\d+:\d\d\s+RoR [−-]?\d+\.\d/);
  await expect.poll(() => running.innerText()).toMatch(/(?:In \d+:\d\d|Now)\s*Burner/);
  await expect.poll(() => tile(page, 'Loring S15').getAttribute('data-state')).toBe('offline');
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => outside(page), { message: `${width}×${height}` }).toBeLessThanOrEqual(0);
    const folder = process.env['SCREENS_DIR'];
    if (folder !== undefined) await page.screenshot({ path: path.join(folder, `wall-${width}x${height}.png`) });
  }
  // The browser reports the 401 of the session check.
  expect(complaints.filter((text) => !/auth\/me|401/.test(text))).toEqual([]);
});

it('wall: uses the units of its link’s creator', async () => {
  await roastery.admin.call(updatePreferences, {
    body: { temperature_unit: 'F', weight_unit: 'lb', date_language: 'de' },
  });
  const { token } = await roastery.admin.call(createWallLink, { body: { name: 'Office' } });
  await using watched = await roastery.openAs(null);
  const { page } = watched;
  await page.goto(`/wall#token=${token}`);
  const running = tile(page, 'Probat P25');
  await expect.poll(() => running.getByTestId('wall-bean').innerText()).toMatch(/^\d+,\d °F$/);
  await expect.poll(() => page.getByTestId('wall').innerText()).not.toMatch(/°C|(?<![a-z])kg(?![a-z])/);
  await roastery.admin.call(updatePreferences, {
    body: { temperature_unit: 'C', weight_unit: 'kg', date_language: 'en-US' },
  });
});

it('wall: shows a user their own machines only', async () => {
  await using watched = await roastery.openAs(tomo);
  const { page } = watched;
  await page.goto('/wall');
  await tile(page, 'Loring S15').waitFor();
  await expect.poll(() => page.getByTestId('wall-tile').count()).toBe(1);
});

it('wall: an admin creates a link under Devices and revokes it, and the screen goes blank', async () => {
  await using desk = await roastery.openAs(roastery.admin);
  await using screen = await roastery.openAs(null);
  await desk.page.goto('/admin/devices?tab=wall');
  await desk.page.getByLabel('Name of the screen').fill('Packing table');
  await desk.page.getByRole('button', { name: 'Create link' }).click();
  const address = desk.page.getByTestId('wall-link');
  await address.waitFor();
  await screen.page.goto((await address.innerText()).trim());
  await expect.poll(() => screen.page.getByTestId('wall-tile').count()).toBe(3);
  await desk.page.getByRole('button', { name: 'Done' }).click();
  await desk.page.getByRole('button', { name: 'Revoke Packing table' }).click();
  await desk.page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
  await screen.page.getByText('This screen can’t show the wall').waitFor();
});

/** The smallest letters of the tiles' lines, px; units beside a figure are excluded. */
const smallestLetters = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Math.min(
      ...[
        ...document.querySelectorAll(
          '[data-testid="wall-tile"] p, [data-testid="wall-tile"] p > span, [data-testid="wall-step"], [data-testid="wall-pages"] p',
        ),
      ]
        .filter((line) => [...line.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ''))
        .filter(
          (line) =>
            line.closest('.figures') === null ||
            line.matches('[data-testid="wall-step"], [data-testid="wall-pages"] p'),
        )
        .map((line) => Number.parseFloat(getComputedStyle(line).fontSize)),
    ),
  );

it('wall: follows a machine that was registered while it is shown', async () => {
  await using watched = await roastery.openAs(roastery.admin);
  const { page } = watched;
  await page.goto('/wall');
  await expect.poll(() => page.getByTestId('wall-tile').count()).toBe(3);
  const added = await register(ana, 'JOP-B15-0003', 'Joper BPR15', 'RM15');
  await using board = await startLiveBoard(roastery.stack, added, usualCurve, 20);
  await expect.poll(() => tile(page, 'Joper BPR15').getAttribute('data-state'), { timeout: 90_000 }).toBe('roasting');
  await board.end();
  expect(board.failures).toEqual([]);
});

const alarmAtOnce = {
  condition: { kind: 'temperature', channel: 'bean_temp', side: 'above', temp_c: 20 },
  armed_after: 'charge',
  message: 'Open the air now, then look at the chaff collector',
  colour: 'amber',
  sound: false,
  push: false,
  is_enabled: true,
} as const;

it('wall: shows 24 machines on television, tablet and phone without scrolling, in large letters on the television', async () => {
  for (let number = 5; number <= 24; number++) await register(ana, `MORE-${number}`, `Sample roaster ${number}`, 'RM7');
  await using watched = await roastery.openAs(roastery.admin);
  const { page } = watched;
  await page.goto('/wall');
  await expect.poll(() => page.getByTestId('wall-tile').count()).toBe(24);
  const names = async () => (await page.getByTestId('wall-tile').allInnerTexts()).map((text) => text.split('\n')[0]);
  await expect.poll(async () => (await names()).slice(-2)).toEqual(['Sample roaster 23', 'Sample roaster 24']);
  const running = tile(page, 'Probat P25');
  await running.getByTestId('wall-step').waitFor();
  const lookAround = async (name: string, smallest: number) => {
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await expect.poll(() => outside(page), { message: `${name} ${width}×${height}` }).toBeLessThanOrEqual(0);
      await expect.poll(() => smallestLetters(page)).toBeGreaterThanOrEqual(width === 1920 ? smallest : 0);
      const folder = process.env['SCREENS_DIR'];
      if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${name}-${width}x${height}.png`) });
    }
  };
  await lookAround('wall-24', 20);
  // An alarm replaces the coffee, on two lines beside those of the step.
  await ana.call(createMachineAlarmRule, {
    params: { id: probat.id },
    body: alarmAtOnce,
  });
  await running.getByTestId('wall-alarm').waitFor();
  await lookAround('wall-24-alarm', 18);
});

const pageName = (page: Page): Promise<string> => page.getByTestId('wall-pages').locator('p').first().innerText();
const namesOf = async (page: Page): Promise<string[]> =>
  (await page.getByTestId('wall-tile').allInnerTexts()).map((text) => text.split('\n')[0] ?? '');

it('wall: shows 45 machines in two pages, which keep the one with an alarm and change automatically, by keys and touch', async () => {
  // Its roasts begin and end automatically.
  await machine.stop();
  for (let number = 25; number <= 44; number++)
    await register(ana, `MORE-${number}`, `Sample roaster ${number}`, 'RM7');
  const last = await register(ana, 'ZEN-1', 'Zenith 12');
  await ana.call(createMachineAlarmRule, { params: { id: last.id }, body: alarmAtOnce });
  await using board = await startLiveBoard(roastery.stack, last, usualCurve, 20);
  const { token } = await roastery.admin.call(createWallLink, { body: { name: 'Loading bay' } });
  await using watched = await roastery.openAs(null, { viewport: { width: 1920, height: 1080 }, hasTouch: true });
  const { page } = watched;
  await page.clock.install();
  await page.goto(`/wall#token=${token}`);
  await page.getByText('45 machines', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Stay on this page' }).tap();
  await page.getByText('Paused', { exact: true }).waitFor();
  if ((await pageName(page)) !== 'Page 1 of 2') await page.keyboard.press('PageUp');
  await expect.poll(() => pageName(page)).toBe('Page 1 of 2');
  await tile(page, 'Zenith 12').getByTestId('wall-alarm').waitFor();
  // Probat's roast continues, if one ran when its board was stopped.
  const working = (await roastery.admin.call(getWall)).machines.filter(({ roast }) => roast !== null);
  const kept = working.map(({ display_name: name }) => name);
  const begin = async () => (await namesOf(page)).slice(0, kept.length).sort();
  await expect.poll(begin).toEqual(kept);
  const first = await namesOf(page);
  // Most stay on every page, the fewer alternate.
  expect(first.length).toBe(kept.length + Math.ceil((45 - kept.length) / 2));
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => outside(page), { message: `${width}×${height}` }).toBeLessThanOrEqual(0);
    const folder = process.env['SCREENS_DIR'];
    if (folder !== undefined) await page.screenshot({ path: path.join(folder, `wall-pages-${width}x${height}.png`) });
  }
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect.poll(() => smallestLetters(page)).toBeGreaterThanOrEqual(18);

  // From here on the clock of the page only advances when the test does it.
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await expect.poll(() => pageName(page)).toBe('Page 1 of 2');
  const pageAfter = async (seconds: number) => {
    await page.clock.runFor(seconds * 1000);
    return pageName(page);
  };
  await page.getByRole('button', { name: 'Show the pages in turn' }).tap();
  expect(await pageAfter(13)).toBe('Page 1 of 2');
  expect(await pageAfter(3)).toBe('Page 2 of 2');
  const second = await namesOf(page);
  expect(new Set([...first, ...second]).size).toBe(45);
  expect(second.filter((name) => first.includes(name)).sort()).toEqual(kept);
  // A key or a touch keeps a page for a minute.
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => pageName(page)).toBe('Page 1 of 2');
  expect(await pageAfter(58)).toBe('Page 1 of 2');
  expect(await pageAfter(3)).toBe('Page 2 of 2');
  await page.getByRole('button', { name: 'Next page' }).tap();
  await expect.poll(() => pageName(page)).toBe('Page 1 of 2');
  await board.end();
  expect(board.failures).toEqual([]);
});

it('wall: requires a link or a sign-in where there is neither', async () => {
  await using watched = await roastery.openAs(null);
  await watched.page.goto('/wall');
  await watched.page.getByText('This screen can’t show the wall').waitFor();
  await expect
    .poll(() => watched.page.getByRole('link', { name: 'Sign in' }).getAttribute('href'))
    .toBe('/login?next=%2Fwall');
});
