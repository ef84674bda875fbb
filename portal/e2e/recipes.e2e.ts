import type { BodyOf } from '@roastery/contract/endpoint';
import { createProfile, getProfile, type Profile } from '@roastery/contract/profiles';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
});
afterAll(() => roastery[Symbol.asyncDispose]());

const defaultPoints = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 720, burner: 0, exhaust: 90, drum: 30 },
];
const write = (name: string, more: Partial<BodyOf<typeof createProfile>> = {}): Promise<Profile> =>
  ana.call(createProfile, { body: { name, control_profile: defaultPoints, ...more } });
const card = (page: Page, name: string): Locator => page.getByRole('article', { name, exact: true });
const statCard = (page: Page, label: string): Locator =>
  page.getByRole('heading', { name: label, exact: true }).locator('xpath=../..').getByRole('paragraph');
const handle = (page: Page, name: string): Locator => page.getByRole('slider', { name, exact: true });
const point = (page: Page, field: string): Promise<string> => page.getByLabel(`${field} of point 2`).inputValue();
const middleOf = async (locator: Locator) => {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  if (!box) throw new Error('not on the screen');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

describe('recipes', () => {
  it('are cloned and deleted from their card, by mouse and by touch [P116 P196]', async () => {
    await write('House');
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/recipes');
    await card(page, 'House').hover();
    await card(page, 'House').getByRole('button', { name: 'Clone House' }).click();
    await page.getByText('Recipe cloned successfully!').waitFor();
    await card(page, 'House (Copy)').waitFor();

    await using phone = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
    await phone.page.goto('/recipes');
    const remove = card(phone.page, 'House (Copy)').getByRole('button', { name: 'Delete House (Copy)' });
    const opacity = await remove.evaluate((button) => getComputedStyle(button.parentElement ?? button).opacity);
    expect(opacity, 'shown where nothing can hover').toBe('1');
    await remove.tap();
    const dialog = phone.page.getByRole('alertdialog');
    await dialog.getByText('Delete recipe "House (Copy)"?').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).tap();
    await card(phone.page, 'House (Copy)').waitFor({ state: 'detached' });
    expect([...watched.complaints, ...phone.complaints]).toEqual([]);
  });

  it('have points that are dragged by mouse and finger, moved by keys, and inserted by double-click', async () => {
    const { id } = await write('Pulled', {
      auto_interpolate: true,
      control_profile: [
        ...defaultPoints.slice(0, 1),
        { time: 360, burner: 50, exhaust: 60, drum: 45 },
        ...defaultPoints.slice(1),
      ],
    });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/recipes/${id}`);
    const from = await middleOf(handle(page, 'Burner at 6:00'));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 2, from.y - 27, { steps: 6 });
    await page.mouse.up();
    // 108 px are 100 %: up by 27 px is 25 % more; a movement of 2 px does not change the time.
    await expect.poll(() => point(page, 'Burner')).toBe('75');
    await expect.poll(() => point(page, 'Time')).toBe('6:00');

    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => point(page, 'Time')).toBe('6:11');
    await expect.poll(() => point(page, 'Burner')).toBe('74');
    // A value stops at its limit, a point before its neighbour.
    for (let press = 0; press < 4; press += 1) await handle(page, 'Drum at 6:11').press('Shift+ArrowUp');
    await handle(page, 'Drum at 6:11').press('Shift+ArrowUp');
    await expect.poll(() => point(page, 'Drum')).toBe('85');
    await page.getByLabel('Time of point 2').fill('11:59');
    await handle(page, 'Exhaust at 11:59').press('Shift+ArrowRight');
    await expect.poll(() => point(page, 'Time')).toBe('11:59');

    const lane = page.getByRole('figure', { name: 'Burner over time' }).locator('svg');
    const box = await lane.boundingBox();
    await lane.dblclick({ position: { x: (box?.width ?? 0) / 4, y: 40 } });
    await expect.poll(() => page.getByRole('table', { name: 'Control points' }).getByRole('row').count()).toBe(5);
    await page.keyboard.press('Tab');

    await using phone = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
    await phone.page.goto(`/recipes/${id}`);
    const start = await middleOf(handle(phone.page, 'Exhaust at 6:00'));
    const touch = await phone.page.context().newCDPSession(phone.page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: start.x, y }] });
    const scrolled = await phone.page.evaluate(() => scrollY);
    await send('touchStart', start.y);
    for (const dy of [6, 12, 18, 22]) await send('touchMove', start.y - dy);
    await send('touchEnd');
    await expect.poll(() => point(phone.page, 'Exhaust')).toBe('80');
    await expect
      .poll(() => phone.page.evaluate(() => scrollY), { message: 'the page must not scroll under the finger' })
      .toBe(scrolled);

    await phone.page.getByRole('button', { name: 'Update Recipe' }).tap();
    await phone.page.getByText('Recipe saved successfully!').waitFor();
    const saved = await ana.call(getProfile, { params: { id } });
    expect(saved.control_profile[1]).toEqual({ time: 360, burner: 50, exhaust: 80, drum: 45 });
    expect([...watched.complaints, ...phone.complaints]).toEqual([]);
  });

  it('are previewed with their best past roast behind them, and load the chart only then [P112 P120]', async () => {
    const { id } = await write('Previewed', { auto_interpolate: true });
    const machine = await register(ana, 'RM15-PRE', 'Small Drum', 'RM15');
    const roast = await bringPastRoast(roastery.stack, ana, machine, {
      details: { profile_id: id, cupping_score: 88, coffee_name: 'Konga' },
    });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    const charts: string[] = [];
    page.on('response', async (response) => {
      if (!response.url().endsWith('.js')) return;
      if (/registerScale|chartjs|_chartjs/i.test(await response.text())) charts.push(response.url());
    });
    await page.goto('/recipes');
    await card(page, 'Previewed').getByText('Used 1×').waitFor();
    await expect.poll(() => statCard(page, 'Most Used').innerText()).toMatch(/^1\s*×$/);
    await visit(page, `/recipes/${id}`);
    await page.getByRole('button', { name: 'Preview Curve' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(charts).toEqual([]);
    await page.getByRole('button', { name: 'Preview Curve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Preview Curve' });
    await dialog.getByRole('link', { name: roast.said_number }).waitFor();
    await dialog.getByText('721 points').waitFor();
    const chart = dialog.getByTestId('profile-chart');
    const box = await chart.boundingBox();
    await chart.hover({ position: { x: (box?.width ?? 0) / 2, y: 100 } });
    const cells = (row: string) => dialog.getByRole('row', { name: row }).getByRole('cell').allInnerTexts();
    await expect.poll(async () => Number((await cells('Recipe'))[0])).toBeGreaterThan(20);
    const [burner = '', exhaust = '', drum = ''] = await cells('Recipe');
    // From 100 to 0 % while the exhaust goes from 30 to 90 %: both on their straight lines.
    expect(Math.abs(Number(burner) + (Number(exhaust) - 30) / 0.6 - 100)).toBeLessThan(2);
    expect(Number(drum)).toBeGreaterThan(30);
    await expect
      .poll(async () => Number((await cells('Highest-scoring roast')).at(-1)), {
        message: 'bean temperature in mid-roast',
      })
      .toBeGreaterThan(120);
    expect(charts.length).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(watched.complaints).toEqual([]);
  });

  it('of 1,800 points can be paged, edited and saved, with few points on the page at once', async () => {
    const points = Array.from({ length: 1800 }, (_, time) => ({
      time,
      burner: 100 - Math.floor(time / 18),
      exhaust: 30 + Math.floor(time / 30),
      drum: 60,
    }));
    const recipe = await write('Second by second', { control_profile: points });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/recipes/${recipe.id}`);
    await page.getByText('Points 1–100 of 1,800').waitFor();
    await page.getByRole('button', { name: 'Later points' }).click();
    await page.getByText('Points 101–200 of 1,800').waitFor();
    const figures = page.getByRole('table', { name: 'Control points' }).getByRole('textbox');
    await expect.poll(() => figures.count()).toBe(400);
    await expect.poll(() => page.getByRole('slider').count()).toBeLessThan(220);
    await page.getByLabel('Burner of point 150').fill('33');
    // The table follows the point selected in a curve.
    await handle(page, 'Drum at 29:59').focus();
    await page.getByText('Points 1,701–1,800 of 1,800').waitFor();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.getByLabel('Drum of point 1800').inputValue()).toBe('61');
    await page.getByRole('button', { name: 'Update Recipe' }).click();
    await page.waitForURL('**/recipes');
    const saved = await ana.call(getProfile, { params: { id: recipe.id } });
    const changed = points.map((one, at) => ({
      ...one,
      ...(at === 149 ? { burner: 33 } : {}),
      ...(at === 1799 ? { drum: 61 } : {}),
    }));
    expect(saved.control_profile).toEqual(changed);
    expect(watched.complaints).toEqual([]);
  });
});
