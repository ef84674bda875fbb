import { readFile } from 'node:fs/promises';
import { deviceSelf } from '@roastery/contract/devices';
import { clientIdOf, topicOf, type DeviceStatus } from '@roastery/contract/mqtt';
import { SCREEN } from '@roastery/testing/browser';
import { endpointUrl, type RoasteryClient } from '@roastery/testing/roastery-client';
import { connectAsync } from 'mqtt';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const card = (page: Page, name: string): Locator => page.getByRole('listitem').filter({ hasText: name });
const names = (page: Page): Promise<string[]> =>
  page.getByRole('main').getByRole('listitem').getByRole('heading', { level: 3 }).allInnerTexts();
const box = async (part: Locator) => {
  const found = await part.boundingBox();
  if (found === null) throw new Error('not shown');
  return found;
};
/** Between the nearest edges of two parts, px. */
const between = async (one: Locator, other: Locator): Promise<number> => {
  const [a, b] = [await box(one), await box(other)];
  const across = Math.max(a.x - b.x - b.width, b.x - a.x - a.width, 0);
  const down = Math.max(a.y - b.y - b.height, b.y - a.y - a.height, 0);
  return Math.hypot(across, down);
};
const choose = async (page: Page, field: string, choice: string): Promise<void> => {
  await page.getByRole('combobox', { name: new RegExp(`^${field}`) }).click();
  await page.getByRole('option', { name: choice }).click();
};
const downloaded = async (page: Page, button: string): Promise<{ name: string; text: string }> => {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
};
const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

describe('registering a machine', () => {
  it('is offered without machines, refuses missing fields, and shows the credentials once [P22 P25 P28 P29 P30 P31 P32 P69 P71 P74]', async () => {
    await using watched = await roastery.openAs(ana, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = watched;
    await page.goto('/machines');
    await page.getByText('No machines registered').waitFor();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('My Machines');
    await page.getByRole('button', { name: 'Register First Machine' }).click();
    const form = page.getByRole('dialog', { name: 'Register New Machine' });
    await form.getByRole('button', { name: 'Register Machine' }).click();
    await form.getByText('Serial number is required').waitFor();
    await form.getByText('Display name is required').waitFor();
    await expect.poll(() => form.getByRole('combobox', { name: /^Machine Type/ }).innerText()).toBe('RM30 (30kg)');

    await form.getByLabel('Serial Number').fill('PRB-P25-0042');
    await form.getByLabel('Display Name').fill('Probat P25');
    await choose(page, 'Machine Type', 'RM15 (15kg)');
    await expect.poll(() => form.getByLabel('Max Capacity').inputValue(), { message: 'follows the type' }).toBe('15');
    await form.getByLabel('Max Capacity').fill('0');
    await form.getByRole('button', { name: 'Register Machine' }).click();
    await form.getByText('Capacity must be at least 0.1 kg').waitFor();
    await form.getByLabel('Max Capacity').fill('12.5');
    await form.getByRole('button', { name: 'Register Machine' }).click();

    const success = page.getByRole('dialog', { name: 'Machine Registered Successfully!' });
    await success.waitFor();
    const secretOf = (label: string) =>
      success.getByText(label, { exact: true }).locator('xpath=following-sibling::dd').innerText();
    const [token, code] = await Promise.all([secretOf('Machine Token'), secretOf('Pairing Code')]);
    expect(token.length).toBeGreaterThanOrEqual(20);

    await success.getByRole('button', { name: 'Copy machine token' }).click();
    const confirmation = success.getByRole('button', { name: 'Copied' });
    await confirmation.waitFor();
    expect(await copied(page)).toBe(token);
    await confirmation.waitFor({ state: 'detached' });

    const environment = await downloaded(page, 'Download file');
    expect(environment.text.split('\n')).toEqual(
      expect.arrayContaining([
        `API_URL=${roastery.stack.apiUrl}`,
        'MACHINE_SERIAL=PRB-P25-0042',
        `MACHINE_TOKEN=${token}`,
        'FIRMWARE_VERSION=1.0.0',
      ]),
    );
    const ticket = await downloaded(page, 'Download ticket');
    expect(ticket.name).toBe(`PAIR-${code}.txt`);
    expect(ticket.text).toContain(`PAIR-${code}`);
    expect(ticket.text).toContain('PRB-P25-0042');
    expect(ticket.text, 'no token in it').not.toContain(token);
    await expect
      .poll(() => success.innerText())
      .toMatch(/Contact support by email.*with the ticket ID in the subject/s);

    const board = await fetch(endpointUrl(roastery.stack.url, deviceSelf), {
      headers: { authorization: `Bearer ${token}`, 'x-machine-serial': 'PRB-P25-0042' },
    });
    expect(board.status, 'the token lets the board in').toBe(200);

    // Escape shows a confirmation first: content that is shown once must not be lost by accident.
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Back' }).click();
    await success.getByRole('button', { name: 'Done' }).click();
    await card(page, 'Probat P25').waitFor();
    await expect
      .poll(() => card(page, 'Probat P25').innerText())
      .toMatch(/PRB-P25-0042[\s\S]*12\.5 kg[\s\S]*Never connected/);
    await page.reload();
    await card(page, 'Probat P25').waitFor();
    await expect.poll(() => page.getByRole('main').innerText()).not.toContain(token);
  });
});

describe('the machines of a roastery', () => {
  it('are counted, searched and sorted, and link to their figures [P21 P23 P24 P25 P28]', async () => {
    await register(ana, 'GIE-W6-0007', 'Giesen W6', 'RM7');
    const loring = await register(ana, 'LOR-S15-0003', 'Loring S15', 'RM15');
    await bringPastRoast(roastery.stack, ana, loring, { details: { batch_size_kg: 12 } });
    await bringPastRoast(roastery.stack, ana, loring, { seed: 2, details: { batch_size_kg: 11.5 } });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines');
    await card(page, 'Loring S15').waitFor();
    await expect
      .poll(() => names(page), { message: 'Newest First' })
      .toEqual(['Loring S15', 'Giesen W6', 'Probat P25']);
    await expect.poll(() => card(page, 'Loring S15').innerText()).toMatch(/ROASTS\s+2\s+ROASTED\s+23\.5 kg/);
    const totals = page.getByRole('main').getByRole('heading', { level: 2 }).locator('xpath=../..');
    await expect
      .poll(async () => (await totals.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')))
      .toEqual(['MACHINES 3', 'ROASTS 2', 'ROASTED 23.5kg']);

    for (const [sort, order] of [
      ['Oldest First', ['Probat P25', 'Giesen W6', 'Loring S15']],
      ['Name (A-Z)', ['Giesen W6', 'Loring S15', 'Probat P25']],
    ] as const) {
      await choose(page, 'Sort machines', sort);
      await expect.poll(() => names(page)).toEqual(order);
    }
    await choose(page, 'Sort machines', 'Most Roasts');
    await expect.poll(async () => (await names(page))[0]).toBe('Loring S15');
    const search = page.getByRole('searchbox', { name: 'Search machines' });
    await search.fill('w6-00');
    await expect.poll(() => names(page)).toEqual(['Giesen W6']);
    await expect
      .poll(() => new URL(page.url()).searchParams.get('q'), { message: 'a link to it shows the same' })
      .toBe('w6-00');
    await search.fill('no such drum');
    await page.getByText('No machines match your filters').waitFor();
  });

  it('have Delete apart from the menu, and from Pair in it, on desktop and phone', async () => {
    for (const size of ['desk', 'phone'] as const) {
      await using watched = await roastery.openAs(ana, { viewport: SCREEN[size], hasTouch: size === 'phone' });
      const { page } = watched;
      await page.goto('/machines');
      await card(page, 'Giesen W6').waitFor();
      for (const name of await names(page)) {
        const remove = page.getByRole('button', { name: `Delete ${name}` });
        const menu = page.getByRole('button', { name: `Actions for ${name}` });
        await menu.scrollIntoViewIfNeeded();
        expect(await between(remove, page.getByRole('button', { name: `Edit ${name}` }))).toBeGreaterThanOrEqual(16);
        expect(await between(remove, menu)).toBeGreaterThanOrEqual(56);
        await card(page, name).hover();
        await menu.click();
        const pair = page.getByRole('menuitem', { name: 'Pair the board' });
        await pair.waitFor();
        // The menu may open above or below the button.
        const items = await page.getByRole('menuitem').allInnerTexts();
        expect([items[0], items.at(-1)]).not.toContain('Pair the board');
        await expect.poll(() => between(remove, pair)).toBeGreaterThanOrEqual(40);
        await page.keyboard.press('Escape');
        await pair.waitFor({ state: 'detached' });
      }
    }
  });
});

describe('a machine with exchanged channels', () => {
  it('says so when its board finds them, and leads to the registers', async () => {
    const { serial_number: serial, auth_token: password } = await register(ana, 'EXC-30-0001', 'Exchanged Drum');
    const board = await connectAsync(roastery.stack.mqttUrl, {
      clientId: clientIdOf(serial),
      username: serial,
      password,
    });
    const say = async (exchanged: DeviceStatus['channels_exchanged']): Promise<void> => {
      const map = { id: 'own', rev: 1 };
      const status = { v: 1, online: true, session: 'one', t: 1_800_000_000_000, map, channels_exchanged: exchanged };
      await board.publishAsync(topicOf(serial, 'status'), JSON.stringify(status), { qos: 1, retain: true });
    };
    try {
      await using watched = await roastery.openAs(ana);
      const { page } = watched;
      await say({ roasts: 2, map: { id: 'own', rev: 1 } });
      await page.goto('/machines');
      const drum = card(page, 'Exchanged Drum');
      const notice = drum.getByText('Bean and exhaust temperature look exchanged (2 roasts agree)');
      await notice.waitFor({ timeout: 20_000 });
      await drum.getByRole('button', { name: 'Check registers of Exchanged Drum' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Exchanged Drum').first().waitFor();
      await page.keyboard.press('Escape');
      await say(null);
      await notice.waitFor({ state: 'detached', timeout: 20_000 });
      expect(watched.complaints).toEqual([]);
    } finally {
      await board.endAsync();
    }
  });
});
