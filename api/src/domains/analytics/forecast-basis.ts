import { sentForecast } from '@roastery/contract/learnt-forecast';
import type { ForecastBasisAnswer } from '@roastery/contract/roast-forecasts';
import { closestRoasts, maxPastCurves } from '@roastery/roasting/forecast/forecast-basis';
import { pastCurveOf } from '@roastery/roasting/forecast/past-curve';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { roastAccess } from '../../identity/access.ts';
import { type CurveCache, curveSourceColumns } from './curve-cache.ts';
import { type PastRow, pastOf } from './learn-forecast.ts';
import type { LearntForecasts } from './learnt-forecasts.ts';

/** The newest roasts of the machine, from which the closest are chosen and all of which it learns from. */
export const newestOfMachine = 60;

/** The past roasts that the curve of a roast is forecast from, limited to those that this person may see. */
export const readForecastBasis = async (
  sql: Sql,
  user: SignedInUser,
  known: { readonly curves: CurveCache; readonly learnt: LearntForecasts },
  id: string,
): Promise<ForecastBasisAnswer> => {
  const [roast] = await sql<PastRow[]>`
    SELECT ${pastColumns(sql)} FROM roasts r WHERE r.id = ${id} AND ${roastAccess(sql, user)}`;
  if (roast === undefined) throw notFound('Roast');
  const past = await sql<PastRow[]>`
    SELECT ${pastColumns(sql)}
      FROM roasts this JOIN roasts r ON r.machine_id = this.machine_id
     WHERE this.id = ${id} AND r.id <> this.id AND r.start_time < ${roast.start_time} AND r.status = 'completed'
       AND r.charge_seq IS NOT NULL AND r.drop_seq IS NOT NULL AND ${roastAccess(sql, user)}
     ORDER BY r.start_time DESC, r.id DESC LIMIT ${newestOfMachine}`;
  const { source, roasts } = closestRoasts(pastOf(roast, past));
  const read = await known.curves.readAll(
    sql,
    roasts.map(({ row }) => row),
  );
  const recorded = read.filter((curve) => curve.length > 0).slice(0, maxPastCurves);
  const learnt = await known.learnt.of(sql, { roastId: id, userId: user.id }, past);
  return {
    source: recorded.length === 0 ? 'none' : source,
    curves: recorded.map((curve) => [...pastCurveOf(Array.from(curve.keys()), curve, curve.length - 1)]),
    learnt: learnt && sentForecast(learnt),
  };
};

export const pastColumns = (sql: Sql) => sql`
  r.id, r.start_time, r.profile_id, r.coffee_name, r.lot_id, r.batch_size_kg, r.first_crack_time, r.first_crack_temp,
  r.first_crack_observed, ${curveSourceColumns(sql)}`;
