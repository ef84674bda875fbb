import type { BodyOf } from '@roastery/contract/endpoint';
import { createLot } from '@roastery/contract/inventory';
import { createProfile, getProfile, listProfiles, updateProfile, type Profile } from '@roastery/contract/profiles';
import { seriousAccessibilityFindings } from '@roastery/testing/accessibility';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
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
  it('are empty at first, and a new one has the document’s defaults', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/recipes');
    await page.getByText('No recipes found').waitFor();
    await page.getByRole('link', { name: 'Create Recipe' }).click();
    await page.waitForURL('**/recipes/new');
    await expect.poll(() => page.getByLabel('Drop temp').inputValue()).toBe('210');
    await expect.poll(() => page.getByLabel('Roast time').inputValue()).toBe('12:00');
    await expect.poll(() => page.getByLabel('Development time').inputValue()).toBe('2:30');
    await expect.poll(() => page.getByLabel('Min batch size').inputValue()).toBe('10');
    await expect.poll(() => page.getByLabel('Max batch size').inputValue()).toBe('15');
    await expect.poll(() => page.getByRole('combobox', { name: 'Roast level' }).innerText()).toBe('Medium');
    await expect.poll(() => page.getByRole('checkbox', { name: /^Auto-deduct/ }).isChecked()).toBe(true);
    const alert = page.getByRole('checkbox', { name: /20 kg/ });
    await expect.poll(() => alert.isChecked()).toBe(false);
    const figures = await page.getByRole('table', { name: 'Control points' }).getByRole('textbox').all();
    await expect
      .poll(async () => (await Promise.all(figures.map((figure) => figure.inputValue()))).join(' '))
      .toBe('0:00 100 30 60 12:00 0 90 30');
    await page.getByText('721 points').waitFor();
    expect(watched.complaints).toEqual([]);
  });

  it('are refused with the document’s messages until they are valid, then saved', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/recipes/new');
    await page.getByLabel('Drop temp').fill('0');
    await page.getByLabel('Roast time').fill('0:00');
    await page.getByLabel('Burner of point 1').fill('101');
    await page.getByLabel('Exhaust of point 1').fill('29');
    await page.getByLabel('Drum of point 2').fill('86');
    await page.getByRole('button', { name: 'Save Recipe' }).click();
    await page.getByRole('alert').getByText('Please fix validation errors before saving').waitFor();
    for (const message of [
      'Recipe name is required',
      'Drop temp must be greater than 0',
      'Roast time must be greater than 0',
      'Burner: 0-100% · Exhaust: 30-90%',
      'Drum: 30-85 RPM',
    ]) {
      await expect.poll(() => page.getByText(message, { exact: true }).isVisible(), { message }).toBe(true);
    }
    await page.getByRole('button', { name: /^Delete point 2/ }).click();
    await page.getByText('At least 2 control points are required').waitFor();
    await page.getByRole('button', { name: 'Add Control Point' }).click();
    const lastRow = page.getByRole('table', { name: 'Control points' }).getByRole('row').last();
    const added = await lastRow.getByRole('textbox').all();
    await expect
      .poll(() => Promise.all(added.map((figure) => figure.inputValue())))
      .toEqual(['1:00', '50', '60', '60']);

    await page.getByLabel('Recipe name').fill('Konga Filter');
    await page.getByLabel('Description').fill('Bright and floral');
    await page.getByLabel('Drop temp').fill('204.5');
    await page.getByLabel('Roast time').fill('10:30');
    await page.getByLabel('Burner of point 1').fill('80');
    await page.getByLabel('Exhaust of point 1').fill('35');
    await page.getByLabel('Time of point 2').fill('10:30');
    await page.getByText('631 points').waitFor();
    await page.getByRole('button', { name: 'Save Recipe' }).click();
    await page.getByText('Recipe saved successfully!').waitFor();
    await page.waitForURL('**/recipes');
    const { profiles } = await ana.call(listProfiles, {});
    expect(profiles).toMatchObject([
      {
        name: 'Konga Filter',
        target_drop_temp: 204.5,
        target_roast_time: 630,
        target_development_time: 150,
        auto_interpolate: true,
        control_profile: [
          { time: 0, burner: 80, exhaust: 35, drum: 60 },
          { time: 630, burner: 50, exhaust: 60, drum: 60 },
        ],
      },
    ]);
    expect(watched.complaints).toEqual([]);
  });

  it('are found by words, origin, level and star; cards show their main figures', async () => {
    const lot = await ana.call(createLot, {
      body: { lot_number: 'CO-26-11', coffee_name: 'El Paraíso', origin: 'Colombia', initial_weight: 61.5 },
    });
    await write('Lychee', {
      description: 'for the filter bar',
      coffee_origin: 'Colombia',
      coffee_variety: 'Castillo',
      roast_level: 'Medium-Light',
      target_drop_temp: 206,
      target_roast_time: 585,
      green_coffee_lot_id: lot.id,
    });
    await write('Gayo Dark', { coffee_origin: 'Indonesia', roast_level: 'Dark' });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/recipes');
    await card(page, 'Lychee').waitFor();
    await expect
      .poll(() => page.getByRole('list', { name: 'Recipes' }).getByRole('listitem').first().innerText())
      .toBe('Create Recipe');
    // A card that the browser has not drawn yet has no visible text: only visible cards are drawn.
    for (const part of [
      'Medium-Light',
      'for the filter bar',
      '206.0 °C',
      '9.8 min',
      'Colombia',
      'Castillo',
      'CO-26-11 61.5 kg',
      'Used 0×',
    ]) {
      await expect.poll(async () => (await card(page, 'Lychee').innerText()).replaceAll(/\s+/g, ' ')).toContain(part);
    }
    const names = () => page.getByRole('article').getByRole('heading').allInnerTexts();
    await page.getByRole('searchbox', { name: 'Search recipes' }).fill('FILTER');
    await card(page, 'Gayo Dark').waitFor({ state: 'detached' });
    await expect.poll(names).toEqual(['Konga Filter', 'Lychee']);
    await page.getByRole('combobox', { name: 'Level' }).click();
    await page.getByRole('option', { name: 'Medium' }).click();
    await page.getByRole('combobox', { name: 'Origin' }).click();
    await page.getByRole('option', { name: 'Colombia' }).click();
    await page.waitForURL(/q=FILTER/);
    await card(page, 'Konga Filter').waitFor({ state: 'detached' });
    await expect.poll(names).toEqual(['Lychee']);

    await card(page, 'Lychee').getByRole('button', { name: 'Add Lychee to favorites' }).click();
    await card(page, 'Lychee').getByRole('button', { name: 'Remove Lychee from favorites' }).waitFor();
    await page.getByRole('button', { name: 'Reset filters' }).click();
    await page.getByRole('checkbox', { name: 'Favorites only' }).click();
    await page.waitForURL(/favorites=1/);
    await card(page, 'Gayo Dark').waitFor({ state: 'detached' });
    await expect.poll(names).toEqual(['Lychee']);
    await expect.poll(() => statCard(page, 'Total Recipes').innerText()).toBe('3');
    await expect.poll(() => statCard(page, 'Favorites').innerText()).toBe('1');
    await expect.poll(() => statCard(page, 'Most Used').innerText()).toMatch(/^0/);
    // Each user has their own stars.
    await using colleague = await roastery.openAs(roastery.admin);
    await colleague.page.goto('/recipes');
    await card(colleague.page, 'Lychee').getByRole('button', { name: 'Add Lychee to favorites' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search recipes' }).fill('zzz');
    await page.getByText('No recipes found').waitFor();
    expect([...watched.complaints, ...colleague.complaints]).toEqual([]);
  });

  it('are cloned and deleted from their card, by mouse and by touch', async () => {
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

  it('show how many batches their lot suffices for, and warn when it is too small for one', async () => {
    await ana.call(createLot, {
      body: { lot_number: 'KE-26-05', coffee_name: 'Kiambu AA', origin: 'Kenya', variety: 'SL28', initial_weight: 47 },
    });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/recipes/new');
    await page.getByRole('combobox', { name: 'Green coffee lot' }).fill('KE-26');
    await page.getByRole('option', { name: /KE-26-05/ }).click();
    const estimate = page.getByText('Estimated roasts').locator('xpath=following-sibling::dd');
    await page.getByText('Estimated roasts').waitFor();
    await expect.poll(() => estimate.innerText(), { message: 'three batches of 15 kg in 47 kg' }).toBe('3');
    await expect.poll(() => page.getByRole('combobox', { name: 'Origin' }).inputValue()).toBe('Kenya');
    await expect.poll(() => page.getByRole('combobox', { name: 'Variety' }).inputValue()).toBe('SL28');
    await expect.poll(() => page.getByText('Insufficient Inventory').count()).toBe(0);
    await page.getByLabel('Max batch size').fill('47.5');
    await page.getByText('Insufficient Inventory').waitFor();
    await expect.poll(() => estimate.innerText()).toBe('0');
    // Leaving shows a confirmation first.
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL('**/recipes');
    expect(watched.complaints).toEqual([]);
  });

  it('are previewed with their best past roast behind them, and load the chart only then', async () => {
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
    await page.goto(`/recipes/${id}`);
    await page.getByRole('button', { name: 'Preview Curve' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(charts).toEqual([]);
    await page.getByRole('button', { name: 'Preview Curve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Preview Curve' });
    await dialog.getByRole('link', { name: roast.roast_number }).waitFor();
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
    expect(await seriousAccessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(watched.complaints).toEqual([]);
  });

  it('show the second of two users the changes of the first', async () => {
    const recipe = await write('Shared', { description: 'first' });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto(`/recipes/${recipe.id}`);
    await page.getByLabel('Description').fill('mine');
    await page.getByLabel('Burner of point 1').fill('70');
    const theirs = { name: 'Shared', description: 'theirs', target_drop_temp: 199, control_profile: defaultPoints };
    await roastery.admin.call(updateProfile, {
      params: { id: recipe.id },
      body: { ...theirs, revision: recipe.revision },
    });
    await page.getByRole('button', { name: 'Update Recipe' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Another user changed this recipe' });
    await alert.waitFor();
    await expect.poll(() => alert.innerText()).toContain('They changed: Drop temp.');
    await expect
      .poll(async () => (await alert.getByRole('row').allInnerTexts()).at(-1))
      .toMatch(/Description\s+theirs\s+mine/);
    await alert.getByRole('button', { name: 'Discard mine, show theirs' }).click();
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('theirs');
    await expect.poll(() => page.getByLabel('Drop temp').inputValue()).toBe('199');
    await expect.poll(() => page.getByLabel('Burner of point 1').inputValue()).toBe('100');
    expect(await ana.call(getProfile, { params: { id: recipe.id } })).toMatchObject({ description: 'theirs' });
  });

  it('return to the list from a missing one', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/recipes/00000000-0000-7000-8000-000000000000');
    await page.getByText('Failed to load recipe data').waitFor();
    await page.waitForURL('**/recipes');
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Recipes');
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
