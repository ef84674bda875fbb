import { createForecaster, roastMoment, type ForecastHabits } from '@roastery/roasting/curve-forecast';
import { forecastBasis } from '@roastery/roasting/forecast-basis';
import { predictFirstCrack, type PredictedFirstCrack } from '@roastery/roasting/first-crack';
import { isReading, valueAt } from '@roastery/roasting/series';
import { pastCurves, roastsBefore, type ForecastRoast } from './past-roasts.ts';

/** A forecast of first crack beside when it was marked. */
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
}

/** First crack is forecast from here on, °C. */
const fromC = 150;
const everySeconds = 5;

const crackC = (roast: ForecastRoast) =>
  roast.crackSeconds === null ? null : valueAt(roast.timesSeconds, roast.tempsC, roast.crackSeconds);

/** The crack temperature predicted from the earlier roasts of the machine, and from all roasts of other owners. */
function predicted(
  all: readonly ForecastRoast[],
  roast: ForecastRoast,
): { prediction: PredictedFirstCrack; own: number } {
  const own = roastsBefore(all, roast);
  const others = all.filter(({ owner }) => owner !== roast.owner);
  const past = [...own, ...others].flatMap((other) => {
    const tempC = crackC(other);
    if (!isReading(tempC)) return [];
    const sameMachine = other.owner === roast.owner;
    const sameCoffee = sameMachine && roast.coffee !== '' && other.coffee === roast.coffee;
    return [{ tempC, sameMachine, sameRecipe: false, sameCoffee, sameLot: false }];
  });
  return { prediction: predictFirstCrack(past), own: own.filter((other) => isReading(crackC(other))).length };
}

/** What is forecast of the crack of each roast every 5 s; nothing of a roast enters its own forecast. */
export function judgeCracks(all: readonly ForecastRoast[], habits: ReadonlyMap<string, ForecastHabits>): JudgedCrack[] {
  return all.flatMap((roast) => {
    const tempC = crackC(roast);
    if (roast.crackSeconds === null || !isReading(tempC)) return [];
    const { prediction, own } = predicted(all, roast);
    const itsHabits = habits.get(roast.owner);
    const curves = pastCurves(roastsBefore(all, roast), roast);
    const forecaster = createForecaster(forecastBasis(curves, itsHabits), itsHabits);
    const judged: JudgedCrack[] = [];
    for (let now = roast.turnSeconds + 30; now < roast.crackSeconds; now += everySeconds) {
      const moment = roastMoment(roast.timesSeconds, roast.tempsC, roast.turnSeconds, now);
      if (!moment || moment.tempC < fromC) continue;
      const said = forecaster.forecast(moment)?.reaches(prediction.tempC, prediction.spreadC);
      if (!said) continue;
      const aheadSeconds = roast.crackSeconds - now;
      judged.push({
        roast,
        pastCracks: own,
        aheadSeconds,
        errorSeconds: aheadSeconds - said.likelySeconds,
        lineErrorSeconds: aheadSeconds - (prediction.tempC - moment.tempC) / moment.perSecondC,
        covered: aheadSeconds >= said.soonestSeconds && aheadSeconds <= said.latestSeconds,
        widthSeconds: said.latestSeconds - said.soonestSeconds,
      });
    }
    return judged;
  });
}
