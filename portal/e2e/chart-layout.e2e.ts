import { updatePreferences } from '@roastery/contract/auth';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { createProfile } from '@roastery/contract/profiles';
import type { Roast } from '@roastery/contract/roasts';
import { SCREEN } from '@roastery/testing/browser';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepLayouts, layoutOf, pixelOf, touching } from './label-boxes.ts';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let slow: Roast;
let usual: Roast;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const profile = await ana.call(createProfile, {
    body: {
      name: 'Huila filter',
      target_drop_temp: 209,
      control_profile: [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ],
    },
  });
  usual = await bringPastRoast(roastery.stack, ana, probat, {
    seed: 5,
    tailSeconds: 120,
    details: { profile_id: profile.id },
  });
  slow = await bringPastRoast(roastery.stack, ana, probat, {
    seed: 9,
    tailSeconds: 120,
    plan: { chargeTempC: 185, rateAt100C: 9.6, rateAt205C: 2.6, firstHeatPercent: 40 },
    charged: new Date(Date.parse(usual.start_time) - 86_400_000),
    // The reference of the other.
    details: { profile_id: profile.id, cupping_score: 88 },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const chart = (page: Page): Locator => page.getByTestId('roast-chart');
const canvas = (page: Page): Locator => chart(page).locator('canvas');
const labelsOf = async (page: Page) => (await layoutOf(canvas(page))).labels;
const openRoast = async (page: Page, { id }: Roast, query = ''): Promise<void> => {
  await page.goto(`/roasts/${id}${query}`);
  await expect.poll(() => labelsOf(page)).not.toEqual([]);
};
/** Nearer than a letter's width, two labels read as one word, px. */
const apart = 8;

describe('the layout of a roast’s charts', () => {
  it('has no two labels that touch, on any screen, for a usual and a very slow roast, in °C and °F', async () => {
    expect(slow.duration_seconds).toBeGreaterThan(20 * 60);
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await keepLayouts(page);
    for (const temperature_unit of ['C', 'F'] as const) {
      await ana.call(updatePreferences, { body: { temperature_unit } });
      for (const roast of [usual, slow]) {
        await openRoast(page, roast);
        for (const width of [1440, 1180, 820, 390]) {
          await page.setViewportSize({ width, height: 900 });
          const isDrawn = async () => {
            const end = Math.max(...(await labelsOf(page)).map(({ right }) => right));
            return end > width / 2 && end <= width;
          };
          await expect.poll(isDrawn).toBe(true);
          const about = { message: `${width} px, ${temperature_unit}, ${roast.duration_seconds} s` };
          await expect.poll(async () => touching(await labelsOf(page), apart), about).toEqual([]);
        }
      }
    }
    await ana.call(updatePreferences, { body: { temperature_unit: 'C' } });
    expect(watched.complaints).toEqual([]);
  });

  it('ends its bands and areas at the drop, also where the recording and the reference go on', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await keepLayouts(page);
    await openRoast(page, usual, '?markers=correct');
    await page.getByText(/^Reference: /).waitFor();
    const drop = usual.marks.find(({ kind }) => kind === 'drop')?.time_seconds ?? Number.NaN;
    const beyondDrop = async () => {
      const { labels, fills } = await layoutOf(canvas(page));
      const areas = fills.filter(({ left, right }) => right - left > 20).map(({ right }) => right);
      return { areas: areas.length, pixels: Math.round(Math.max(...areas) - pixelOf(labels, drop)) };
    };
    // Three phases, and the deviation above and below the reference.
    await expect.poll(beyondDrop).toEqual({ areas: 5, pixels: expect.closeTo(0, -0.5) });
    // Markers are corrected without them.
    await openRoast(page, usual);
    for (const output of ['Gas', 'Airflow', 'Drum speed']) {
      const steps = page.getByRole('figure', { name: new RegExp(`^${output}, `) }).locator('canvas');
      // Its axis is that of the chart above, and has no labels of its own.
      const pastDrop = async () => {
        const ends = (await layoutOf(steps)).fills.map(({ right }) => right);
        return Math.round(Math.max(...ends) - pixelOf(await labelsOf(page), drop));
      };
      await expect.poll(pastDrop, { message: output }).toEqual(expect.closeTo(0, -0.5));
    }
    expect(watched.complaints).toEqual([]);
  });
});

it('two fingers on a phone zoom a roast’s chart and pan it, without scrolling the page', async () => {
  await using phone = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
  const { page } = phone;
  await keepLayouts(page);
  await openRoast(page, usual);
  const touch = await page.context().newCDPSession(page);
  await chart(page).scrollIntoViewIfNeeded();
  const box = await chart(page).boundingBox();
  if (!box) throw new Error('no chart');
  const y = Math.round(box.y + box.height / 2);
  const middle = Math.round(box.x + box.width / 2);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: number[]) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: xs.map((x, id) => ({ x: middle + x, y: y - (type === 'touchMove' ? 60 : 0), id })),
    });
  const top = await page.evaluate(() => scrollY);
  const pixelsOf = async (seconds: number) => {
    const labels = await labelsOf(page);
    return pixelOf(labels, seconds + 60) - pixelOf(labels, seconds);
  };
  const wide = await pixelsOf(300);
  await send('touchStart', -30, 30);
  for (let step = 1; step <= 6; step++) await send('touchMove', -30 - step * 5, 30 + step * 5);
  await send('touchEnd');
  await expect.poll(async () => Math.abs((await pixelsOf(300)) / wide - 2)).toBeLessThan(0.1);
  await page.getByRole('button', { name: 'Show all' }).waitFor();

  const before = pixelOf(await labelsOf(page), 300);
  await send('touchStart', -30, 30);
  for (let step = 1; step <= 6; step++) await send('touchMove', -30 + step * 5, 30 + step * 5);
  await send('touchEnd');
  await expect.poll(async () => Math.abs(pixelOf(await labelsOf(page), 300) - before - 30)).toBeLessThan(2);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(top);
  expect(phone.complaints).toEqual([]);
});
