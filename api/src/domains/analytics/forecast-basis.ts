import type { ForecastBasisAnswer } from '@roastery/contract/roasts';
import { closestRoasts, forecastBasis, isSameBatch, maxPastCurves } from '@roastery/roasting/forecast-basis';
import { pastCurveOf } from '@roastery/roasting/past-curve';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { roastAccess } from '../../identity/access.ts';
import { type CurveCache, type CurveSource, curveSourceColumns } from './curve-cache.ts';

/** The newest roasts of the machine, from which the closest are chosen. */
const newestOfMachine = 60;

type PastRow = CurveSource & {
  readonly same_recipe: boolean;
  readonly same_coffee: boolean;
  readonly batch_size_kg: number | null;
};

/** The past roasts that the curve of a roast is forecast from, limited to those that this person may see. */
export const readForecastBasis = async (
  sql: Sql,
  user: SignedInUser,
  curves: CurveCache,
  id: string,
): Promise<ForecastBasisAnswer> => {
  const [roast] = await sql<{ batch_size_kg: number | null; start_time: string }[]>`
    SELECT r.batch_size_kg, r.start_time FROM roasts r WHERE r.id = ${id} AND ${roastAccess(sql, user)}`;
  if (roast === undefined) throw notFound('Roast');
  const past = await sql<PastRow[]>`
    SELECT r.id, r.batch_size_kg, ${curveSourceColumns(sql)},
           coalesce(r.profile_id = this.profile_id, false) AS same_recipe,
           coalesce(r.coffee_name = this.coffee_name, false) AS same_coffee
      FROM roasts this JOIN roasts r ON r.machine_id = this.machine_id
     WHERE this.id = ${id} AND r.id <> this.id AND r.start_time < ${roast.start_time} AND r.status = 'completed'
       AND r.charge_seq IS NOT NULL AND r.drop_seq IS NOT NULL AND ${roastAccess(sql, user)}
     ORDER BY r.start_time DESC, r.id DESC LIMIT ${newestOfMachine}`;
  const { source, roasts } = closestRoasts(
    past.map((row) => ({
      row,
      sameRecipe: row.same_recipe,
      sameCoffee: row.same_coffee,
      sameBatch: isSameBatch(row.batch_size_kg, roast.batch_size_kg),
    })),
  );
  const read = await curves.readAll(
    sql,
    roasts.map(({ row }) => row),
  );
  const recorded = read.filter((curve) => curve.length > 0).slice(0, maxPastCurves);
  const basis = forecastBasis(recorded.map((curve) => pastCurveOf(Array.from(curve.keys()), curve, curve.length - 1)));
  return {
    source: recorded.length === 0 ? 'none' : source,
    curves: basis.curves.map((curve) => [...curve]),
    error_factor: basis.errorFactor,
  };
};
