import type { PredictedCrack } from '@roastery/contract/roast-forecasts';
import type { RoastMark } from '@roastery/contract/roasts';
import { createForecaster, type CurveForecast } from '@roastery/roasting/forecast/curve-forecast';
import type { LearntForecast } from '@roastery/roasting/forecast/learnt-forecast';
import { expect, it } from 'vitest';
import { expectCrackBetween, expectNext, learntFrom, type RoastNow } from './next-event.ts';

const mark = (kind: RoastMark['kind']): RoastMark => ({
  kind,
  time_seconds: 70,
  temp: 80,
  origin: 'detector',
  confidence: 1,
  provisional: false,
});

const bands = { tempC: [1.7, 3.4, 5.1, 6.8], ratePerMinuteC: [3, 3, 4, 4] };
const learntForecast: LearntForecast = {
  roasts: 5,
  weights: [],
  bands: { below: bands, above: bands },
  errorsC: [1, 2, 3, 4],
  timesFirstCrack: true,
};

/** A machine whose rate of rise decays as usual. */
const forecastFrom = (tempC: number, ratePerMinuteC: number): CurveForecast | null => {
  const perSecondC = ratePerMinuteC / 60;
  return createForecaster({ curves: [], learnt: learntForecast }).forecast({
    elapsedSeconds: 200,
    sinceTurnSeconds: 100,
    tempC,
    perSecondC,
    newestPerSecondC: perSecondC,
    earlierPerSecondC: perSecondC,
    aboveLineC: 0,
    heat: 0,
    heatOfLastMinute: 0,
    fan: 0,
  });
};

const drying: RoastNow = {
  elapsedSeconds: 200,
  forecast: forecastFrom(135, 12),
  marks: [mark('charge'), mark('turning_point')],
  predictedCrack: undefined,
  dropC: null,
  mayTimeCrack: true,
  isCrackTimed: false,
};
const maillard = { ...drying, marks: [...drying.marks, mark('dry_end')], forecast: forecastFrom(180, 10) };
/** Shortly before the crack: further ahead, without past roasts, no band is narrow. */
const near = { ...maillard, forecast: forecastFrom(188, 12) };
const learnt = (temp: number, spread: number): PredictedCrack => ({ temp, spread, source: 'lot', roasts: 7 });

it('expectNext: predicts the dry end with a band around it, later than a straight line', () => {
  const next = expectNext(drying);
  expect(next?.kind).toBe('dry_end');
  expect(next?.likely).toBeGreaterThan(200 + 75);
  expect(next?.earliest).toBeLessThan(next?.likely ?? 0);
  expect(next?.latest).toBeGreaterThan(next?.likely ?? 0);
});

it('expectNext: widens the band of first crack by the uncertainty of its temperature', () => {
  const sure = expectNext({ ...near, predictedCrack: learnt(194, 1) });
  const unsure = expectNext({ ...near, predictedCrack: learnt(194, 2) });
  expect(sure?.kind).toBe('first_crack');
  expect((unsure?.latest ?? 0) - (unsure?.earliest ?? 0)).toBeGreaterThan((sure?.latest ?? 0) - (sure?.earliest ?? 0));
});

it('expectNext: returns the temperatures of first crack instead of a time in a band of more than a minute', () => {
  const widthOf = (spread: number, isCrackTimed: boolean) => {
    const next = expectNext({ ...near, predictedCrack: learnt(194, spread), isCrackTimed });
    return next === null ? null : next.latest - next.earliest;
  };
  const spreads = Array.from({ length: 80 }, (_, tenths) => (tenths + 1) / 10);
  const shown = spreads.map((spread) => widthOf(spread, false));
  const kept = spreads.map((spread) => widthOf(spread, true));
  expect(Math.max(...shown.map((width) => width ?? 0))).toBeLessThanOrEqual(60);
  expect(Math.max(...kept.map((width) => width ?? 0))).toBeGreaterThan(60);
  expect(shown.at(-1), 'too wide').toBeNull();
  const { fromC, toC } = expectCrackBetween({ ...near, predictedCrack: learnt(196, 5) }) ?? {};
  expect([fromC, toC].map((temp) => temp?.toFixed(1))).toEqual(['189.6', '202.4']);
  expect(expectCrackBetween(drying), 'before the dry end').toBeNull();
});

it('expectNext: names no time of first crack on a machine whose bands of it have not held, its temperatures yet', () => {
  const told = { ...near, predictedCrack: learnt(194, 1) };
  expect(expectNext(told)?.kind).toBe('first_crack');
  expect(expectNext({ ...told, mayTimeCrack: false })).toBeNull();
  expect(expectCrackBetween({ ...told, mayTimeCrack: false })?.fromC).toBeCloseTo(192.7, 1);
  expect(expectNext({ ...drying, mayTimeCrack: false })?.kind, 'the dry end is certain').toBe('dry_end');
});

it('learntFrom: describes the past roasts', () => {
  expect(learntFrom({ source: 'lot', roasts: 7 })).toBe('from 7 roasts of this lot on this machine');
  expect(learntFrom({ source: 'machine', roasts: 1 })).toBe('from 1 roast on this machine');
  expect(learntFrom({ source: 'literature', roasts: 0 })).toContain('no first crack has been marked yet');
});

it('expectNext: returns null where no forecast is reliable', () => {
  expect(expectNext({ ...drying, marks: [mark('charge')] }), 'before the turning point').toBeNull();
  expect(expectNext({ ...drying, forecast: null }), 'without a forecast').toBeNull();
  expect(expectNext({ ...drying, forecast: forecastFrom(151, 12) }), 'past it').toBeNull();
  expect(expectNext(maillard), 'before the crack temperature is known').toBeNull();
  const slow = { ...maillard, forecast: forecastFrom(185, 4), predictedCrack: learnt(196, 9) };
  expect(expectNext(slow), 'a band of minutes').toBeNull();
  const developing = { ...maillard, marks: [...maillard.marks, mark('first_crack')], forecast: forecastFrom(200, 8) };
  expect(expectNext(developing), 'the drop without a recipe').toBeNull();
  expect(expectNext({ ...developing, dropC: 209 })?.kind).toBe('drop');
});
