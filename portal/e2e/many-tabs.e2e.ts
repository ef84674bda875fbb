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
  for (let number = 1; number <= 7; number++) machines.push(await register(ana, `TAB-${number}`, `Drum ${number}`));
});
afterAll(() => roastery[Symbol.asyncDispose]());

/** A tab that the first one opens: they share a process of the browser, and all connections in any case. */
const openTab = async (from: Page, address: string): Promise<Page> => {
  const [tab] = await Promise.all([
    from.waitForEvent('popup'),
    from.evaluate((to) => void globalThis.open(to), address),
  ]);
  return tab;
};

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

it('the wall in seven tabs of one browser without an account: all follow their machines, and another page loads beside them', async () => {
  const [first] = machines;
  if (first === undefined) throw new Error('no machines');
  await using board = await startLiveBoard(roastery.stack, first, (seconds) => [100 + seconds, 220 - seconds / 20], 20);
  const { token } = await roastery.admin.call(createWallLink, { body: { name: 'Roasting room' } });
  await using watched = await roastery.openAs(null);
  await watched.page.goto(`/wall#token=${token}`);
  const tile = (page: Page) => page.getByTestId('wall-tile').filter({ hasText: first.display_name });
  await tile(watched.page).waitFor();
  const tabs = [watched.page];
  while (tabs.length < 7) {
    const tab = await openTab(watched.page, '/wall');
    tabs.push(tab);
    await tile(tab).waitFor();
  }
  const other = await openTab(watched.page, '/login');
  await other.getByLabel('Email').waitFor();
  const temp = async (page: Page) => Number(/\d+\.\d/.exec(await tile(page).getByTestId('wall-bean').innerText())?.[0]);
  const rises = async (tab: Page) => {
    await expect.poll(() => temp(tab)).toBeGreaterThan(120);
    const before = await temp(tab);
    await expect.poll(() => temp(tab)).toBeGreaterThan(before);
  };
  await Promise.all(tabs.map(rises));
  // Closing a tab does not affect the others.
  await watched.page.close();
  await rises(tabs.at(-1) ?? other);
  await board.end();
  expect(board.failures).toEqual([]);
});

it('live pages in seven tabs of one browser: all follow their machines, and lists load beside them', async () => {
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
  const tabs: Page[] = [];
  for (const machine of machines) {
    const address = `/machines/${machine.id}/live`;
    if (tabs.length === 0) await watched.page.goto(address);
    const tab = tabs.length === 0 ? watched.page : await openTab(watched.page, address);
    tabs.push(tab);
    await tab.getByRole('heading', { name: machine.display_name }).waitFor();
  }
  const list = await openTab(watched.page, '/roasts');
  await list.getByRole('row').nth(1).waitFor();

  const [ofOne, ofTwo] = tabs;
  if (ofOne === undefined || ofTwo === undefined) throw new Error('no tabs');
  await Promise.all([follows(ofOne, 120, 300), follows(ofTwo, 310, 600)]);

  // The same machine in another tab receives the earlier recording; closing a tab does not affect the others.
  const again = await openTab(watched.page, `/machines/${first.id}/live`);
  await follows(again, 120, 300);
  await ofOne.close();
  await Promise.all([follows(again, 120, 300), follows(ofTwo, 310, 600)]);
  await two.end();
  await expect.poll(() => ofTwo.getByTestId('cockpit-between').count()).toBe(1);
  expect([...one.failures, ...two.failures]).toEqual([]);
  expect(watched.complaints).toEqual([]);
});
