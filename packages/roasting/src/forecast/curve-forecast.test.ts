import { describe, expect, it } from 'vitest';
import { createForecaster, forecastSeconds } from './curve-forecast.ts';
import { closestRoasts, isSameBatch, maxPastCurves } from './forecast-basis.ts';
import { correctionSize } from './forecast-correction.ts';
import type { LearntForecast } from './learnt-forecast.ts';
import { pastCurveOf, pastCurveStepSeconds, tempAt, turnOf, type PastCurve } from './past-curve.ts';
import { roastMoment, type RoastMoment } from './roast-moment.ts';

const dropSeconds = 600;

/** A roast that turns after 60 s and warms up ever slower; `speed` 1 reaches about 205 °C after ten minutes. */
const tempC = (seconds: number, speed = 1): number =>
  seconds < 60
    ? 180 - 1.6 * seconds + 0.005 * seconds ** 2
    : 102 + 150 * (1 - Math.exp((-(seconds - 60) * speed) / 470));

const recorded = (speed = 1, noiseC: (seconds: number) => number = () => 0) => {
  const times = Array.from({ length: dropSeconds + 1 }, (_, second) => second);
  return { times, temps: times.map((second) => tempC(second, speed) + noiseC(second)) };
};

const curveOf = (speed = 1): PastCurve => {
  const { times, temps } = recorded(speed);
  return pastCurveOf(times, temps, dropSeconds);
};

const momentAt = (seconds: number, speed = 1): RoastMoment => {
  const { times, temps } = recorded(speed);
  const moment = roastMoment({ timesSeconds: times, beanTempC: temps }, 60, seconds);
  if (!moment) throw new Error(`no readings at ${seconds} s`);
  return moment;
};

describe('past curve', () => {
  it('smooths noise away and leaves gaps empty', () => {
    const { times, temps } = recorded(1, (second) => (second % 2 === 0 ? 0.5 : -0.5));
    const holed = temps.map((temp, second) => (second > 300 && second < 400 ? null : temp));
    const curve = pastCurveOf(times, holed, dropSeconds);
    expect(curve).toHaveLength(dropSeconds / pastCurveStepSeconds + 1);
    expect(Math.abs((curve[40] ?? 0) - tempC(200))).toBeLessThan(0.3);
    expect(curve[70]).toBeNull();
  });

  it('finds the turning point, and extrapolates with the last slope', () => {
    const curve = curveOf();
    expect(Math.abs(turnOf(curve) * pastCurveStepSeconds - 60)).toBeLessThanOrEqual(10);
    const [before, last] = [tempAt(curve, 595) ?? 0, tempAt(curve, 600) ?? 0];
    expect(tempAt(curve, 610)).toBeCloseTo(last + 2 * (last - before), 5);
  });
});

const even = { tempC: [1, 2, 3, 4], ratePerMinuteC: [1, 1, 2, 2] };
/** A machine that warms up as is usual. */
const usual: LearntForecast = {
  roasts: 9,
  weights: Array.from({ length: correctionSize }, () => 0),
  bands: { below: even, above: even },
  errorsC: [1, 1, 1, 1],
  timesFirstCrack: true,
};
const threePasts = [curveOf(), curveOf(), curveOf()];
const forecaster = createForecaster({ curves: threePasts, learnt: usual });

describe('curve forecast', () => {
  it('continues a roast like its past roasts', () => {
    for (const now of [180, 300, 420]) {
      const forecast = forecaster.forecast(momentAt(now));
      const last = forecast?.points.at(-1);
      expect(last?.aheadSeconds).toBe(forecastSeconds);
      expect(Math.abs((last?.tempC.likely ?? 0) - tempC(now + forecastSeconds))).toBeLessThan(1.5);
      const rateC = 30 * (tempC(now + 61) - tempC(now + 59));
      expect(Math.abs((forecast?.points[12]?.ratePerMinuteC.likely ?? 0) - rateC)).toBeLessThan(1);
    }
  });

  it('follows a roast that is faster than its past ones', () => {
    const last = forecaster.forecast(momentAt(240, 1.25))?.points.at(-1);
    expect(Math.abs((last?.tempC.likely ?? 0) - tempC(240 + forecastSeconds, 1.25))).toBeLessThan(3);
  });

  it('has the band that was learnt, between its distances too, and starts it at the reading', () => {
    const points = forecaster.forecast(momentAt(300))?.points ?? [];
    const halves = [0, 15, 30, 45, 120].map((ahead) => {
      const { high, likely } = points[ahead / pastCurveStepSeconds]?.tempC ?? { high: Number.NaN, likely: 0 };
      return Math.round((high - likely) * 100) / 100;
    });
    expect(halves).toEqual([0, 0.5, 1, 1.5, 4]);
    const rate = points[0]?.ratePerMinuteC ?? { high: Number.NaN, likely: 0 };
    expect(rate.high - rate.likely).toBeCloseTo(1, 5);
  });

  it('rises by the correction of the machine more than is usual, smoothly and no further beyond the band', () => {
    const weights = usual.weights.map((_, feature) => (feature === 0 ? 2 : 0));
    const corrected = createForecaster({ curves: threePasts, learnt: { ...usual, weights } });
    const [plain, more] = [forecaster, corrected].map((one) => one.forecast(momentAt(300)));
    const apart = [0, 30, 60, 120].map((ahead) => {
      const at = ahead / pastCurveStepSeconds;
      return ((more?.points[at]?.tempC.likely ?? 0) - (plain?.points[at]?.tempC.likely ?? 0)).toFixed(3);
    });
    expect(apart).toEqual(['0.000', '1.000', '2.000', '4.000']);
    expect(more?.reaches(tempC(500))?.likelySeconds).toBeLessThan(plain?.reaches(tempC(500))?.likelySeconds ?? 0);
  });

  it('makes no forecast before the turn, without a rise, without skill, and where too few past roasts were', () => {
    expect(forecaster.forecast({ ...momentAt(180), sinceTurnSeconds: 10 })).toBeNull();
    expect(forecaster.forecast({ ...momentAt(180), perSecondC: 0 })).toBeNull();
    expect(forecaster.forecast(momentAt(130))).not.toBeNull();
    expect(createForecaster({ curves: threePasts, learnt: null }).forecast(momentAt(300))).toBeNull();
    const early = { ...usual, bands: { below: even, above: null } };
    const half = createForecaster({ curves: threePasts, learnt: early });
    expect(half.forecast(momentAt(130))).not.toBeNull();
    expect(half.forecast(momentAt(500))).toBeNull();
  });

  it('forecasts when a temperature is reached; null if it has passed or is too far ahead', () => {
    const forecast = forecaster.forecast(momentAt(400));
    const reached = forecast?.reaches(tempC(500));
    expect(Math.abs((reached?.likelySeconds ?? 0) - 100)).toBeLessThan(12);
    expect(reached?.soonestSeconds).toBeLessThan(reached?.likelySeconds ?? 0);
    expect(reached?.latestSeconds).toBeGreaterThan(reached?.likelySeconds ?? 0);
    expect(forecast?.reaches(tempC(400) - 5)).toBeNull();
    expect(forecast?.reaches(400)).toBeNull();
  });

  it('widens the time of an uncertain temperature, and excludes temperatures that have passed', () => {
    const forecast = forecaster.forecast(momentAt(400));
    const width = (spreadC: number) => {
      const reached = forecast?.reaches(tempC(480), spreadC);
      return reached ? reached.latestSeconds - reached.soonestSeconds : Number.NaN;
    };
    expect(width(4)).toBeGreaterThan(width(0));
    // The likeliest temperature has passed without the event, so it lies ahead.
    expect(forecast?.reaches(tempC(400) - 1, 4)?.soonestSeconds).toBeGreaterThan(0);
    expect(forecast?.reaches(tempC(400) - 20, 4)).toBeNull();
  });
});

describe('roast moment', () => {
  it('needs readings of the last 20 s', () => {
    const { times, temps } = recorded();
    const track = { timesSeconds: times, beanTempC: temps };
    expect(roastMoment(track, 60, 400)?.tempC).toBeCloseTo(tempC(400), 0);
    const old = { timesSeconds: times.slice(0, 300), beanTempC: temps.slice(0, 300) };
    expect(roastMoment(old, 60, 400)).toBeNull();
  });

  it('has heat and fan of now and the heat of the last minute, and none where the machine reports none', () => {
    const { times, temps } = recorded();
    const heatPower = times.map((time) => (time <= 370 ? 80 : time < 398 ? 40 : null));
    const fanSpeed = times.map(() => 55);
    const track = { timesSeconds: times, beanTempC: temps, heatPower, fanSpeed };
    const moment = roastMoment(track, 60, 400);
    expect(moment).toMatchObject({ heat: 0.4, fan: 0.55 });
    expect(moment?.heatOfLastMinute).toBeCloseTo(0.612, 2);
    expect(momentAt(400)).toMatchObject({ heat: 0, heatOfLastMinute: 0, fan: 0 });
  });
});

const past = (sameRecipe: boolean, sameCoffee: boolean, sameBatch: boolean) => ({
  sameRecipe,
  sameCoffee,
  sameBatch,
});

describe('past roasts of a forecast', () => {
  it('are those of the closest group with three roasts, otherwise those of the machine', () => {
    const recipe = Array.from({ length: 3 }, () => past(true, false, false));
    const coffee = Array.from({ length: 3 }, () => past(false, true, false));
    const batch = Array.from({ length: 3 }, () => past(false, false, true));
    expect(closestRoasts([...batch, ...coffee, ...recipe]).source).toBe('recipe');
    expect(closestRoasts([...batch, ...coffee, ...recipe.slice(1)]).source).toBe('coffee');
    expect(closestRoasts([...batch, ...recipe.slice(1)]).source).toBe('batch');
    expect(closestRoasts(recipe.slice(1))).toMatchObject({ source: 'machine', roasts: recipe.slice(1) });
    expect(closestRoasts([])).toEqual({ source: 'none', roasts: [] });
    expect(closestRoasts(Array.from({ length: 20 }, () => past(true, true, true))).roasts).toHaveLength(maxPastCurves);
  });

  it('compares batches by weight', () => {
    expect(isSameBatch(10, 11)).toBe(true);
    expect(isSameBatch(10, 12)).toBe(false);
    expect(isSameBatch(null, 12)).toBe(false);
  });
});
