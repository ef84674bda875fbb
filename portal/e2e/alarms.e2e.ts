import path from 'node:path';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { accessibilityFindings, keepAxe } from '@roastery/testing/accessibility';
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
});
afterAll(() => roastery[Symbol.asyncDispose]());

const sizes = [
  { name: 'desk', width: 1440, height: 900 },
  { name: 'phone', width: 390, height: 844 },
] as const;

/** Looks at a page on desk and phone in both themes: axe finds nothing, and nothing is wider than the window. */
const lookAround = async (page: Page, name: string): Promise<void> => {
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      const at = `${name}, ${size.name} ${theme}`;
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth), { message: at })
        .toBeLessThanOrEqual(0);
      const folder = process.env['SCREENS_DIR'];
      if (folder !== undefined) {
        await page.screenshot({ path: path.join(folder, `alarms-${name}-${size.name}-${theme}.png`) });
      }
      expect(await accessibilityFindings(page), at).toEqual([]);
    }
  }
};

it('alarms: a frozen probe shows in cockpit, wall and bell without a rule, and stays with the roast', async () => {
  // The beans stand still from the tenth second on.
  await using board = await startLiveBoard(
    roastery.stack,
    probat,
    (seconds) => [200 - Math.min(10, seconds), 220 - seconds / 5],
    45,
  );
  await using cockpit = await roastery.openAs(ana, { viewport: { width: 1440, height: 900 } });
  await keepAxe(cockpit.page);
  await cockpit.page.goto(`/machines/${probat.id}/live`);
  const sentence = 'Bean Temp stands still. Check the probe.';
  const banner = cockpit.page.getByTestId('alarms');
  await banner.getByText(sentence).waitFor({ timeout: 30_000 });
  await lookAround(cockpit.page, 'cockpit');

  await using wall = await roastery.openAs(ana, { viewport: { width: 1440, height: 900 } });
  await keepAxe(wall.page);
  await wall.page.goto('/wall');
  await wall.page.getByTestId('wall-alarm').getByText(sentence).waitFor();
  await expect.poll(() => wall.page.getByTestId('wall-tile').getAttribute('data-state')).toBe('roasting');
  await lookAround(wall.page, 'wall');

  await using desk = await roastery.openAs(ana, { viewport: { width: 1440, height: 900 } });
  await keepAxe(desk.page);
  await desk.page.goto('/dashboard');
  const bell = desk.page.getByRole('button', { name: 'Alarms: 1 new' });
  await bell.click();
  await desk.page.getByRole('dialog').getByText(sentence).waitFor();
  await lookAround(desk.page, 'bell');
  await desk.page.keyboard.press('Escape');
  await desk.page.getByRole('button', { name: 'Alarms', exact: true }).waitFor();

  await cockpit.page.setViewportSize({ width: 1440, height: 900 });
  await banner.getByRole('button', { name: 'OK' }).click();
  await expect.poll(() => banner.getByText(sentence).count()).toBe(0);
  await expect.poll(() => wall.page.getByTestId('wall-alarm').count()).toBe(0);

  await board.end();
  await desk.page.goto(`/roasts/${board.roastId}`);
  const list = desk.page.getByTestId('roast-alarms');
  await expect.poll(() => list.innerText()).toMatch(/0:4\d\s*Bean Temp stands still.*Acknowledged by Ana Restrepo/s);
  await desk.page.getByText('Completed').first().waitFor();
  await list.scrollIntoViewIfNeeded();
  await lookAround(desk.page, 'roast');
  expect(board.failures).toEqual([]);
  expect([...cockpit.complaints, ...wall.complaints, ...desk.complaints]).toEqual([]);
});
