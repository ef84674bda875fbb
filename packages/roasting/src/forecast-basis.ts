import {
  createForecaster,
  usualErrorAt,
  usualForecastHabits,
  type ForecastBasis,
  type ForecastHabits,
  type ForecastSource,
} from './curve-forecast.ts';
import { pastCurveStepSeconds as stepSeconds, turnOf, type PastCurve } from './past-curve.ts';
import { isReading } from './series.ts';

/** What a past roast of the machine has in common with the running one. */
export interface PastRoast {
  readonly sameRecipe: boolean;
  readonly sameCoffee: boolean;
  readonly sameBatch: boolean;
}

/** More past roasts do not reduce the error (measured with 4, 8 and 15). */
export const maxPastCurves = 8;
/** A smaller group is not preferred to all roasts of the machine. */
const minOfAGroup = 3;

const groups: readonly { source: ForecastSource; holds: (past: PastRoast) => boolean }[] = [
  { source: 'recipe', holds: ({ sameRecipe }) => sameRecipe },
  { source: 'coffee', holds: ({ sameCoffee }) => sameCoffee },
  { source: 'batch', holds: ({ sameBatch }) => sameBatch },
];

/** Batches count as equal up to this ratio. */
const sameBatchRatio = 1.12;

/** Whether two batches have about the same weight. */
export function isSameBatch(kg: number | null, otherKg: number | null, ratio = sameBatchRatio): boolean {
  if (kg === null || otherKg === null || !(kg > 0) || !(otherKg > 0)) return false;
  return Math.max(kg / otherKg, otherKg / kg) <= ratio;
}

/**
 * The past roasts of the machine that are closest to the running one, newest first, and what they have in common with
 * it.
 */
export function closestRoasts<Past extends PastRoast>(
  past: readonly Past[],
): { source: ForecastSource; roasts: readonly Past[] } {
  for (const { source, holds } of groups) {
    const roasts = past.filter(holds);
    if (roasts.length >= minOfAGroup) return { source, roasts: roasts.slice(0, maxPastCurves) };
  }
  return { source: past.length === 0 ? 'none' : 'machine', roasts: past.slice(0, maxPastCurves) };
}

/** The usual error counts as this many past roasts. */
const usualErrorWeight = 4;
/** Past curves are smoothed, so their errors are this share of live ones. */
const smoothedShare = 0.82;
const minScore = 0.2;

/**
 * The basis of a forecast from past curves, newest first. Each curve is forecast from the older ones; the errors show
 * how much larger or smaller this machine's errors are than the usual ones.
 */
export function forecastBasis(
  curves: readonly PastCurve[],
  habits: ForecastHabits = usualForecastHabits,
): ForecastBasis {
  const scores = curves.flatMap((curve, index) => scoreOf(curve, curves.slice(index + 1), habits) ?? []);
  const logs = scores.reduce((sum, score) => sum + Math.log(Math.max(minScore, score) / smoothedShare), 0);
  return { curves, errorFactor: Math.exp(logs / (scores.length + usualErrorWeight)) };
}

/** Times ahead at which a past roast is forecast. */
const scoredAheadSeconds = [30, 60, 90, 120];
const scoreEverySteps = 4;
/** A rate is measured over this many steps. */
const rateSteps = 4;

/**
 * The error that eight in ten forecasts of a roast stay below, as a multiple of the usual one; null where none is made.
 */
function scoreOf(curve: PastCurve, older: readonly PastCurve[], habits: ForecastHabits): number | null {
  if (older.length === 0) return null;
  const forecaster = createForecaster({ curves: older, errorFactor: 1 }, habits);
  const turn = turnOf(curve);
  const errors: number[] = [];
  for (let at = turn + rateSteps; at < curve.length; at += scoreEverySteps) {
    const [tempC, before] = [curve[at], curve[at - rateSteps]];
    if (!isReading(tempC) || !isReading(before)) continue;
    const usual = usualErrorAt(habits.errors, older.length, tempC);
    const forecast = forecaster.forecast({
      elapsedSeconds: at * stepSeconds,
      sinceTurnSeconds: (at - turn) * stepSeconds,
      tempC,
      perSecondC: (tempC - before) / (rateSteps * stepSeconds),
    });
    if (!forecast || !usual) continue;
    for (const ahead of scoredAheadSeconds) {
      const [actual, said] = [curve[at + ahead / stepSeconds], forecast.points[ahead / stepSeconds]];
      if (isReading(actual) && said) errors.push((Math.abs(actual - said.tempC.likely) * 60) / (ahead * usual.tempC));
    }
  }
  errors.sort((a, b) => a - b);
  return errors[Math.ceil(0.8 * errors.length) - 1] ?? null;
}
