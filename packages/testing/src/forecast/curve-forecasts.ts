import {
  createForecaster,
  errorClass,
  roastMoment,
  usualForecastHabits,
  type ForecastBasis,
  type ForecastHabits,
  type UsualError,
  type UsualErrors,
} from '@roastery/roasting/curve-forecast';
import { forecastBasis } from '@roastery/roasting/forecast-basis';
import { pastCurveStepSeconds, tempAt, type PastCurve } from '@roastery/roasting/past-curve';
import { isReading, valueAt } from '@roastery/roasting/series';
import { clusteredQuantile } from './clustered.ts';
import { pastCurves, roastsBefore, type ForecastRoast } from './past-roasts.ts';

/** One forecast with the actual values. Temperatures and errors in °C, rates in °C/min. */
export interface JudgedForecast {
  readonly roast: ForecastRoast;
  readonly pastRoasts: number;
  readonly aheadSeconds: number;
  readonly early: boolean;
  readonly error: number;
  readonly half: number;
  /** Null where no rate is drawn. */
  readonly rateError: number | null;
  readonly rateHalf: number;
  /** Errors of the straight line, and of the continuation of the newest past roast; null without one. */
  readonly lineError: number;
  readonly referenceError: number | null;
}

/**
 * A roast that stalls at its top reaches its drop temperature only because it is dropped then, so the forecast is
 * judged slightly below.
 */
const belowDropC = 2;

/** The forecast and the actual time of the drop temperature. */
export interface JudgedDrop {
  readonly roast: ForecastRoast;
  readonly aheadSeconds: number;
  readonly errorSeconds: number;
  readonly covered: boolean;
  readonly widthSeconds: number;
  /** Of a straight line to the same temperature. */
  readonly lineErrorSeconds: number;
}

export const aheads: readonly number[] = [30, 60, 90, 120];
const everySeconds = 10;
/** Starts of roasts that the forecaster treats as early, °C. */
const earlyUntilC = 130;

export interface JudgedRoasts {
  readonly curves: readonly JudgedForecast[];
  readonly drops: readonly JudgedDrop[];
}

/** Forecasts every roast every 10 s from the earlier roasts of its machine. */
export function judgeRoasts(
  roasts: readonly ForecastRoast[],
  all: readonly ForecastRoast[],
  habits: ForecastHabits,
  basisOf: (curves: readonly PastCurve[], habits: ForecastHabits) => ForecastBasis = forecastBasis,
): JudgedRoasts {
  const judged = roasts.map((roast) => {
    const curves = pastCurves(roastsBefore(all, roast), roast);
    return judgeRoast(roast, basisOf(curves, habits), habits);
  });
  return { curves: judged.flatMap((each) => each.curves), drops: judged.flatMap((each) => each.drops) };
}

function judgeRoast(roast: ForecastRoast, basis: ForecastBasis, habits: ForecastHabits): JudgedRoasts {
  const forecaster = createForecaster(basis, habits);
  const { timesSeconds, tempsC, ratesC, dropSeconds, turnSeconds } = roast;
  const endC = roast.dropIsCredible ? valueAt(timesSeconds, tempsC, dropSeconds, 30) : null;
  const dropC = isReading(endC) ? endC - belowDropC : null;
  const reachedSeconds = isReading(dropC)
    ? timesSeconds.find((time, index) => time > turnSeconds && (tempsC[index] ?? 0) >= dropC)
    : undefined;
  const curves: JudgedForecast[] = [];
  const drops: JudgedDrop[] = [];
  for (let now = turnSeconds + 30; now < dropSeconds; now += everySeconds) {
    const moment = roastMoment(timesSeconds, tempsC, turnSeconds, now);
    const forecast = moment && forecaster.forecast(moment);
    if (!forecast) continue;
    const reference = basis.curves[0];
    const referenceNow = reference ? tempAt(reference, now) : null;
    for (const aheadSeconds of aheads) {
      const then = now + aheadSeconds;
      const point = forecast.points[aheadSeconds / pastCurveStepSeconds];
      const actualC = then > dropSeconds ? null : valueAt(timesSeconds, tempsC, then);
      if (!point || !isReading(actualC)) continue;
      const referenceThen = reference ? tempAt(reference, then) : null;
      const rateC = valueAt(timesSeconds, ratesC, then);
      curves.push({
        roast,
        pastRoasts: basis.curves.length,
        aheadSeconds,
        early: moment.tempC < earlyUntilC,
        error: actualC - point.tempC.likely,
        half: point.tempC.high - point.tempC.likely,
        rateError: isReading(rateC) ? rateC - point.ratePerMinuteC.likely : null,
        rateHalf: point.ratePerMinuteC.high - point.ratePerMinuteC.likely,
        lineError: actualC - moment.tempC - moment.perSecondC * aheadSeconds,
        referenceError:
          referenceNow === null || referenceThen === null
            ? null
            : actualC - moment.tempC - referenceThen + referenceNow,
      });
    }
    const reached = isReading(dropC) ? forecast.reaches(dropC) : null;
    if (!reached || !isReading(dropC) || reachedSeconds === undefined || reachedSeconds <= now) continue;
    const aheadSeconds = reachedSeconds - now;
    const straight = (dropC - moment.tempC) / moment.perSecondC;
    drops.push({
      roast,
      aheadSeconds,
      errorSeconds: aheadSeconds - reached.likelySeconds,
      covered: aheadSeconds >= reached.soonestSeconds && aheadSeconds <= reached.latestSeconds,
      widthSeconds: reached.latestSeconds - reached.soonestSeconds,
      lineErrorSeconds: aheadSeconds - straight,
    });
  }
  return { curves, drops };
}

/** The forecaster without the machine's own errors: these are fitted. */
const unfitted = (curves: readonly PastCurve[]): ForecastBasis => ({ curves, errorFactor: 1 });

/** Shares for one roast more than these, as conformal prediction takes them. */
const shareOf = (roasts: number) => Math.min(0.95, 0.8 * (1 + 1 / Math.max(1, roasts)));

/** The usual errors of these roasts: half of the band that holds eight in ten, each roast counting once. */
export function fitErrors(
  roasts: readonly ForecastRoast[],
  all: readonly ForecastRoast[],
  habits: ForecastHabits = usualForecastHabits,
): UsualErrors {
  const { curves } = judgeRoasts(roasts, all, habits, unfitted);
  const fit = (wanted: ReturnType<typeof errorClass>, early: boolean): UsualError => {
    const rows = curves.filter((row) => errorClass(row.pastRoasts) === wanted && row.early === early);
    const share = shareOf(new Set(rows.map(({ roast }) => roast)).size);
    const quantile = (of: readonly JudgedForecast[], value: (row: JudgedForecast) => number) =>
      clusteredQuantile(of, ({ roast }) => roast, value, share);
    const rateAt = (ahead: number) =>
      quantile(
        rows.filter(({ aheadSeconds, rateError }) => aheadSeconds === ahead && rateError !== null),
        ({ rateError }) => Math.abs(rateError ?? 0),
      );
    const perMinute = Math.max(0, (rateAt(120) - rateAt(30)) / 1.5);
    return {
      tempC: quantile(rows, ({ error, aheadSeconds }) => (Math.abs(error) * 60) / aheadSeconds),
      rateNowC: Math.max(0.5, rateAt(30) - perMinute / 2),
      rateC: perMinute,
    };
  };
  return {
    none: { early: null, later: fit('none', false) },
    few: { early: null, later: fit('few', false) },
    several: { early: fit('several', true), later: fit('several', false) },
  };
}

/** For each owner the usual errors of the roasts of all other owners. */
export function heldOutHabits(all: readonly ForecastRoast[]): Map<string, ForecastHabits> {
  const owners = [...new Set(all.map(({ owner }) => owner))];
  return new Map(
    owners.map((held) => {
      const others = all.filter(({ owner }) => owner !== held);
      return [held, { ...usualForecastHabits, errors: fitErrors(others, all) }];
    }),
  );
}

/** Each owner's roasts, forecast with errors that were fitted to the roasts of all other owners. */
export function judgeHeldOut(all: readonly ForecastRoast[], habits: ReadonlyMap<string, ForecastHabits>): JudgedRoasts {
  const judged = [...habits].map(([held, itsHabits]) =>
    judgeRoasts(
      all.filter(({ owner }) => owner === held),
      all,
      itsHabits,
    ),
  );
  return { curves: judged.flatMap((each) => each.curves), drops: judged.flatMap((each) => each.drops) };
}

/** A band around another forecast, as wide as eight in ten of its errors on the roasts of all other owners. */
export function simpleBand<T extends { readonly roast: ForecastRoast }>(
  rows: readonly T[],
  errorOf: (row: T) => number | null,
): { covered: boolean; width: number; roast: ForecastRoast }[] {
  const known = rows.filter((row) => errorOf(row) !== null);
  const away = (row: T) => Math.abs(errorOf(row) ?? 0);
  return [...new Set(known.map(({ roast }) => roast.owner))].flatMap((held) => {
    const others = known.filter(({ roast }) => roast.owner !== held);
    const roasts = new Set(others.map(({ roast }) => roast)).size;
    const half = clusteredQuantile(others, ({ roast }) => roast, away, shareOf(roasts));
    return known
      .filter(({ roast }) => roast.owner === held)
      .map((row) => ({ roast: row.roast, covered: away(row) <= half, width: 2 * half }));
  });
}
