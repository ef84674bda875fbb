import type { BlendableRoast } from '@roastery/contract/blends';
import type { SignedInUser } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { roastedKg } from '../../ledger/blend-use.ts';
import { visibleTo } from '../roasts/roast-row.ts';

interface Wanted {
  readonly search: string | undefined;
  readonly limit: number;
  readonly offset: number;
  /** What this blend holds counts as left. */
  readonly blendId: string | undefined;
}

/** Finished roasts of which something is left, newest first. */
export const readBlendableRoasts = async (
  sql: Sql,
  user: SignedInUser,
  { search, limit, offset, blendId }: Wanted,
): Promise<{ roasts: BlendableRoast[]; total: number }> => {
  const used = sql`
    (SELECT coalesce(sum(c.kg), 0) FROM blend_components c
     WHERE c.roast_id = r.id ${blendId === undefined ? sql`` : sql`AND c.blend_id <> ${blendId}`})`;
  const where = sql`
    r.status = 'completed' AND ${visibleTo(sql, user)} AND ${roastedKg(sql)} > ${used}
    ${search === undefined ? sql`` : sql`AND r.found_by ILIKE ${search}`}`;
  const [roasts, [count]] = await Promise.all([
    sql<BlendableRoast[]>`
      SELECT r.id AS roast_id, r.shown_number AS roast_number, r.coffee_name, r.coffee_origin,
             r.start_time AS roasted_at, ${roastedKg(sql)} AS weight_kg,
             r.end_weight_kg IS NOT NULL AS is_roasted_weight, ${used} AS used_kg, ${roastedKg(sql)} - ${used} AS left_kg
      FROM roasts r WHERE ${where} ORDER BY r.start_time DESC, r.id DESC LIMIT ${limit} OFFSET ${offset}`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM roasts r WHERE ${where}`,
  ]);
  return { roasts: [...roasts], total: count?.total ?? 0 };
};
