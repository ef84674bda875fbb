import type { RegisteredMachine } from '@roastery/contract/machines';
import { planRoast } from '@roastery/contract/planned';
import { createProfile } from '@roastery/contract/profiles';
import { getRoast } from '@roastery/contract/roasts';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLiveBoard } from './live-board.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const recipe = await ana.call(createProfile, {
    body: {
      name: 'House filter',
      control_profile: [
        { time: 0, burner: 80, exhaust: 40, drum: 60 },
        { time: 600, burner: 0, exhaust: 90, drum: 45 },
      ],
    },
  });
  await ana.call(planRoast, {
    body: { machine_id: probat.id, profile_id: recipe.id, coffee_name: 'Huila Pink Bourbon', batch_size_kg: 12 },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

/** Lets a page record a screen reader's announcements: the new text of each live region, in order. */
const noteAnnouncements = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const said: string[] = [];
    const known = new WeakMap<Element, string>();
    const regions = 'output, [role=status], [role=alert], [aria-live=polite], [aria-live=assertive]';
    const look = () => {
      for (const region of document.querySelectorAll<HTMLElement>(regions)) {
        const text = region.textContent.replaceAll(/\s+/g, ' ').trim();
        if (known.get(region) === text) continue;
        known.set(region, text);
        if (text !== '') said.push(text);
      }
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    Object.assign(globalThis, { said });
  });
};
const announced = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { said: string[] }).said);

/** Role and name of the focused element, as a screen reader announces it. */
const focused = async (page: Page): Promise<string> => {
  const snapshot = await page.locator(':focus').ariaSnapshot();
  return snapshot.split('\n')[0] ?? '';
};

it('screen reader: announces each step of a roast from the sign-in to the weight, by keyboard only', async () => {
  await using board = await startLiveBoard(
    roastery.stack,
    probat,
    (seconds) => [100 + seconds, 220 - seconds / 20],
    40,
  );
  await using watched = await roastery.openAs(null);
  const { page } = watched;
  await noteAnnouncements(page);
  await page.goto('/login');
  await page.getByLabel('Email').focus();
  await page.keyboard.type(anaRestrepo.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(anaRestrepo.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/dashboard');
  await expect.poll(() => focused(page)).toMatch(/heading "Welcome back/);

  await page.goto(`/machines/${probat.id}/live`);
  await page.getByTestId('cockpit-time').waitFor();
  await expect.poll(() => announced(page)).toContain('Roasting');
  await expect.poll(() => announced(page)).toContain('Next at 10:00: burner to 0, airflow to 90, drum to 45');
  await page.keyboard.press('3');
  await expect.poll(async () => (await announced(page)).at(-1)).toMatch(/^First Crack marked at 0:\d\d ?Undo/);
  await page.keyboard.press('6');
  const weigh = 'Enter the roasted weight in the form After the drop';
  await expect.poll(() => announced(page)).toContain(weigh);
  await expect
    .poll(async () => (await announced(page)).some((text) => /^Drop marked at \d:\d\d/.test(text)))
    .toBe(true);
  // Figures that change with every reading are not announced.
  expect((await announced(page)).filter((text) => /°C|\ds ago/.test(text))).toEqual([]);
  const form = page.getByRole('region', { name: 'After the drop' });
  await form.getByLabel(/^Roasted weight/).focus();
  await page.keyboard.type('10.2');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await announced(page)).some((text) => /^Batch .+ saved/.test(text))).toBe(true);
  expect((await ana.call(getRoast, { params: { id: board.roastId } })).end_weight_kg).toBe(10.2);
  if (process.env['SCREENS_DIR'] !== undefined) process.stdout.write(`${(await announced(page)).join('\n')}\n`);
  expect(board.failures).toEqual([]);
});
