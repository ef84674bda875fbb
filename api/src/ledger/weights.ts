import { formatKilograms } from '../format/format.ts';
import type { Sql } from '../db/sql.ts';
import { AppError } from '../http/app-error.ts';

/**
 * A sum of weights to the milligram, as weights are kept: 0.1 and 0.2 kg are 0.3, not 0.30000000000000004. 0 of none.
 */
export const sumOfKg = (sql: Sql, kg: Fragment) => sql`round(coalesce(sum(${kg}), 0)::numeric, 6)::float8`;
export const batchKg = (sql: Sql) => sql`r.batch_size_kg`;
type Fragment = ReturnType<typeof batchKg>;

/** The weight of a roast: the roasted weight where known, else the batch. */
export const roastedKg = (sql: Sql) => sql`coalesce(r.end_weight_kg, r.batch_size_kg, 0)::numeric(14, 6)`;

/** The weight of a roast that is in blends. */
export const blendedKg = (sql: Sql) => sql`
  (SELECT coalesce(sum(c.kg), 0) FROM blend_components c WHERE c.roast_id = r.id)`;

/**
 * A roast can't weigh less than its share in blends. Called after a change of its weights, in the same transaction; the
 * caller holds the roast's row.
 */
export const refuseOverdrawn = async (tx: Sql, roastId: string): Promise<void> => {
  const [roast] = await tx<{ weight: number; used: number }[]>`
    SELECT ${roastedKg(tx)} AS weight, ${blendedKg(tx)} AS used FROM roasts r WHERE r.id = ${roastId}`;
  if (roast === undefined || roast.used <= roast.weight) return;
  throw new AppError(
    'conflict',
    `Blends use ${formatKilograms(roast.used)} of this roast, so it can’t weigh less. Change the blends first.`,
  );
};
