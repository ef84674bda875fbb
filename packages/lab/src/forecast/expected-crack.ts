import { isSameBatch } from '@roastery/roasting/forecast/forecast-basis';
import { crackBatchRatio, predictFirstCrack } from '@roastery/roasting/forecast/first-crack';
import { medianOf } from '@roastery/roasting/detection/readings';
import { isReading, valueAt, type Reading } from '@roastery/roasting/curves/series';
import { roastsBefore, type ForecastRoast } from './past-roasts.ts';

/** The first crack of a roast, with what earlier marks of its machine said of it. */
export interface ExpectedCrack {
  readonly seconds: number;
  readonly tempC: number;
  readonly expectedC: number;
  readonly spreadC: number;
  /** The median of all earlier ones. */
  readonly medianC: number;
}

const fewestMarks = 3;

const crackC = (roast: ForecastRoast): Reading =>
  roast.crackSeconds === null ? null : valueAt(roast.timesSeconds, roast.tempsC, roast.crackSeconds);

/** Undefined without a mark, or with fewer than three earlier ones. */
export function expectedCrack(all: readonly ForecastRoast[], roast: ForecastRoast): ExpectedCrack | undefined {
  const tempC = crackC(roast);
  const past = roastsBefore(all, roast).flatMap((other) => {
    const otherC = crackC(other);
    if (!isReading(otherC)) return [];
    const sameBatch = isSameBatch(other.greenKg, roast.greenKg, crackBatchRatio);
    const sameCoffee = roast.coffee !== '' && other.coffee === roast.coffee;
    return [{ tempC: otherC, sameMachine: true, sameBatch, sameRecipe: false, sameCoffee, sameLot: false }];
  });
  if (roast.crackSeconds === null || !isReading(tempC) || past.length < fewestMarks) return undefined;
  const { tempC: expectedC, spreadC } = predictFirstCrack(past);
  const medianC = medianOf(past.map(({ tempC: pastC }) => pastC)) ?? expectedC;
  return { seconds: roast.crackSeconds, tempC, expectedC, spreadC, medianC };
}
