import type { PredictedCrack } from '@roastery/contract/roast-forecasts';
import { crackBatchRatio, predictFirstCrack } from '@roastery/roasting/forecast/first-crack';
import { isSameBatch } from '@roastery/roasting/forecast/forecast-basis';
import type { SignedInUser } from '../../../http/server-context.ts';
import type { Sql } from '../../../db/sql.ts';
import { roastAccess } from '../../../identity/access.ts';

/** A machine's newest cracks, and of all other machines together: enough to stabilise its own. */
const newestOfMachine = 300;
const newestOfOthers = 60;

interface PastRow {
  readonly temp: number;
  readonly same_machine: boolean;
  readonly batch_size_kg: number | null;
  readonly same_recipe: boolean;
  readonly same_coffee: boolean;
  readonly same_lot: boolean;
}

/**
 * The predicted temperature of first crack of a roast, from earlier roasts that this person may see; undefined without
 * that roast. Only cracks that a person or the machine marked count, with their present marks: a correction takes
 * effect at once.
 */
export const readPredictedCrack = async (
  sql: Sql,
  id: string,
  user: SignedInUser,
): Promise<PredictedCrack | undefined> => {
  const [roast] = await sql<
    {
      machine_id: string | null;
      profile_id: string | null;
      lot_id: string | null;
      coffee_name: string | null;
      batch_size_kg: number | null;
      start_time: string;
    }[]
  >`
    SELECT r.machine_id, r.profile_id, r.lot_id, r.coffee_name, r.batch_size_kg, r.start_time FROM roasts r
    WHERE r.id = ${id} AND ${roastAccess(sql, user)}`;
  if (roast === undefined) return undefined;
  const marked = sql`
    r.first_crack_observed AND r.first_crack_temp IS NOT NULL AND r.status = 'completed'
    AND r.id <> ${id} AND r.start_time < ${roast.start_time} AND ${roastAccess(sql, user)}`;
  const shared = sql`
    r.start_time, r.first_crack_temp AS temp, r.batch_size_kg,
    coalesce(r.machine_id = ${roast.machine_id}::uuid, false) AS same_machine,
    coalesce(r.profile_id = ${roast.profile_id}::uuid, false) AS same_recipe,
    coalesce(r.coffee_name = ${roast.coffee_name}::text, false) AS same_coffee,
    coalesce(r.lot_id = ${roast.lot_id}::uuid, false) AS same_lot`;
  const past = await sql<PastRow[]>`
    SELECT temp, batch_size_kg, same_machine, same_recipe, same_coffee, same_lot FROM (
      (SELECT ${shared} FROM roasts r WHERE r.machine_id = ${roast.machine_id}::uuid AND ${marked}
        ORDER BY r.start_time DESC LIMIT ${newestOfMachine})
      UNION ALL
      (SELECT ${shared} FROM roasts r WHERE r.machine_id IS DISTINCT FROM ${roast.machine_id}::uuid AND ${marked}
        ORDER BY r.start_time DESC LIMIT ${newestOfOthers})
    ) cracks ORDER BY start_time DESC`;
  const learnt = predictFirstCrack(
    past.map((row) => ({
      tempC: row.temp,
      sameMachine: row.same_machine,
      sameBatch: row.same_machine && isSameBatch(row.batch_size_kg, roast.batch_size_kg, crackBatchRatio),
      sameRecipe: row.same_recipe,
      sameCoffee: row.same_coffee,
      sameLot: row.same_lot,
    })),
  );
  return { temp: learnt.tempC, spread: learnt.spreadC, source: learnt.source, roasts: learnt.roasts };
};
