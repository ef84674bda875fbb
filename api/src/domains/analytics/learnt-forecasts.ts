import type { LearntForecast } from '@roastery/roasting/forecast/learnt-forecast';
import type { Sql } from '../../db/sql.ts';
import { learnFromRoasts, type PastRow } from './learn-forecast.ts';

/** A few KB each. */
const maxLearnt = 200;

interface Learnt {
  readonly from: string;
  readonly forecast: Promise<LearntForecast | null>;
}

/**
 * What machines taught, learnt once for each roast and person: a roast goes on with what was known at its beginning,
 * also while marks of earlier roasts are corrected.
 */
export const createLearntForecasts = () => {
  const kept = new Map<string, Learnt>();
  return {
    /** @param past roasts of the machine that this person may see, newest first */
    async of(
      sql: Sql,
      { roastId, userId }: { readonly roastId: string; readonly userId: string },
      past: readonly PastRow[],
    ): Promise<LearntForecast | null> {
      const key = `${roastId} ${userId}`;
      const from = past.map(({ id, is_complete: isComplete }) => `${id} ${isComplete}`).join();
      const known = kept.get(key);
      // Where nothing could be learnt yet, roasts that have arrived since are tried.
      if (known && (known.from === from || (await known.forecast) !== null)) return await known.forecast;
      const forecast = learnFromRoasts(sql, past).then(({ learnt }) => learnt);
      kept.set(key, { from, forecast });
      const [oldest] = kept.keys();
      if (kept.size > maxLearnt && oldest !== undefined) kept.delete(oldest);
      forecast.catch(() => kept.delete(key));
      return await forecast;
    },
  };
};
export type LearntForecasts = ReturnType<typeof createLearntForecasts>;
