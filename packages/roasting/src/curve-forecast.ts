import { isReading } from './series.ts';
import {
  lineThrough,
  pastCurveStepSeconds as stepSeconds,
  rateAt,
  tempAt,
  turnOf,
  warmingTable,
  type PastCurve,
  type WarmingTable,
} from './past-curve.ts';

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
  /** Forecast errors on this machine, as a multiple of the usual ones. */
  readonly errorFactor: number;
}

/** A running roast at one time. */
export interface RoastMoment {
  /** Since charge. */
  readonly elapsedSeconds: number;
  /** Seconds since the turning point; since charge in a machine that is charged cold. */
  readonly sinceTurnSeconds: number;
  readonly tempC: number;
  readonly perSecondC: number;
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
  /** Null where no forecast is possible: before the curve has turned, without a rise, or early without past roasts. */
  forecast(moment: RoastMoment): CurveForecast | null;
}

/** The band ends here. */
export const forecastSeconds = 120;
/** A temperature further ahead is not forecast. */
const maxAheadSeconds = 600;
/** The curve still bends from the turning point before this time. */
const minSinceTurnSeconds = 30;
/** Up to this temperature the curve bends most, and errors are larger. */
const earlyUntilC = 130;
/** Level and rate of the running roast are measured over this time. */
const lineSeconds = 20;

/**
 * The running roast at its newest reading: a least-squares line through its last 20 s. Null with too few readings, or
 * if the newest one is older than that.
 */
export function roastMoment(
  timesSeconds: ArrayLike<number>,
  tempsC: ArrayLike<number | null>,
  turnSeconds: number,
  elapsedSeconds: number,
): RoastMoment | null {
  const span = { fromSeconds: elapsedSeconds - lineSeconds, toSeconds: elapsedSeconds, atSeconds: elapsedSeconds };
  const line = lineThrough(timesSeconds, tempsC, span);
  return line && { ...line, elapsedSeconds, sinceTurnSeconds: elapsedSeconds - turnSeconds };
}

/** The parameters of a forecast; the bench tries others. */
export interface ForecastHabits {
  /** Without past roasts the rate of rise decays to 1/e in this time. */
  readonly rateDecaySeconds: number;
  /** A roast that is faster than a past one at the same temperature returns to its rate in this time. */
  readonly ratioDecaySeconds: number;
  /** Weights of the three forecasts: past rates by temperature, past curves by time, decaying rate. */
  readonly weights: { readonly byTemperature: number; readonly byTime: number; readonly decaying: number };
  readonly errors: UsualErrors;
}

/** Half the width of the band that holds eight in ten roasts. */
export interface UsualError {
  /** Bean temperature, °C per minute ahead. */
  readonly tempC: number;
  /** Rate of rise, °C/min: now, and the increase per minute ahead. */
  readonly rateNowC: number;
  readonly rateC: number;
}
/**
 * By the number of past roasts (none, one or two, three or more), below and above `earlyUntilC`; null: no forecast.
 */
export type UsualErrors = Readonly<
  Record<ErrorClass, { readonly early: UsualError | null; readonly later: UsualError }>
>;
export type ErrorClass = 'none' | 'few' | 'several';

/** Chosen on 59 recorded roasts of seven owners; the minimum is flat. The bench `forecast` fits the errors again. */
export const usualForecastHabits: ForecastHabits = {
  rateDecaySeconds: 400,
  ratioDecaySeconds: 400,
  weights: { byTemperature: 0.5, byTime: 0.25, decaying: 0.25 },
  errors: {
    none: { early: null, later: { tempC: 3.4, rateNowC: 3.2, rateC: 0.95 } },
    few: { early: null, later: { tempC: 2.7, rateNowC: 2.7, rateC: 0.6 } },
    several: { early: { tempC: 2.9, rateNowC: 3.2, rateC: 0 }, later: { tempC: 1.35, rateNowC: 1.45, rateC: 0.35 } },
  },
};

/** The band is never narrower than a probe's resolution and noise. */
const minHalfBandC = 0.3;

export function errorClass(pastRoasts: number): ErrorClass {
  if (pastRoasts === 0) return 'none';
  return pastRoasts < 3 ? 'few' : 'several';
}

/** The usual error at a time; null where no forecast is made. */
export function usualErrorAt(errors: UsualErrors, pastRoasts: number, tempC: number): UsualError | null {
  const { early, later } = errors[errorClass(pastRoasts)];
  return tempC < earlyUntilC ? early : later;
}

export function createForecaster(
  { curves, errorFactor }: ForecastBasis,
  habits: ForecastHabits = usualForecastHabits,
): CurveForecaster {
  const pasts = curves.flatMap((curve): Past[] => {
    const warming = warmingTable(curve);
    return warming ? [{ curve, warming }] : [];
  });
  return {
    forecast(moment) {
      const usual = usualErrorAt(habits.errors, pasts.length, moment.tempC);
      if (usual === null || moment.sinceTurnSeconds < minSinceTurnSeconds || !(moment.perSecondC > 0)) return null;
      const path = likelyPath(moment, pasts, habits);
      const halfAt = (aheadSeconds: number) => Math.max(minHalfBandC, (usual.tempC * errorFactor * aheadSeconds) / 60);
      return {
        points: pointsOf(path, moment, halfAt, (ahead) => errorFactor * (usual.rateNowC + (usual.rateC * ahead) / 60)),
        reaches: (targetC, spreadC = 0) => momentReached(path, halfAt, targetC, spreadC),
      };
    },
  };
}

interface Past {
  readonly curve: PastCurve;
  readonly warming: WarmingTable;
}

/** The most likely temperature every 5 s from now. */
function likelyPath(moment: RoastMoment, pasts: readonly Past[], habits: ForecastHabits): number[] {
  const steps = maxAheadSeconds / stepSeconds;
  const { rateDecaySeconds, weights } = habits;
  const byTemperature = pasts.map(({ warming }) => pathByTemperature(moment, warming, habits, steps));
  const byTime = pasts.flatMap(({ curve }) => pathByTime(moment, curve, steps) ?? []);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const decay = 1 - Math.exp((-step * stepSeconds) / rateDecaySeconds);
    const rises: [number | null, number][] = [
      [moment.perSecondC * rateDecaySeconds * decay, weights.decaying],
      [medianOf(byTemperature.map((path) => path[step] ?? 0)), weights.byTemperature],
      [medianOf(byTime.map((path) => path[step] ?? 0)), weights.byTime],
    ];
    const known = rises.filter((rise): rise is [number, number] => rise[0] !== null);
    const weight = known.reduce((sum, [, share]) => sum + share, 0);
    return moment.tempC + known.reduce((sum, [rise, share]) => sum + rise * share, 0) / weight;
  });
}

/** The rise if the roast warms up at each temperature as a past one did, starting from its own speed. */
function pathByTemperature(
  moment: RoastMoment,
  warming: WarmingTable,
  { ratioDecaySeconds }: ForecastHabits,
  steps: number,
): number[] {
  const usual = Math.max(minRateC, rateAt(warming, moment.tempC));
  const ratio = Math.min(maxRatio, Math.max(1 / maxRatio, moment.perSecondC / usual));
  const rises = [0];
  let tempC = moment.tempC;
  for (let step = 0; step < steps; step++) {
    const own = 1 + (ratio - 1) * Math.exp((-(step + 0.5) * stepSeconds) / ratioDecaySeconds);
    // Half a step ahead, for the midpoint rule.
    const middleC = tempC + (rateAt(warming, tempC) * own * stepSeconds) / 2;
    tempC += rateAt(warming, middleC) * own * stepSeconds;
    rises.push(tempC - moment.tempC);
  }
  return rises;
}
/** A rate below 0.6 °C/min is not a roast. */
const minRateC = 0.01;
const maxRatio = 2;

/** The rise of a past roast from the same time on; nothing where its curve has a gap. */
function pathByTime({ elapsedSeconds }: RoastMoment, curve: PastCurve, steps: number): [number[]] | null {
  const now = tempAt(curve, elapsedSeconds);
  // A past roast that had ended by then is no evidence.
  if (now === null || elapsedSeconds > (curve.length - 1) * stepSeconds || elapsedSeconds < turnOf(curve) * stepSeconds)
    return null;
  let last = 0;
  const rises = Array.from({ length: steps + 1 }, (_, step) => {
    const tempC = tempAt(curve, elapsedSeconds + step * stepSeconds);
    if (tempC !== null) last = tempC - now;
    return last;
  });
  return [rises];
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

function medianOf(values: readonly number[]): number | null {
  const sorted = values.filter(isReading).sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[(sorted.length >> 1) - 1] ?? upper)) / 2;
}
