import { pastCurveStepSeconds as stepSeconds, tempAt, turnOf, type PastCurve } from './past-curve.ts';
import { weighted } from './ridge.ts';
import type { RoastMoment } from './roast-moment.ts';
import { isReading } from '../curves/series.ts';
import type { Past } from './usual-rise.ts';

/* How the beans of one machine rise more or less than is usual, by what is known of a roast. Each feature is divided by
   its usual spread on recorded roasts, so that one penalty fits all weights. */
const rateSpreadC = 3;
const hotFromC = 180;
const middleC = 150;
const middleMinutes = 1.25;

/** The features of a moment, by how far ahead the forecast is. The usual rise is in °C. */
export type FeaturesAhead = (aheadSeconds: number, usualRiseC: number) => number[];

/** Features of a forecast, each once for itself and once by the time ahead. */
export const correctionSize = 28;

export function featuresOf(moment: RoastMoment, pasts: readonly Past[]): FeaturesAhead {
  const { tempC, perSecondC, newestPerSecondC, earlierPerSecondC, aboveLineC, heat, heatOfLastMinute, fan } = moment;
  const passed = pasts.flatMap(({ curve }) => passing(curve, tempC) ?? []);
  const pastPerSecondC = meanOf(passed.map(({ perSecondC: past }) => past)) ?? perSecondC;
  const apartC = tempC - middleC;
  const fixed = [
    1,
    ...[perSecondC, newestPerSecondC, earlierPerSecondC, pastPerSecondC].map((rate) => (60 * rate) / rateSpreadC),
    aboveLineC / 0.5,
    apartC / 30,
    apartC ** 2 / 1250,
    Math.max(0, tempC - hotFromC) / 10,
    heatOfLastMinute / 0.15,
    (heat * apartC) / 5,
    (fan * apartC) / 5,
  ];
  return (aheadSeconds, usualRiseC) => {
    const minutes = aheadSeconds / 60;
    const pastRiseC = meanOf(passed.map(({ curve, seconds }) => riseOf(curve, seconds, aheadSeconds)));
    const rises = [pastRiseC ?? usualRiseC, usualRiseC].map((riseC) => riseC / minutes / rateSpreadC);
    const features = [...fixed, ...rises];
    return [...features, ...features.map((feature) => feature * (minutes - middleMinutes))];
  };
}

/** How far a roast rises above what is usual, °C. */
export function correctionC(features: readonly number[], weights: readonly number[], aheadSeconds: number): number {
  return (weighted(features, weights) * aheadSeconds) / 60;
}

interface Passing {
  readonly curve: PastCurve;
  readonly seconds: number;
  readonly perSecondC: number;
}

/** When a past roast passed a temperature, and how fast. */
function passing(curve: PastCurve, tempC: number): [Passing] | null {
  for (let at = turnOf(curve) + 1; at < curve.length; at++) {
    const [before, here] = [curve[at - 1], curve[at]];
    if (!isReading(here) || here < tempC) continue;
    if (!isReading(before) || before >= tempC) return null;
    const seconds = (at - 1 + (tempC - before) / (here - before)) * stepSeconds;
    const earlierC = tempAt(curve, seconds - passedSeconds);
    return isReading(earlierC) ? [{ curve, seconds, perSecondC: (tempC - earlierC) / passedSeconds }] : null;
  }
  return null;
}
const passedSeconds = 20;

/** Null where the past roast had ended or was not read. */
function riseOf(curve: PastCurve, seconds: number, aheadSeconds: number): number | null {
  if (seconds + aheadSeconds > (curve.length - 1) * stepSeconds) return null;
  const [from, to] = [tempAt(curve, seconds), tempAt(curve, seconds + aheadSeconds)];
  return isReading(from) && isReading(to) ? to - from : null;
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter(isReading);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
