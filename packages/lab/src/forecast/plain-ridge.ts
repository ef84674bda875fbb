import { isReading, valueAt } from '@roastery/roasting/curves/series';
import { tempAt, turnOf, pastCurveStepSeconds, type PastCurve } from '@roastery/roasting/forecast/past-curve';
import { createRidge, weighted } from '@roastery/roasting/forecast/ridge';
import { roastMoment, type RoastMoment } from '@roastery/roasting/forecast/roast-moment';
import type { ForecastRoast } from './past-roasts.ts';

/**
 * The yardstick: a ridge regression for each distance, fitted to all earlier roasts of a machine, on the recent curve,
 * the past curves at the same temperature, and heat and fan so far.
 */
export function createPlainRidge(aheads: readonly number[]) {
  const ridges = aheads.map(() => createRidge(featureCount));
  let weights = ridges.map(() => Array.from({ length: featureCount }, () => 0));
  return {
    /** The rise to expect, °C. */
    riseC(moment: RoastMoment, curves: readonly PastCurve[], aheadSeconds: number): number {
      return weighted(featuresOf(moment, curves, aheadSeconds), weights[aheads.indexOf(aheadSeconds)] ?? []);
    },
    add(roast: ForecastRoast, curves: readonly PastCurve[]): void {
      const { track, turnSeconds, dropSeconds, timesSeconds, tempsC } = roast;
      for (const [at, ahead] of aheads.entries()) {
        const rows: { features: number[]; riseC: number }[] = [];
        for (let now = turnSeconds + 30; now + ahead <= dropSeconds; now += 10) {
          const moment = roastMoment(track, turnSeconds, now);
          const actual = valueAt(timesSeconds, tempsC, now + ahead);
          if (!moment || !isReading(actual)) continue;
          rows.push({ features: featuresOf(moment, curves, ahead), riseC: actual - moment.tempC });
        }
        for (const { features, riseC } of rows) ridges[at]?.add(features, riseC, 1 / rows.length);
      }
      weights = ridges.map((ridge) => ridge.solve(penalty));
    },
  };
}
export type PlainRidge = ReturnType<typeof createPlainRidge>;

const penalty = 0.1;
const featureCount = 9;

/** Each divided by about its spread. */
function featuresOf(moment: RoastMoment, curves: readonly PastCurve[], aheadSeconds: number): number[] {
  const { tempC, perSecondC, earlierPerSecondC, heat, heatOfLastMinute, fan } = moment;
  const minutes = aheadSeconds / 60;
  const past = curves.map((curve) => risesFrom(curve, tempC, aheadSeconds)).filter((each) => each !== null);
  const meanOf = (value: (each: (typeof past)[number]) => number, otherwise: number) =>
    past.length === 0 ? otherwise : past.reduce((sum, each) => sum + value(each), 0) / past.length;
  return [
    1,
    20 * perSecondC,
    20 * earlierPerSecondC,
    (tempC - 150) / 30,
    meanOf(({ riseC }) => riseC, perSecondC * aheadSeconds) / minutes / 3,
    20 * meanOf(({ perSecondC: rate }) => rate, perSecondC),
    heat / 0.15,
    heatOfLastMinute / 0.15,
    fan / 0.15,
  ].map((feature) => feature * minutes);
}

function risesFrom(curve: PastCurve, tempC: number, aheadSeconds: number) {
  const at = curve.findIndex((past, index) => index > turnOf(curve) && isReading(past) && past >= tempC);
  const seconds = at * pastCurveStepSeconds;
  const [here, before, then] = [curve[at], tempAt(curve, seconds - 20), tempAt(curve, seconds + aheadSeconds)];
  if (at < 0 || seconds + aheadSeconds > (curve.length - 1) * pastCurveStepSeconds) return null;
  if (!isReading(here) || !isReading(before) || !isReading(then)) return null;
  return { riseC: then - here, perSecondC: (here - before) / 20 };
}
