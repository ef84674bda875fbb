import { describe, expect, it } from 'vitest';
import { createForecaster, type CurveForecast } from './curve-forecast.ts';
import { createForecastLearner, type ForecastLearner } from './forecast-learner.ts';
import { learntAheads, type LearntForecast } from './learnt-forecast.ts';
import { pastCurveOf, type PastCurve } from './past-curve.ts';
import { roastMoment } from './roast-moment.ts';
import { pastsOf } from './usual-rise.ts';

/** A repeatable stream of numbers in 0…1. */
const stream = (seed: number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

const turnSeconds = 60;
const dropSeconds = 600;

interface Made {
  readonly times: number[];
  readonly temps: number[];
  readonly heats: number[];
}

/** Beans that follow a burner through hot metal; it is turned at two times, to what a person chose that day. */
const madeRoast = (seed: number): Made => {
  const random = stream(seed * 7919);
  const [first = 0, next = 0, last = 0, early = 0, late = 0] = Array.from({ length: 5 }, random);
  const heatAt = (seconds: number) =>
    seconds < 200 + 60 * early ? 75 + 15 * first : seconds < 380 + 60 * late ? 40 + 50 * next : 30 + 50 * last;
  const made: Made = { times: [], temps: [], heats: [] };
  let [beanC, metal] = [95, 80];
  for (let time = 0; time <= dropSeconds; time++) {
    const heat = heatAt(time);
    metal += (heat - metal) / 50;
    if (time >= turnSeconds) beanC += 0.0035 * metal + 0.0012 * (150 - beanC) + 0.04;
    made.times.push(time);
    made.temps.push((time < turnSeconds ? 95 + (turnSeconds - time) : beanC) + 0.1 * (random() - 0.5));
    made.heats.push(heat);
  }
  return made;
};

const curveOf = ({ times, temps }: Made): PastCurve => pastCurveOf(times, temps, dropSeconds);

const teach = (learner: ForecastLearner, roasts: readonly Made[], withHeat = true) => {
  const before: PastCurve[] = [];
  for (const made of roasts) {
    const { times: timesSeconds, temps: beanTempC, heats } = made;
    const track = { timesSeconds, beanTempC, heatPower: withHeat ? heats : undefined };
    learner.add({ track, turnSeconds, dropSeconds, pasts: pastsOf(before.toReversed().slice(0, 8)) });
    before.push(curveOf(made));
  }
  return before.toReversed().slice(0, 8);
};

const learntFrom = (roasts: readonly Made[], withHeat = true) => {
  const learner = createForecastLearner();
  return { curves: teach(learner, roasts, withHeat), learnt: learner.learnt() };
};

const forecastsOf = (made: Made, basis: { curves: readonly PastCurve[]; learnt: LearntForecast | null }) => {
  const forecaster = createForecaster(basis);
  const track = { timesSeconds: made.times, beanTempC: made.temps, heatPower: made.heats };
  const said: { now: number; forecast: CurveForecast }[] = [];
  for (let now = turnSeconds + 30; now <= dropSeconds - 120; now += 10) {
    const moment = roastMoment(track, turnSeconds, now);
    const forecast = moment && forecaster.forecast(moment);
    if (forecast) said.push({ now, forecast });
  }
  return said;
};

const seeds = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const roastsOf = (from: number, count: number) => seeds(from, count).map((seed) => madeRoast(seed));

const meanErrorC = (roasts: readonly Made[], basis: Parameters<typeof forecastsOf>[1], aheadSeconds: number) => {
  const errors = roasts.flatMap((made) =>
    forecastsOf(made, basis).map(({ now, forecast }) =>
      Math.abs((made.temps[now + aheadSeconds] ?? 0) - (forecast.points[aheadSeconds / 5]?.tempC.likely ?? 0)),
    ),
  );
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
};

/** Whether first crack is timed on a machine whose cracks are expected at 180 °C. */
const timesWith = (crackC: (roast: number) => number) => {
  const learner = createForecastLearner();
  const before: PastCurve[] = [];
  for (const [index, made] of roastsOf(1, 16).entries()) {
    const { times: timesSeconds, temps: beanTempC, heats: heatPower } = made;
    const seconds = timesSeconds.find((time) => time > turnSeconds && (beanTempC[time] ?? 0) >= crackC(index));
    const crack = seconds === undefined ? undefined : { seconds, expectedC: 180, spreadC: 1.5 };
    const track = { timesSeconds, beanTempC, heatPower };
    learner.add({ track, turnSeconds, dropSeconds, pasts: pastsOf(before.toReversed().slice(0, 8)), crack });
    before.push(curveOf(made));
  }
  return learner.learnt()?.timesFirstCrack;
};

describe('forecast learner', () => {
  it('says nothing of a machine with four roasts, and forecasts from the fifth on', () => {
    expect(learntFrom(roastsOf(1, 4)).learnt).toBeNull();
    expect(learntFrom(roastsOf(1, 5)).learnt).toMatchObject({ roasts: 5 });
  });

  it('says nothing where the rate of now is as good as all that was learnt', () => {
    const straight = seeds(1, 12).map((seed): Made => {
      const { times, heats } = madeRoast(seed);
      const perSecondC = 0.1 + 0.2 * stream(seed * 7919)();
      const temps = times.map((time) => 90 + Math.abs(time - turnSeconds) * perSecondC);
      return { times, heats, temps };
    });
    expect(learntFrom(straight).learnt).toBeNull();
  });

  it('learns what the burner of a machine does', () => {
    const left = roastsOf(900, 6);
    const knowing = learntFrom(roastsOf(1, 16));
    const usual = { ...knowing, learnt: knowing.learnt && { ...knowing.learnt, weights: [] } };
    const blind = learntFrom(roastsOf(1, 16), false);
    expect(meanErrorC(left, knowing, 60)).toBeLessThan(0.75 * meanErrorC(left, usual, 60));
    expect(meanErrorC(left, knowing, 60)).toBeLessThan(0.95 * meanErrorC(left, blind, 60));
  });

  it('knows its error, and its band holds about eight in ten roasts that it has not seen', () => {
    const basis = learntFrom(roastsOf(1, 16));
    const left = roastsOf(900, 8);
    const inside = left.flatMap((made) =>
      forecastsOf(made, basis).flatMap(({ now, forecast }) =>
        learntAheads.map((ahead) => {
          const { low, high } = forecast.points[ahead / 5]?.tempC ?? { low: 0, high: 0 };
          const actual = made.temps[now + ahead] ?? 0;
          return actual >= low && actual <= high ? 1 : 0;
        }),
      ),
    );
    const share = inside.reduce<number>((sum, each) => sum + each, 0) / inside.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.92);
    const said = basis.learnt?.errorsC.at(-1) ?? 0;
    expect(Math.abs(meanErrorC(left, basis, 120) / said - 1)).toBeLessThan(0.6);
  });

  it('records its errors and how often its band held, also where it is not good enough to be shown', () => {
    const learner = createForecastLearner();
    teach(learner, roastsOf(1, 2));
    expect(learner.record()).toBeNull();
    teach(learner, roastsOf(1, 4));
    expect([learner.learnt(), learner.record()?.roasts]).toEqual([null, 2]);
    teach(learner, roastsOf(5, 10));
    const record = learner.record();
    expect(record?.roasts).toBe(10);
    expect(record?.errorsC).toEqual(learner.learnt()?.errorsC);
    for (const [at] of learntAheads.entries()) {
      expect(record?.errorsC[at]).toBeLessThan(record?.rateOfNowErrorsC[at] ?? 0);
      for (const share of [record?.held[at], record?.hotHeld[at]]) {
        expect(share).toBeGreaterThan(0.5);
        expect(share).toBeLessThanOrEqual(1);
      }
    }
  });

  it('is the same for the same roasts, and finite after a roast whose probe jumped', () => {
    const roasts = roastsOf(1, 10);
    expect(learntFrom(roasts).learnt).toEqual(learntFrom(roasts).learnt);
    const jumped = madeRoast(50);
    for (let second = 300; second < 330; second++) jumped.temps[second] = 900;
    const { learnt } = learntFrom([...roasts, jumped, ...roastsOf(60, 5)]);
    expect(learnt?.weights.every(Number.isFinite)).toBe(true);
    const left = roastsOf(900, 3);
    const clean = learntFrom([...roasts, ...roastsOf(60, 5)]);
    const after = learntFrom([...roasts, jumped, ...roastsOf(60, 5)]);
    expect(meanErrorC(left, after, 120)).toBeLessThan(1.6 * meanErrorC(left, clean, 120));
  });

  it('times first crack only where its band has held', () => {
    expect(timesWith((roast) => 180 + (roast % 2 === 0 ? 0.5 : -0.5))).toBe(true);
    expect(timesWith((roast) => 180 + (roast % 2 === 0 ? 9 : -9))).toBe(false);
  });
});
