import { logRoast, type createRoastFromUpload, type uploadRoastFile } from '@roastery/contract/imports';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { getRoastCurve } from '@roastery/contract/roast-curves';
import { updateRoast, type Roast } from '@roastery/contract/roasts';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { WatchedPage } from '@roastery/testing/browser';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from '../past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from '../roastery.ts';
import { drawnOn, forgetDrawing, noteDrawing } from './drawn.ts';

// Sentences of the product document on roasts and their curves.

let roastery: TestRoastery;
let ana: RoasteryClient;
let watched: WatchedPage;
let page: Page;
/** A complete roast, one without details, and one with hardly any data. */
let whole: Roast;
let uploaded: Roast;
let bare: Roast;

const startTime = '2026-03-04T15:06:00.000Z';
/** A CSV of 400 s, a reading each 5 s, with its time in fractions of a second. */
const csvOf = (perSecond: number): string =>
  [
    'Time,BT,Event',
    'soon,20,',
    `${-5 * perSecond},21,`,
    ...Array.from({ length: 81 }, (_, k) => {
      const event = { 0: 'Charge', 78: 'Drop' }[k] ?? '';
      return `${k * 5 * perSecond},${(k < 12 ? 200 - k * 9 : 92 + (k - 12) * 1.7 + perSecond / 1000).toFixed(1)},${event}`;
    }),
  ].join('\n');

const post = async <T>(path: string, body: string, type: string): Promise<T> => {
  const headers = { 'content-type': type, cookie: ana.cookie };
  const answer = await fetch(`${roastery.stack.url}/api/v1${path}`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
};
const upload = (csv: string) =>
  post<ResponseOf<typeof uploadRoastFile>>('/roasts/uploads?file_name=roast.csv', csv, 'application/octet-stream');
const take = (id: string) =>
  post<ResponseOf<typeof createRoastFromUpload>>(
    `/roasts/uploads/${id}/roast`,
    JSON.stringify({ start_time: startTime }),
    'application/json',
  );

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  const probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  const details = { coffee_name: 'Huila', coffee_origin: 'Colombia', coffee_process: 'Washed' };
  whole = await bringPastRoast(roastery.stack, ana, probat, { details });
  uploaded = await take((await upload(csvOf(1))).id);
  const logged = { coffee_name: 'x', start_time: '2026-03-05T15:06:00.000Z', duration_seconds: 600 };
  const { id } = await ana.call(logRoast, { body: logged });
  bare = await ana.call(updateRoast, { params: { id }, body: { coffee_name: null } });
  watched = await roastery.openAs(ana);
  page = watched.page;
  await noteDrawing(page);
});
afterAll(() => roastery[Symbol.asyncDispose]());
afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

const chart = (): Locator => page.getByTestId('roast-chart');
const panel = (): Locator => page.getByRole('complementary', { name: 'Curves and markers' });
const openCurve = async (roast: Roast): Promise<void> => {
  const address = `${roastery.stack.url}/roasts/${roast.id}`;
  if (page.url() !== address) await page.goto(address);
  await chart().locator('canvas').waitFor();
  await expect.poll(async () => (await drawnOn(chart())).texts.length).toBeGreaterThan(5);
};
const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

const markerOf = (name: string): Locator =>
  panel()
    .getByRole('region', { name: 'Markers' })
    .getByRole('button', { name: new RegExp(`^${name} [-\\d]`) });
const marker = async (name: string) => plain(await markerOf(name).innerText());
const dotOf = (name: string): Promise<string> =>
  markerOf(name).evaluate((button) => getComputedStyle(button.firstElementChild ?? button).backgroundColor);
const colourOf = (token: string): Promise<string> =>
  page.evaluate((name) => {
    const sample = document.body.appendChild(document.createElement('i'));
    sample.style.background = `var(--${name})`;
    const { backgroundColor } = getComputedStyle(sample);
    sample.remove();
    return backgroundColor;
  }, token);

describe('the chart', () => {
  it('is 500 high; its time axis is mm:ss with a tick every 60 s, its temperatures begin at 0 [P47 P97 P98]', async () => {
    await openCurve(whole);
    await expect.poll(async () => (await chart().boundingBox())?.height).toBe(500);
    const { texts, line } = await drawnOn(chart());
    const minutes = Math.floor((whole.duration_seconds ?? 0) / 60);
    const ticks = Array.from({ length: minutes + 1 }, (_, minute) => `${String(minute).padStart(2, '0')}:00`);
    expect(texts.filter((text) => /^\d\d:\d\d$/.test(text))).toEqual(ticks);
    expect(texts).toEqual(expect.arrayContaining(['0', '50', '100', '150', '200', '°C']));
    expect(line).toBe('aslant');
  });

  it('has an axis of -20 to 50 °C/min on the right while Rate of Rise is on [P48 P98]', async () => {
    await openCurve(whole);
    expect((await drawnOn(chart())).texts).toEqual(expect.arrayContaining(['-20', '-10', '10', '20', '40', '°C/min']));
    await forgetDrawing(chart());
    await panel().getByRole('button', { name: 'Rate of Rise' }).click();
    await expect.poll(async () => (await drawnOn(chart())).texts).toContain('200');
    expect((await drawnOn(chart())).texts).not.toContain('-20');
    expect((await drawnOn(chart())).texts).not.toContain('°C/min');
    await panel().getByRole('button', { name: 'Rate of Rise' }).click();
  });

  it.each(['Gas, burner power %', 'Airflow, exhaust damper %', 'Drum speed, %'])(
    'is above three more, 0 to 100 in filled steps: %s [P55 P98]',
    async (name) => {
      await openCurve(whole);
      const steps = page.getByRole('figure', { name });
      await expect.poll(async () => (await drawnOn(steps)).texts).toEqual(expect.arrayContaining(['0', '50', '100']));
      const { line, filled } = await drawnOn(steps);
      expect([line, filled]).toEqual(['steps', true]);
      const [above, below] = [await chart().boundingBox(), await steps.boundingBox()];
      expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    },
  );

  it('counts its points [P47]', async () => {
    await openCurve(whole);
    const { datapoints } = await ana.call(getRoastCurve, { params: { id: whole.id } });
    const words = `${datapoints.length.toLocaleString('en-US')} points`;
    await expect.poll(() => page.getByText(words, { exact: true }).isVisible()).toBe(true);
  });
});

describe('the panel beside the chart', () => {
  it('marks Charge at 0:00 with the first bean temperature, First Crack in yellow, Drop in green [P52 P53 P54]', async () => {
    await openCurve(whole);
    const { datapoints } = await ana.call(getRoastCurve, { params: { id: whole.id } });
    await expect.poll(() => marker('Charge')).toBe(`Charge 0:00 ${datapoints[0]?.bean_temp?.toFixed(1)} °C`);
    const [green, yellow] = [await colourOf('success'), await colourOf('crack')];
    expect(await Promise.all(['Charge', 'First Crack', 'Drop'].map(dotOf))).toEqual([green, yellow, green]);
  });

  it('greys a First Crack that is not marked, and shows -- for a missing temperature [P52 P53 P54]', async () => {
    await openCurve(uploaded);
    expect(uploaded.first_crack_time).toBeNull();
    await expect.poll(() => marker('First Crack')).toBe('First Crack -- --');
    expect(await dotOf('First Crack')).toBe(await colourOf('stroke-strong'));
    expect(await dotOf('Charge')).toBe(await colourOf('success'));
    await page.goto(`/roasts/${bare.id}`);
    await expect.poll(() => marker('Charge')).toBe('Charge 0:00 --');
    expect(await marker('Drop')).toBe('Drop 10:00 --');
  });

  it('shows a check and a dot of its colour beside each curve that is on [P51]', async () => {
    await openCurve(whole);
    const curves = panel().getByRole('region', { name: 'Curves' }).getByRole('button');
    const looks = await curves.evaluateAll((buttons) =>
      buttons.map((button) => [
        button.getAttribute('aria-pressed'),
        button.querySelectorAll('circle').length,
        button.querySelectorAll('svg').length,
      ]),
    );
    expect(looks).toEqual([
      ['true', 1, 2],
      ['true', 1, 2],
      ['false', 1, 1],
      ['false', 1, 1],
      ['true', 1, 2],
    ]);
  });
});

describe('the points of a curve', () => {
  it.each([
    ['s', 1],
    ['cs', 100],
    ['ms', 1000],
  ])(
    'in %s are recognised by the last time; those without a time, or before 0, are dropped [P63 P75 P95]',
    async (unit, perSecond) => {
      const made = await upload(csvOf(perSecond));
      expect(made.time_unit).toEqual({ value: unit, source: 'guess' });
      const roast = unit === 's' ? uploaded : await take(made.id);
      const { datapoints } = await ana.call(getRoastCurve, { params: { id: roast.id } });
      expect(datapoints.map((point) => point.time_seconds)).toEqual(Array.from({ length: 79 }, (_, k) => k * 5));
      expect(Object.keys(datapoints[0] ?? {})).toEqual(
        'time_seconds bean_temp exhaust_temp burner_front_temp burner_back_temp ror heat_power fan_speed drum_speed'.split(
          ' ',
        ),
      );
    },
  );
});
