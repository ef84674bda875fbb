import { createForecaster, type CurveForecaster } from '@roastery/roasting/forecast/curve-forecast';
import { createForecastLearner } from '@roastery/roasting/forecast/forecast-learner';
import { hotFromC } from '@roastery/roasting/forecast/learnt-forecast';
import { pastCurveStepSeconds, type PastCurve } from '@roastery/roasting/forecast/past-curve';
import { roastMoment } from '@roastery/roasting/forecast/roast-moment';
import { isReading, valueAt } from '@roastery/roasting/curves/series';
import { pastsOf } from '@roastery/roasting/forecast/usual-rise';
import { expectedCrack, type ExpectedCrack } from './expected-crack.ts';
import { pastCurves, roastsBefore, storedTrack, type ForecastRoast } from './past-roasts.ts';
import { createPlainRidge, type PlainRidge } from './plain-ridge.ts';

/** A roast with all that was known before it. */
export interface RoastToForecast {
  readonly roast: ForecastRoast;
  /** Earlier roasts of its machine. */
  readonly pastRoasts: number;
  readonly curves: readonly PastCurve[];
  /** Whether the machine's bands of first crack have held. */
  readonly timesFirstCrack: boolean;
  /** First crack by the earlier marks of the machine; undefined with fewer than three. */
  readonly crack: ExpectedCrack | undefined;
  readonly forecaster: CurveForecaster;
  readonly plain: PlainRidge;
}

/** One forecast with the actual values. Temperatures and errors in °C, rates in °C/min. */
export interface JudgedForecast {
  readonly roast: ForecastRoast;
  readonly pastRoasts: number;
  readonly aheadSeconds: number;
  readonly isHot: boolean;
  readonly error: number;
  readonly half: number;
  /** Null where no rate is drawn. */
  readonly rateError: number | null;
  readonly rateHalf: number;
  /** Errors of the rate of now, and of the plain regression. */
  readonly persistentError: number;
  readonly plainError: number;
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

export const aheads: readonly number[] = [30, 60, 120];
const everySeconds = 10;

/** Goes through the roasts of each machine in time: `judge` sees a roast before anything is learnt from it. */
export function forwardInTime<T>(all: readonly ForecastRoast[], judge: (known: RoastToForecast) => T): T[] {
  const machines = new Map<string, ForecastRoast[]>();
  for (const roast of all) {
    const key = `${roast.owner} ${roast.machine}`;
    machines.set(key, [...(machines.get(key) ?? []), roast]);
  }
  return [...machines.values()].flatMap((roasts) => {
    const learner = createForecastLearner();
    const plain = createPlainRidge(aheads);
    const inOrder = roasts.toSorted((a, b) => roastsBefore(roasts, a).length - roastsBefore(roasts, b).length);
    return inOrder.map((roast, pastRoasts) => {
      const curves = pastCurves(roastsBefore(roasts, roast), roast);
      const learnt = learner.learnt();
      const crack = expectedCrack(roasts, roast);
      const known = { roast, pastRoasts, curves, crack, timesFirstCrack: learnt?.timesFirstCrack ?? false };
      const judged = judge({ ...known, forecaster: createForecaster({ curves, learnt }), plain });
      learner.add({ ...roast, track: storedTrack(roast), pasts: pastsOf(curves), crack });
      plain.add(roast, curves);
      return judged;
    });
  });
}

/** Every 10 s of a roast. */
export function judgeCurve({ roast, pastRoasts, curves, forecaster, plain }: RoastToForecast): JudgedForecast[] {
  const { timesSeconds, tempsC, ratesC, dropSeconds, turnSeconds } = roast;
  const judged: JudgedForecast[] = [];
  for (let now = turnSeconds + 30; now < dropSeconds; now += everySeconds) {
    const moment = roastMoment(roast.track, turnSeconds, now);
    const forecast = moment && forecaster.forecast(moment);
    if (!forecast) continue;
    for (const aheadSeconds of aheads) {
      const then = now + aheadSeconds;
      const point = forecast.points[aheadSeconds / pastCurveStepSeconds];
      const actualC = then > dropSeconds ? null : valueAt(timesSeconds, tempsC, then);
      if (!point || !isReading(actualC)) continue;
      const rateC = valueAt(timesSeconds, ratesC, then);
      judged.push({
        roast,
        pastRoasts,
        aheadSeconds,
        isHot: moment.tempC >= hotFromC,
        error: actualC - point.tempC.likely,
        half: point.tempC.high - point.tempC.likely,
        rateError: isReading(rateC) ? rateC - point.ratePerMinuteC.likely : null,
        rateHalf: point.ratePerMinuteC.high - point.ratePerMinuteC.likely,
        persistentError: actualC - moment.tempC - moment.perSecondC * aheadSeconds,
        plainError: actualC - moment.tempC - plain.riseC(moment, curves, aheadSeconds),
      });
    }
  }
  return judged;
}

/** When the temperature of the drop is reached, every 10 s. */
export function judgeDrop({ roast, forecaster }: RoastToForecast): JudgedDrop[] {
  const { timesSeconds, tempsC, dropSeconds, turnSeconds, track } = roast;
  const endC = roast.dropIsCredible ? valueAt(timesSeconds, tempsC, dropSeconds, 30) : null;
  if (!isReading(endC)) return [];
  const dropC = endC - belowDropC;
  const reachedSeconds = timesSeconds.find((time, index) => time > turnSeconds && (tempsC[index] ?? 0) >= dropC) ?? 0;
  const judged: JudgedDrop[] = [];
  for (let now = turnSeconds + 30; now < reachedSeconds; now += everySeconds) {
    const moment = roastMoment(track, turnSeconds, now);
    const reached = moment && forecaster.forecast(moment)?.reaches(dropC);
    if (!reached) continue;
    const aheadSeconds = reachedSeconds - now;
    judged.push({
      roast,
      aheadSeconds,
      errorSeconds: aheadSeconds - reached.likelySeconds,
      covered: aheadSeconds >= reached.soonestSeconds && aheadSeconds <= reached.latestSeconds,
      widthSeconds: reached.latestSeconds - reached.soonestSeconds,
      lineErrorSeconds: aheadSeconds - (dropC - moment.tempC) / moment.perSecondC,
    });
  }
  return judged;
}
