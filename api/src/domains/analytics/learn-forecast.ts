import { crackBatchRatio, predictFirstCrack } from '@roastery/roasting/forecast/first-crack';
import { closestRoasts, isSameBatch } from '@roastery/roasting/forecast/forecast-basis';
import { createForecastLearner } from '@roastery/roasting/forecast/forecast-learner';
import type { ForecastRecord, LearntForecast } from '@roastery/roasting/forecast/learnt-forecast';
import { pastCurveOf, pastCurveStepSeconds, turnOf } from '@roastery/roasting/forecast/past-curve';
import { probeLagSeconds } from '@roastery/roasting/forecast/probe-lag';
import { pastsOf } from '@roastery/roasting/forecast/usual-rise';
import { nextTurn } from '@roastery/runtime/turns';
import type { Sql } from '../../db/sql.ts';
import type { CurveSource } from './curve-cache.ts';
import { readCurves } from './read-bean-curves.ts';

/** A roast of a machine, with what it may have in common with others. */
export type PastRow = CurveSource & {
  readonly start_time: string;
  readonly profile_id: string | null;
  readonly coffee_name: string | null;
  readonly lot_id: string | null;
  readonly batch_size_kg: number | null;
  readonly first_crack_time: number | null;
  readonly first_crack_temp: number | null;
  readonly first_crack_observed: boolean;
};

/** Roasts before another one, with what they have in common with it. */
export const pastOf = <Row extends PastRow>(roast: PastRow, before: readonly Row[]) =>
  before.map((row) => ({
    row,
    sameRecipe: row.profile_id !== null && row.profile_id === roast.profile_id,
    sameCoffee: row.coffee_name !== null && row.coffee_name === roast.coffee_name,
    sameBatch: isSameBatch(row.batch_size_kg, roast.batch_size_kg),
  }));

const channels = ['bean_temp', 'heat_power', 'fan_speed'];
/** Read in one query. */
const readAtOnce = 10;
/** With fewer earlier marks the temperature of first crack is a guess. */
const fewestCracks = 3;

export interface MachineLessons {
  /** Null where forecasts have not shown that they are better than the rate of now. */
  readonly learnt: LearntForecast | null;
  readonly record: ForecastRecord | null;
  /** Of each roast that shows it, s. */
  readonly probeLags: readonly number[];
  /** The roasts with a curve, oldest first. */
  readonly roasts: readonly PastRow[];
}

/**
 * Learns from the roasts of a machine, newest first; about 15 ms of work for each, a turn of the event loop for each.
 */
export const learnFromRoasts = async (sql: Sql, past: readonly PastRow[]): Promise<MachineLessons> => {
  const probeLags: number[] = [];
  const learner = createForecastLearner();
  const before: (PastRow & { curve: ReturnType<typeof pastCurveOf> })[] = [];
  const inOrder = past.filter(({ is_complete: isComplete }) => isComplete).toReversed();
  for (let from = 0; from < inOrder.length; from += readAtOnce) {
    const rows = inOrder.slice(from, from + readAtOnce);
    const read = await readCurves(sql, rows, channels);
    for (const [index, row] of rows.entries()) {
      const [beanTempC = [], heatPower, fanSpeed] = read[index] ?? [];
      if (beanTempC.length === 0) continue;
      await nextTurn();
      const timesSeconds = Array.from(beanTempC.keys());
      const dropSeconds = beanTempC.length - 1;
      const curve = pastCurveOf(timesSeconds, beanTempC, dropSeconds);
      const newestFirst = before.toReversed();
      learner.add({
        track: { timesSeconds, beanTempC, heatPower, fanSpeed },
        turnSeconds: turnOf(curve) * pastCurveStepSeconds,
        dropSeconds,
        pasts: pastsOf(closestRoasts(pastOf(row, newestFirst)).roasts.map(({ row: other }) => other.curve)),
        crack: crackOf(row, newestFirst),
      });
      const lag = probeLagSeconds(beanTempC);
      if (lag !== null) probeLags.push(lag);
      before.push({ ...row, curve });
    }
  }
  return { learnt: learner.learnt(), record: learner.record(), probeLags, roasts: before };
};

/** First crack of a roast as its machine's earlier marks let expect it; only told marks count. */
const crackOf = (row: PastRow, newestFirst: readonly PastRow[]) => {
  const cracks = pastOf(row, newestFirst).flatMap(({ row: other, sameRecipe, sameCoffee }) => {
    if (!other.first_crack_observed || other.first_crack_temp === null) return [];
    return {
      tempC: other.first_crack_temp,
      sameMachine: true,
      sameBatch: isSameBatch(other.batch_size_kg, row.batch_size_kg, crackBatchRatio),
      sameRecipe,
      sameCoffee,
      sameLot: other.lot_id !== null && other.lot_id === row.lot_id,
    };
  });
  if (!row.first_crack_observed || row.first_crack_time === null || cracks.length < fewestCracks) return undefined;
  const { tempC, spreadC } = predictFirstCrack(cracks);
  return { seconds: row.first_crack_time, expectedC: tempC, spreadC };
};
