import { describe, expect, it } from 'vitest';
import { createForecaster, forecastSeconds, roastMoment, type RoastMoment } from './curve-forecast.ts';
import { closestRoasts, forecastBasis, isSameBatch, maxPastCurves } from './forecast-basis.ts';
import { pastCurveOf, pastCurveStepSeconds, tempAt, turnOf, type PastCurve } from './past-curve.ts';

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
  const moment = roastMoment(times, temps, 60, seconds);
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

const widthAt = (curves: readonly PastCurve[], point: number) => {
  const said = createForecaster(forecastBasis(curves)).forecast(momentAt(300))?.points[point];
  return said ? said.tempC.high - said.tempC.low : Number.NaN;
};

describe('curve forecast', () => {
  it('continues a roast like its past roasts', () => {
    const forecaster = createForecaster(forecastBasis([curveOf(), curveOf(), curveOf()]));
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
    const forecaster = createForecaster(forecastBasis([curveOf(), curveOf(), curveOf()]));
    const last = forecaster.forecast(momentAt(240, 1.25))?.points.at(-1);
    expect(Math.abs((last?.tempC.likely ?? 0) - tempC(240 + forecastSeconds, 1.25))).toBeLessThan(3);
  });

  it('has a wider band further ahead, with fewer past roasts, and on a machine whose roasts vary', () => {
    const even = [1, 1, 1, 1, 1, 1].map((speed) => curveOf(speed));
    const uneven = [1, 2, 3, 4, 5, 6].map((phase) => {
      const { times, temps } = recorded(1, (second) => 12 * Math.sin(second / 45 + 2 * phase));
      return pastCurveOf(times, temps, dropSeconds);
    });
    expect(widthAt(even, 24)).toBeGreaterThan(widthAt(even, 6));
    expect(widthAt([], 24)).toBeGreaterThan(widthAt(even, 24));
    expect(widthAt(uneven, 24)).toBeGreaterThan(1.5 * widthAt(even, 24));
  });

  it('makes no forecast before the turn, without a rise, and early without past roasts', () => {
    const known = createForecaster(forecastBasis([curveOf(), curveOf(), curveOf()]));
    expect(known.forecast({ ...momentAt(180), sinceTurnSeconds: 10 })).toBeNull();
    expect(known.forecast({ ...momentAt(180), perSecondC: 0 })).toBeNull();
    expect(known.forecast(momentAt(130))).not.toBeNull();
    const unknown = createForecaster(forecastBasis([]));
    expect(unknown.forecast(momentAt(130))).toBeNull();
    expect(unknown.forecast(momentAt(300))).not.toBeNull();
  });

  it('forecasts when a temperature is reached; null if it has passed or is too far ahead', () => {
    const forecast = createForecaster(forecastBasis([curveOf(), curveOf(), curveOf()])).forecast(momentAt(400));
    const reached = forecast?.reaches(tempC(500));
    expect(Math.abs((reached?.likelySeconds ?? 0) - 100)).toBeLessThan(12);
    expect(reached?.soonestSeconds).toBeLessThan(reached?.likelySeconds ?? 0);
    expect(reached?.latestSeconds).toBeGreaterThan(reached?.likelySeconds ?? 0);
    expect(forecast?.reaches(tempC(400) - 5)).toBeNull();
    expect(forecast?.reaches(400)).toBeNull();
  });

  it('widens the time of an uncertain temperature, and excludes temperatures that have passed', () => {
    const forecast = createForecaster(forecastBasis([curveOf(), curveOf(), curveOf()])).forecast(momentAt(400));
    const width = (spreadC: number) => {
      const reached = forecast?.reaches(tempC(480), spreadC);
      return reached ? reached.latestSeconds - reached.soonestSeconds : Number.NaN;
    };
    expect(width(4)).toBeGreaterThan(width(0));
    // The likeliest temperature has passed without the event, so it lies ahead.
    expect(forecast?.reaches(tempC(400) - 1, 4)?.soonestSeconds).toBeGreaterThan(0);
    expect(forecast?.reaches(tempC(400) - 20, 4)).toBeNull();
  });

  it('needs readings of the last 20 s', () => {
    const { times, temps } = recorded();
    expect(roastMoment(times, temps, 60, 400)?.tempC).toBeCloseTo(tempC(400), 0);
    expect(roastMoment(times.slice(0, 300), temps.slice(0, 300), 60, 400)).toBeNull();
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
