import { forecastBasisOf } from '@roastery/contract/learnt-forecast';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { getForecastBasis } from '@roastery/contract/roast-forecasts';
import { createForecaster } from '@roastery/roasting/forecast/curve-forecast';
import { roastMoment } from '@roastery/roasting/forecast/roast-moment';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLiveBoard } from './live-board.ts';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  for (const days of [1, 2, 3, 4, 5, 6]) {
    const charged = new Date(Date.now() - days * 86_400_000);
    await bringPastRoast(roastery.stack, ana, probat, { charged, seed: days });
  }
});
afterAll(() => roastery[Symbol.asyncDispose]());

type Point = readonly [x: number, y: number];
interface Frame {
  /** Filled outlines. */
  readonly outlines: Point[][];
  /** Middles of the circles of the marks. */
  readonly marks: Point[];
}

/** Lets a page record the content of the newest frame of each canvas. */
const noteFrames = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const frames = new WeakMap<object, { outlines: Point[][]; marks: Point[]; path: Point[] }>();
    const { prototype } = CanvasRenderingContext2D;
    const frameOf = ({ canvas }: CanvasRenderingContext2D) => {
      const known = frames.get(canvas) ?? { outlines: [], marks: [], path: [] };
      frames.set(canvas, known);
      return known;
    };
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- all of this is sent to the page as one text
    const watch = (name: keyof typeof prototype, see: (on: CanvasRenderingContext2D, given: number[]) => void) => {
      const original = Reflect.get(prototype, name) as (...given: number[]) => unknown;
      const seen = function seen(this: CanvasRenderingContext2D, ...given: number[]) {
        see(this, given);
        return Reflect.apply(original, this, given);
      };
      Reflect.set(prototype, name, seen);
    };
    watch('clearRect', ({ canvas }) => frames.set(canvas, { outlines: [], marks: [], path: [] }));
    watch('beginPath', (on) => {
      frameOf(on).path = [];
    });
    watch('lineTo', (on, [x = 0, y = 0]) => frameOf(on).path.push([x, y]));
    watch('fill', (on) => {
      const { path, outlines } = frameOf(on);
      if (path.length > 4) outlines.push(path);
    });
    watch('arc', (on, [x = 0, y = 0, radius]) => {
      if (radius === 4) frameOf(on).marks.push([x, y]);
    });
    Object.assign(globalThis, { frameOn: (canvas: object) => frames.get(canvas) });
  });
};

const frameOn = (canvas: Locator): Promise<Frame> =>
  canvas.evaluate((element) => (globalThis as unknown as { frameOn: (of: object) => Frame }).frameOn(element));

const turnSeconds = 60;
const perSecondC = 0.28;
/** Falls to 90 °C at the turning point, then rises in a straight line: the time determines the forecast. */
const beanC = (seconds: number): number =>
  seconds < turnSeconds ? 200 - (110 * seconds) / turnSeconds : 90 + (seconds - turnSeconds) * perSecondC;

/** °C from 0 to 250 and °C/min from -20 to 50 share the height of the plot. */
const rateOf = (tempC: number): number => -20 + (70 * tempC) / 250;

const startBoard = (everyMs: number) =>
  startLiveBoard(roastery.stack, probat, (seconds) => [beanC(seconds), 230], 300, everyMs);

/** Opens the cockpit; `bands` counts the drawn ones: of the bean temperature and of the rate of rise. */
const openCockpit = async (page: Page) => {
  await noteFrames(page);
  await page.goto(`/machines/${probat.id}/live`);
  const canvas = page.getByTestId('cockpit-chart').locator('canvas');
  await page.getByTestId('cockpit-figures').waitFor();
  await canvas.waitFor();
  return { canvas, bands: async () => (await frameOn(canvas)).outlines.length };
};

it('forecast band: is drawn on a device that is slower than its readings arrive', async () => {
  await using board = await startBoard(250);
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  const session = await page.context().newCDPSession(page);
  const { bands } = await openCockpit(page);
  // Loading is not its subject, and would take most of the time.
  await session.send('Emulation.setCPUThrottlingRate', { rate: 10 });
  expect(await bands(), 'without a turning point').toBe(0);
  board.mark('turning_point', turnSeconds);
  await expect.poll(bands, { timeout: 120_000, interval: 500 }).toBe(2);
  expect(board.failures).toEqual([]);
});

it('forecast band: its edges are drawn at the server’s values', async () => {
  await using board = await startBoard(500);
  board.mark('turning_point', turnSeconds);
  await using watched = await roastery.openAs(ana);
  const { canvas } = await openCockpit(watched.page);
  // One frame with charge and turning point, a band for the bean temperature and one for the rate of rise.
  const { marks, outlines } = await until('marks and bands to be drawn', async () => {
    const frame = await frameOn(canvas);
    return frame.marks.length === 2 && frame.outlines.length === 2 && frame;
  });
  const [charge = [0, 0], turn = [0, 0]] = marks;
  const secondsAt = (x: number) => ((x - charge[0]) / (turn[0] - charge[0])) * turnSeconds;
  const tempAt = (y: number) => 200 - ((y - charge[1]) / (turn[1] - charge[1])) * 110;

  const [bean = [], rate = []] = outlines;
  const elapsedSeconds = secondsAt(bean[0]?.[0] ?? 0);
  expect(elapsedSeconds).toBeGreaterThan(300);
  const basis = forecastBasisOf(await ana.call(getForecastBasis, { params: { id: board.roastId } }));
  expect(basis.curves).toHaveLength(6);
  const timesSeconds = Array.from({ length: 121 }, (_, second) => elapsedSeconds - 120 + second);
  const track = { timesSeconds, beanTempC: timesSeconds.map(beanC) };
  const moment = roastMoment(track, turnSeconds, elapsedSeconds);
  const forecast = moment && createForecaster(basis).forecast(moment);
  const points = forecast?.points ?? [];
  expect(points).toHaveLength(25);
  const upper = (outline: Point[]) => outline.slice(0, points.length);
  const lower = (outline: Point[]) => outline.slice(points.length).toReversed();
  // A pixel is half a degree, or 0.15 °C/min.
  for (const [index, { aheadSeconds, tempC, ratePerMinuteC }] of points.entries()) {
    for (const [edge, drawn, read, tolerance] of [
      [tempC.high, upper(bean)[index], tempAt, 0.6],
      [tempC.low, lower(bean)[index], tempAt, 0.6],
      [ratePerMinuteC.high, upper(rate)[index], (y: number) => rateOf(tempAt(y)), 0.2],
      [ratePerMinuteC.low, lower(rate)[index], (y: number) => rateOf(tempAt(y)), 0.2],
    ] as const) {
      const [x = 0, y = 0] = drawn ?? [];
      expect(Math.abs(secondsAt(x) - elapsedSeconds - aheadSeconds), `time of ${aheadSeconds} s`).toBeLessThan(1);
      expect(Math.abs(read(y) - edge), `${read(y)} for ${edge} in ${aheadSeconds} s`).toBeLessThan(tolerance);
    }
  }
  expect(board.failures).toEqual([]);
});
