import type { Sql } from '../../db/sql.ts';
import { formatKilograms } from '../../format/format.ts';
import { invalid } from '../../http/app-error.ts';

interface PlannedWork {
  readonly machine_id: string;
  readonly lot_id?: string | null | undefined;
  readonly profile_id?: string | null | undefined;
  readonly batch_size_kg?: number | null | undefined;
}

interface Recipe {
  name: string;
  min_batch_size: number | null;
  max_batch_size: number | null;
}

const rangeOf = ({ name, min_batch_size: min, max_batch_size: max }: Recipe): string => {
  if (min === null) return `${name} takes at most ${formatKilograms(max ?? 0)}`;
  if (max === null) return `${name} takes at least ${formatKilograms(min)}`;
  return `${name} takes ${formatKilograms(min)} to ${formatKilograms(max)}`;
};

const isInRange = (kg: number, { min_batch_size: min, max_batch_size: max }: Recipe): boolean =>
  (min === null || kg >= min) && (max === null || kg <= max);

/** Refuses a plan with a missing lot or recipe, or with a batch outside the limits of its machine or its recipe. */
export const checkPlan = async (tx: Sql, plan: PlannedWork): Promise<void> => {
  const [row] = await tx<{ display_name: string; max_capacity_kg: number; has_lot: boolean; recipe: Recipe | null }[]>`
    SELECT m.display_name, m.max_capacity_kg,
           EXISTS (SELECT 1 FROM lots l WHERE l.id = ${plan.lot_id ?? null}) AS has_lot,
           (SELECT to_jsonb(f) FROM (
              SELECT name, min_batch_size, max_batch_size FROM profiles WHERE id = ${plan.profile_id ?? null}) f) AS recipe
    FROM machines m WHERE m.id = ${plan.machine_id}`;
  if (row === undefined) throw invalid('machine_id', 'There is no such machine');
  if (typeof plan.lot_id === 'string' && !row.has_lot) throw invalid('lot_id', 'There is no such lot');
  if (typeof plan.profile_id === 'string' && row.recipe === null)
    throw invalid('profile_id', 'There is no such recipe');
  const kg = plan.batch_size_kg;
  if (typeof kg !== 'number') return;
  if (kg > row.max_capacity_kg) {
    throw invalid('batch_size_kg', `${row.display_name} holds at most ${formatKilograms(row.max_capacity_kg)}`);
  }
  if (row.recipe !== null && !isInRange(kg, row.recipe)) throw invalid('batch_size_kg', rangeOf(row.recipe));
};
