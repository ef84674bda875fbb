import type { RegisteredMachine } from '@roastery/contract/machines';
import { createWallLink } from '@roastery/contract/wall';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLiveBoard } from './live-board.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
const machines: RegisteredMachine[] = [];

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  for (let number = 1; number <= 8; number++) machines.push(await register(ana, `TAB-${number}`, `Drum ${number}`));
});
afterAll(() => roastery[Symbol.asyncDispose]());

const bean = async (page: Page): Promise<number> => {
  const text = await page.getByTestId('cockpit-bean').allInnerTexts();
  return Number(/\d+\.\d/.exec(text.join(' '))?.[0]);
};

/** Its bean temperature rises, within these bounds of its machine's curve. */
const follows = async (page: Page, from: number, to: number) => {
  await expect.poll(() => bean(page)).toBeGreaterThan(from);
  const before = await bean(page);
  await expect.poll(() => bean(page)).toBeGreaterThan(before);
  expect(before).toBeLessThan(to);
};

it('the wall in eight tabs of one browser without an account: all follow their machines, and another page loads beside them', async () => {
  const [first] = machines;
  if (first === undefined) throw new Error('no machines');
  await using board = await startLiveBoard(roastery.stack, first, (seconds) => [100 + seconds, 220 - seconds / 20], 20);
  const { token } = await roastery.admin.call(createWallLink, { body: { name: 'Roasting room' } });
  await using watched = await roastery.openAs(null);
  const context = watched.page.context();
  await watched.page.goto(`/wall#token=${token}`);
  const tile = (page: Page) => page.getByTestId('wall-tile').filter({ hasText: first.display_name });
  await tile(watched.page).waitFor();
  const tabs = [watched.page];
  while (tabs.length < 8) {
    const tab = await context.newPage();
    tabs.push(tab);
    await tab.goto('/wall');
    await tile(tab).waitFor();
  }
  const other = await context.newPage();
  await other.goto('/login');
  await other.getByLabel('Email').waitFor();
  const temp = async (page: Page) => Number(/\d+\.\d/.exec(await tile(page).getByTestId('wall-bean').innerText())?.[0]);
  for (const tab of tabs) {
    await expect.poll(() => temp(tab)).toBeGreaterThan(120);
    const before = await temp(tab);
    await expect.poll(() => temp(tab)).toBeGreaterThan(before);
  }
  // Closing a tab does not affect the others.
  await watched.page.close();
  const last = tabs.at(-1) ?? other;
  const before = await temp(last);
  await expect.poll(() => temp(last)).toBeGreaterThan(before);
  await board.end();
  expect(board.failures).toEqual([]);
});

it('live pages in eight tabs of one browser: all follow their machines, and lists load beside them', async () => {
  const [first, second] = machines;
  if (first === undefined || second === undefined) throw new Error('no machines');
  await using one = await startLiveBoard(roastery.stack, first, (seconds) => [100 + seconds, 220 - seconds / 20], 20);
  await using two = await startLiveBoard(
    roastery.stack,
    second,
    (seconds) => [300 + seconds / 2, 220 - seconds / 20],
    20,
  );
  await using watched = await roastery.openAs(ana);
  const context = watched.page.context();
  const tabs: Page[] = [];
  for (const machine of machines) {
    const tab = tabs.length === 0 ? watched.page : await context.newPage();
    tabs.push(tab);
    await tab.goto(`/machines/${machine.id}/live`);
    await tab.getByRole('heading', { name: machine.display_name }).waitFor();
  }
  const list = await context.newPage();
  await list.goto('/roasts');
  await list.getByRole('row').nth(1).waitFor();

  const [ofOne, ofTwo] = tabs;
  if (ofOne === undefined || ofTwo === undefined) throw new Error('no tabs');
  await follows(ofOne, 120, 300);
  await follows(ofTwo, 310, 600);

  // The same machine in another tab receives the earlier recording; closing a tab does not affect the others.
  const again = await context.newPage();
  await again.goto(`/machines/${first.id}/live`);
  await follows(again, 120, 300);
  await ofOne.close();
  await follows(again, 120, 300);
  await follows(ofTwo, 310, 600);
  await two.end();
  await expect.poll(() => ofTwo.getByTestId('cockpit-between').count()).toBe(1);
  expect([...one.failures, ...two.failures]).toEqual([]);
  expect(watched.complaints).toEqual([]);
});
