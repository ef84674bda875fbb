import { logRoast } from '@roastery/contract/imports';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { SCREEN } from '@roastery/testing/browser';
import { createJournalBoard } from '@roastery/testing/journal-board';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdRequests } from './hold-requests.ts';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, tomoIto, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
});
afterAll(() => roastery[Symbol.asyncDispose]());

const coffees = [
  ['Huila Pink Bourbon', 'Colombia'],
  ['Yirgacheffe Konga', 'Ethiopia'],
  ['Fazenda Rainha', 'Brazil'],
] as const;
/** A minute before this time of day. */
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000 - 60_000);

const rows = (page: Page) => page.getByRole('table', { name: 'Roasts' }).locator('tbody').getByRole('row');
const columnTexts = async (page: Page, label: string): Promise<string[]> => {
  const heads = await page.getByRole('table', { name: 'Roasts' }).getByRole('columnheader').allInnerTexts();
  const at = heads.findIndex((head) => head.trim().toLowerCase() === label.toLowerCase());
  return rows(page)
    .locator(`td:nth-child(${at + 1})`)
    .allInnerTexts();
};

describe('with roasts', () => {
  let newest: Roast;
  beforeAll(async () => {
    const [[coffee_name, coffee_origin]] = coffees;
    newest = await bringPastRoast(roastery.stack, ana, probat, {
      charged: daysAgo(0),
      details: { coffee_name, coffee_origin, batch_size_kg: 10 },
    });
    for (let n = 1; n < 27; n++) {
      const [name, origin] = coffees[n % coffees.length] ?? coffees[0];
      const facts = { coffee_name: name, coffee_origin: origin, batch_size_kg: 10 + n / 2, duration_seconds: 600 };
      await ana.call(logRoast, {
        body: { ...facts, machine_id: probat.id, start_time: daysAgo(n).toISOString() },
      });
    }
    const tomo = await roastery.addPerson(tomoIto);
    const start_time = daysAgo(1).toISOString();
    await tomo.call(logRoast, { body: { coffee_name: 'Secret of Tomo', start_time, duration_seconds: 600 } });
  });

  it('the list searches, sorts and pages on the server and keeps its state in the address [P36 P41 P88]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts');
    await page.getByRole('searchbox', { name: 'Search roasts' }).fill('konga');
    await expect.poll(async () => new Set(await columnTexts(page, 'Coffee'))).toEqual(new Set(['Yirgacheffe Konga']));
    await expect.poll(() => rows(page).count()).toBe(9);
    await page.getByRole('button', { name: 'Batch (kg)' }).click();
    const batches = async () => (await columnTexts(page, 'Batch (kg)')).map(Number);
    await expect.poll(batches).toEqual((await batches()).toSorted((a, b) => a - b));
    await page.getByRole('button', { name: 'Batch (kg)' }).click();
    await expect.poll(async () => (await batches())[0]).toBeGreaterThan(20);
    await expect.poll(() => new URL(page.url()).search).toBe('?q=konga&sort=-batch_size_kg');
    await page.reload();
    await expect.poll(async () => (await batches()).length).toBe(9);

    await page.goto('/roasts');
    await page.getByRole('combobox', { name: /^Rows per page/ }).click();
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['25', '50', '100']);
    await page.getByRole('option', { name: '25' }).click();
    await page.getByText('1–25 of 27').waitFor();
    await expect.poll(() => rows(page).count()).toBe(25);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('26–27 of 27').waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    await expect.poll(() => page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true);
    await page.getByRole('searchbox', { name: 'Search roasts' }).fill('zzz');
    await page.getByText('No roasts match your search').waitFor();
  });

  it('the list keeps its rows and its height while the next page loads, and shows that it loads', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts?rows=25');
    await expect.poll(() => rows(page).count()).toBe(25);
    const heightOf = () => page.getByRole('table', { name: 'Roasts' }).evaluate((table) => table.clientHeight);
    const before = await heightOf();
    const release = await holdRequests(page, '**/api/v1/roasts?*offset=25*');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('status').getByText('Loading the list').waitFor();
    expect([await rows(page).count(), await heightOf()]).toEqual([25, before]);
    release();
    await expect.poll(() => rows(page).count()).toBe(2);
    await expect.poll(() => page.getByText('Loading the list').count()).toBe(0);
  });

  it('a star is stored for each user [P40]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts');
    const star = rows(page)
      .nth(2)
      .getByRole('button', { name: /favorites$/ });
    // The star changes before the server has stored it; a reload would abort the request.
    const stored = page.waitForResponse((response) => response.request().method() !== 'GET' && response.ok());
    await star.click();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    await stored;
    await page.reload();
    await star.waitFor();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');

    // A second tap before the first is stored counts as well.
    const asked: Route[] = [];
    await page.route('**/favorite', (route) => void asked.push(route));
    await star.click();
    await expect.poll(() => asked.length).toBe(1);
    await star.click();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    await asked[0]?.continue();
    await expect.poll(() => asked.length).toBe(2);
    expect(asked.map((route) => route.request().postDataJSON())).toEqual([
      { is_favorite: false },
      { is_favorite: true },
    ]);
    await asked[1]?.continue();

    await using administrator = await roastery.openAs(roastery.admin);
    await administrator.page.goto('/roasts?q=Rainha');
    await rows(administrator.page).first().getByRole('link').waitFor();
    const theirs = administrator.page.getByRole('button', { name: /favorites$/ });
    await expect
      .poll(() => theirs.evaluateAll((found) => found.map((one) => one.getAttribute('aria-pressed'))))
      .not.toContain('true');
  });

  it('a click anywhere on a row opens the roast, and on a phone each roast is a card [P39]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/roasts');
    await rows(page).first().getByRole('link').waitFor();
    await rows(page)
      .first()
      .click({ position: { x: 500, y: 20 } });
    await page.waitForURL(`**/roasts/${newest.id}`);

    await using phone = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true });
    await phone.page.goto('/roasts?rows=25');
    const cards = phone.page.getByRole('list', { name: 'Roasts' }).getByRole('listitem');
    await cards.first().getByRole('link').waitFor();
    await expect
      .poll(() => cards.first().innerText())
      .toMatch(/^(?:Select .*\s+)?Huila Pink Bourbon\s+\d+\s+[\d.]+ kg\s+\d\d\/\d\d\/\d{4} - \d\d:\d\d [AP]M\s*·\s*\S/);
    const heights = await cards.evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    expect([Math.min(...heights) >= 64, Math.max(...heights) <= 88]).toEqual([true, true]);
    // The menu has the wide table's actions, by touch and by keyboard.
    const opener = cards.first().getByRole('button', { name: /^Actions for roast/ });
    const items = phone.page.getByRole('menuitem');
    await opener.focus();
    await phone.page.keyboard.press('Enter');
    await expect.poll(() => items.allInnerTexts()).toEqual(['Compare', 'Add to favorites', 'Delete']);
    const checkbox = cards.first().locator('label');
    for (const target of [opener, checkbox, ...(await items.all())]) {
      const { width = 0, height = 0 } = (await target.boundingBox()) ?? {};
      expect(Math.round(Math.min(width, height)), await target.innerText()).toBeGreaterThanOrEqual(44);
    }
    const isHighlighted = (nth: number) => async () => (await items.nth(nth).getAttribute('data-highlighted')) !== null;
    await expect.poll(isHighlighted(0)).toBe(true);
    await phone.page.keyboard.press('ArrowDown');
    await expect.poll(isHighlighted(1)).toBe(true);
    await phone.page.keyboard.press('Enter');
    await items.first().waitFor({ state: 'detached' });
    await opener.click();
    await items.filter({ hasText: 'Remove from favorites' }).click();
    await opener.click();
    await items.filter({ hasText: 'Add to favorites' }).waitFor();
    await phone.page.keyboard.press('Escape');
    await cards.first().click({ position: { x: 180, y: 50 } });
    await phone.page.waitForURL(`**/roasts/${newest.id}`);
    // Inventory is in the bar, not behind More.
    await phone.page.getByRole('navigation', { name: 'Quick' }).getByRole('link', { name: 'Inventory' }).tap();
    await phone.page.waitForURL('**/inventory');
  });
});

it('a roast without its charge has a provisional number in list, page and cockpit, then its own', async () => {
  const machine = await register(ana, 'GIE-W6-0007', 'Giesen W6', 'RM7');
  const { serial_number: serial, auth_token: token } = machine;
  const board = createJournalBoard({ wallOffsetMs: Date.now() - 60_000 });
  const roastId = crypto.randomUUID();
  const chargeSeq = board.sample(0, 205, 220, 60);
  board.event(500, { type: 'roast', roast_id: roastId, state: 'in_progress' });
  await shipJournal(roastery.stack.mqttUrl, { serial, token }, board.batches());
  const sent = board.length;

  await using list = await roastery.openAs(ana);
  await list.page.goto('/roasts');
  const row = rows(list.page).filter({ hasText: 'Giesen W6' });
  await row.getByText('provisional', { exact: true }).waitFor();
  await using roast = await roastery.openAs(ana);
  await roast.page.goto(`/roasts/${roastId}`);
  await using cockpit = await roastery.openAs(ana);
  await cockpit.page.goto(`/machines/${machine.id}/live`);
  const provisional = `Batch #${roastId.slice(0, 8)} (provisional)`;
  for (const { page } of [roast, cockpit]) await page.getByText(provisional).first().waitFor();

  board.event(1000, {
    type: 'mark',
    roast_id: roastId,
    kind: 'charge',
    at_seq: chargeSeq,
    at_mono: 0,
    temp: 205,
    origin: 'machine',
    confidence: 1,
    provisional: false,
  });
  await shipJournal(roastery.stack.mqttUrl, { serial, token }, board.batches(undefined, sent));
  const numberOf = async () => (await ana.call(getRoast, { params: { id: roastId } })).batch_number;
  await expect.poll(numberOf).toMatch(/^\d+$/);
  const own = `Batch ${await numberOf()}`;
  for (const { page } of [roast, cockpit]) {
    await page.getByText(own).first().waitFor();
    await expect.poll(() => page.getByText('provisional').count()).toBe(0);
  }
  await list.page.reload();
  await row.first().waitFor();
  await expect.poll(() => row.getByText('provisional', { exact: true }).count()).toBe(0);
});
