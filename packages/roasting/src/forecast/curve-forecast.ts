import { correctionC, featuresOf } from './forecast-correction.ts';
import { hotFromC, learntAheads, minSinceTurnSeconds, type LearntForecast } from './learnt-forecast.ts';
import { pastCurveStepSeconds as stepSeconds, type PastCurve } from './past-curve.ts';
import type { RoastMoment } from './roast-moment.ts';
import { pastsOf, usualRise, type Past } from './usual-rise.ts';

/**
 * The property that the past roasts of a forecast share with the running one, closest first; `none` without past
 * roasts.
 */
export const forecastSources = ['recipe', 'coffee', 'batch', 'machine', 'none'] as const;
export type ForecastSource = (typeof forecastSources)[number];

/** The input of a forecast before the roast begins. Plain data. */
export interface ForecastBasis {
  /** Past roasts of the machine, newest first. */
  readonly curves: readonly PastCurve[];
  /** Null where the machine's roasts have not shown that they can be forecast. */
  readonly learnt: LearntForecast | null;
}

/** A value with the bounds of eight in ten roasts. */
export interface Band {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

export interface ForecastPoint {
  readonly aheadSeconds: number;
  readonly tempC: Band;
  readonly ratePerMinuteC: Band;
}

/** When a temperature is reached, in seconds from now. Eight in ten roasts reach it between `soonest` and `latest`. */
export interface ExpectedMoment {
  readonly likelySeconds: number;
  readonly soonestSeconds: number;
  readonly latestSeconds: number;
}

export interface CurveForecast {
  /** Every 5 s from now, for two minutes. */
  readonly points: readonly ForecastPoint[];
  /**
   * When the roast reaches a temperature; null if it has passed it, reaches it in more than ten minutes, or may never
   * reach it.
   * @param spreadC standard deviation of an uncertain temperature that has not been reached yet
   */
  reaches(targetC: number, spreadC?: number): ExpectedMoment | null;
}

export interface CurveForecaster {
  /** Null where no forecast is possible: before the curve has turned, without a rise, or where none has shown skill. */
  forecast(moment: RoastMoment): CurveForecast | null;
}

/** The band ends here. */
export const forecastSeconds = 120;
/** A temperature further ahead is not forecast. */
const maxAheadSeconds = 600;

export function createForecaster({ curves, learnt }: ForecastBasis): CurveForecaster {
  const pasts = pastsOf(curves);
  return { forecast: (moment) => learnt && forecastFrom(moment, pasts, learnt) };
}

/** Null before the curve has turned, without a rise, and in the part of a roast that too few past ones reached. */
export function forecastFrom(
  moment: RoastMoment,
  pasts: readonly Past[],
  { weights, bands: { below, above } }: Pick<LearntForecast, 'weights' | 'bands'>,
): CurveForecast | null {
  const bands = moment.tempC < hotFromC ? below : above;
  if (!bands || moment.sinceTurnSeconds < minSinceTurnSeconds || !(moment.perSecondC > 0)) return null;
  const features = featuresOf(moment, pasts);
  let correction = 0;
  const path = usualRise(moment, pasts, maxAheadSeconds / stepSeconds).map((riseC, step) => {
    const aheadSeconds = step * stepSeconds;
    // Beyond the band nothing was learnt: the correction stays.
    if (step > 0 && aheadSeconds <= forecastSeconds)
      correction = correctionC(features(aheadSeconds, riseC), weights, aheadSeconds);
    return moment.tempC + riseC + correction;
  });
  const halfAt = (aheadSeconds: number) => halfBand(bands.tempC, aheadSeconds);
  return {
    points: pointsOf(path, moment, halfAt, (ahead) => halfBand(bands.ratePerMinuteC, Math.max(ahead, nearest))),
    reaches: (targetC, spreadC = 0) => momentReached(path, halfAt, targetC, spreadC),
  };
}

const nearest = learntAheads[0];

/** Half of a band between the distances at which errors are known; in proportion to the time before and after them. */
function halfBand(halves: readonly number[], aheadSeconds: number): number {
  const next = learntAheads.findIndex((ahead) => ahead >= aheadSeconds);
  const last = halves.length - 1;
  if (next === 0) return ((halves[0] ?? 0) * aheadSeconds) / nearest;
  if (next < 0) return ((halves[last] ?? 0) * aheadSeconds) / forecastSeconds;
  const [from, to] = [learntAheads[next - 1] ?? nearest, learntAheads[next] ?? nearest];
  const share = (aheadSeconds - from) / (to - from);
  return (halves[next - 1] ?? 0) * (1 - share) + (halves[next] ?? 0) * share;
}

function pointsOf(
  path: readonly number[],
  moment: RoastMoment,
  halfAt: (aheadSeconds: number) => number,
  halfRateAt: (aheadSeconds: number) => number,
): ForecastPoint[] {
  return Array.from({ length: forecastSeconds / stepSeconds + 1 }, (_, step) => {
    const aheadSeconds = step * stepSeconds;
    const rate = step === 0 ? 60 * moment.perSecondC : rateAlong(path, step);
    return {
      aheadSeconds,
      tempC: bandAround(path[step] ?? moment.tempC, halfAt(aheadSeconds)),
      ratePerMinuteC: bandAround(rate, halfRateAt(aheadSeconds)),
    };
  });
}

/** The slope of the path around a step, over 20 s like the rate of rise, °C/min. */
function rateAlong(path: readonly number[], step: number): number {
  const [from, to] = [Math.max(0, step - 2), Math.min(path.length - 1, step + 2)];
  return (60 * ((path[to] ?? 0) - (path[from] ?? 0))) / ((to - from) * stepSeconds);
}

function bandAround(likely: number, half: number): Band {
  return { low: likely - half, likely, high: likely + half };
}

/** Eight in ten of a normal distribution lie within this many standard deviations. */
const bandDeviations = 1.2816;
/** The share of roasts that have reached a temperature whose expected time is long past. */
const surelyReached = 0.97;

function momentReached(
  path: readonly number[],
  halfAt: (aheadSeconds: number) => number,
  targetC: number,
  spreadC: number,
): ExpectedMoment | null {
  const shares = path.map((tempC, step) => {
    const deviation = Math.hypot(spreadC, halfAt(step * stepSeconds) / bandDeviations);
    return shareBelow((tempC - targetC) / deviation);
  });
  // A certain temperature can lie ahead or behind; an uncertain one has not been reached yet.
  const [nowC = targetC, reached = 0] = [path[0], spreadC > 0 ? shares[0] : 0];
  if ((spreadC === 0 && nowC >= targetC) || reached > surelyReached) return null;
  const secondsOf = (share: number) => firstReached(shares, reached + (1 - reached) * share);
  const [soonestSeconds, likelySeconds, latestSeconds] = [secondsOf(0.1), secondsOf(0.5), secondsOf(0.9)];
  if (soonestSeconds === null || likelySeconds === null || latestSeconds === null) return null;
  return { likelySeconds, soonestSeconds, latestSeconds };
}

/** The share of a normal distribution below this many standard deviations (logistic approximation, within 0.01). */
function shareBelow(deviations: number): number {
  return 1 / (1 + Math.exp(-1.5976 * deviations - 0.07056 * deviations ** 3));
}

/** When a series first reaches a value; null if it does not. */
function firstReached(values: readonly number[], wanted: number): number | null {
  const step = values.findIndex((value) => value >= wanted);
  if (step < 1) return step === 0 ? 0 : null;
  const [before, after] = [values[step - 1] ?? wanted, values[step] ?? wanted];
  return (step - 1 + (wanted - before) / (after - before)) * stepSeconds;
}
