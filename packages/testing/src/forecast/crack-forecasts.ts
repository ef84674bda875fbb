import { createForecaster, roastMoment, type ForecastHabits } from '@roastery/roasting/curve-forecast';
import { forecastBasis, isSameBatch } from '@roastery/roasting/forecast-basis';
import { crackBatchRatio, predictFirstCrack, type PredictedFirstCrack } from '@roastery/roasting/first-crack';
import { medianOf } from '@roastery/roasting/readings';
import { isReading, valueAt } from '@roastery/roasting/series';
import { pastCurves, roastsBefore, type ForecastRoast } from './past-roasts.ts';

/** A forecast of first crack with the time of its mark. */
export interface JudgedCrack {
  readonly roast: ForecastRoast;
  /** Past roasts of the machine with a marked crack. */
  readonly pastCracks: number;
  readonly aheadSeconds: number;
  readonly errorSeconds: number;
  /** Of a straight line to the same temperature. */
  readonly lineErrorSeconds: number;
  readonly covered: boolean;
  readonly widthSeconds: number;
  /** Error of the band if the temperature of this crack had been known; null if it was passed before. */
  readonly knownTempWidthSeconds: number | null;
  readonly simple: SimpleErrors;
}

/** Errors of simple forecasts, s; null where there is no past crack of the machine. */
export interface SimpleErrors {
  /** A straight line to the middle temperature of all other owners. */
  readonly othersLine: number;
  /** A straight line to the middle of the machine's newest five. */
  readonly ownLine: number | null;
  /** The crack of the machine's newest past roast, at the same time since the charge. */
  readonly reference: number | null;
}

/** First crack is forecast from here on, °C. */
const fromC = 150;
const everySeconds = 5;
const newest = 5;

const crackC = (roast: ForecastRoast) =>
  roast.crackSeconds === null ? null : valueAt(roast.timesSeconds, roast.tempsC, roast.crackSeconds);
const crackTemps = (roasts: readonly ForecastRoast[]) => roasts.map(crackC).filter(isReading);

interface Known {
  readonly prediction: PredictedFirstCrack;
  /** Of the machine, newest first. */
  readonly own: readonly ForecastRoast[];
  readonly othersC: number;
}

/** The crack temperature predicted from the earlier roasts of the machine, and from all roasts of other owners. */
function knownBefore(all: readonly ForecastRoast[], roast: ForecastRoast): Known {
  const own = roastsBefore(all, roast).filter((other) => isReading(crackC(other)));
  const others = all.filter(({ owner }) => owner !== roast.owner);
  const past = [...own, ...others].flatMap((other) => {
    const tempC = crackC(other);
    if (!isReading(tempC)) return [];
    const sameMachine = other.owner === roast.owner;
    const sameCoffee = sameMachine && roast.coffee !== '' && other.coffee === roast.coffee;
    const sameBatch = sameMachine && isSameBatch(other.greenKg, roast.greenKg, crackBatchRatio);
    return [{ tempC, sameMachine, sameBatch, sameRecipe: false, sameCoffee, sameLot: false }];
  });
  return { prediction: predictFirstCrack(past), own, othersC: medianOf(crackTemps(others)) ?? Number.NaN };
}

/** The forecasts of each roast's crack every 5 s; nothing of a roast is used in its own forecast. */
export function judgeCracks(all: readonly ForecastRoast[], habits: ReadonlyMap<string, ForecastHabits>): JudgedCrack[] {
  return all.flatMap((roast) => {
    const tempC = crackC(roast);
    if (roast.crackSeconds === null || !isReading(tempC)) return [];
    const { prediction, own, othersC } = knownBefore(all, roast);
    const ownC = medianOf(crackTemps(own.slice(0, newest)));
    const referenceSeconds = own[0]?.crackSeconds ?? null;
    const itsHabits = habits.get(roast.owner);
    const curves = pastCurves(roastsBefore(all, roast), roast);
    const forecaster = createForecaster(forecastBasis(curves, itsHabits), itsHabits);
    const judged: JudgedCrack[] = [];
    for (let now = roast.turnSeconds + 30; now < roast.crackSeconds; now += everySeconds) {
      const moment = roastMoment(roast.timesSeconds, roast.tempsC, roast.turnSeconds, now);
      if (!moment || moment.tempC < fromC) continue;
      const forecast = forecaster.forecast(moment);
      const said = forecast?.reaches(prediction.tempC, prediction.spreadC);
      if (!said) continue;
      const aheadSeconds = roast.crackSeconds - now;
      const lineError = (toC: number) => aheadSeconds - (toC - moment.tempC) / moment.perSecondC;
      const known = forecast?.reaches(tempC);
      judged.push({
        roast,
        pastCracks: own.length,
        aheadSeconds,
        errorSeconds: aheadSeconds - said.likelySeconds,
        lineErrorSeconds: lineError(prediction.tempC),
        covered: aheadSeconds >= said.soonestSeconds && aheadSeconds <= said.latestSeconds,
        widthSeconds: said.latestSeconds - said.soonestSeconds,
        knownTempWidthSeconds: known ? known.latestSeconds - known.soonestSeconds : null,
        simple: {
          othersLine: lineError(othersC),
          ownLine: ownC === undefined ? null : lineError(ownC),
          reference: referenceSeconds === null ? null : aheadSeconds - (referenceSeconds - now),
        },
      });
    }
    return judged;
  });
}

/** How far the marks of one machine deviate from earlier ones, which no forecast can predict. */
export interface MarkScatter {
  readonly roasts: number;
  /** Eight in ten marks lie within this many °C of the median of the machine's newest five before. */
  readonly eightOfTenC: number;
  /** Middle rate of rise in the half minute before the crack, °C/min. */
  readonly ratePerMinuteC: number;
}

/** Of each owner with enough roasts on one machine, with three past cracks or more. */
export function scatterOfMarks(all: readonly ForecastRoast[]): MarkScatter[] {
  const owners = [...new Set(all.map(({ owner }) => owner))];
  return owners.flatMap((owner) => {
    const away: number[] = [];
    const rates: number[] = [];
    for (const roast of all.filter((one) => one.owner === owner)) {
      const tempC = crackC(roast);
      const before = crackTemps(roastsBefore(all, roast));
      if (!isReading(tempC) || before.length < 3) continue;
      away.push(Math.abs(tempC - (medianOf(before.slice(0, newest)) ?? tempC)));
      const earlierC = valueAt(roast.timesSeconds, roast.tempsC, (roast.crackSeconds ?? 0) - 30);
      if (isReading(earlierC)) rates.push(2 * (tempC - earlierC));
    }
    if (away.length < 10) return [];
    const eighth = away.toSorted((a, b) => a - b)[Math.ceil(0.8 * away.length) - 1] ?? Number.NaN;
    return [{ roasts: away.length, eightOfTenC: eighth, ratePerMinuteC: medianOf(rates) ?? Number.NaN }];
  });
}
