import * as contract from '@roastery/contract/blends';
import type { BlendableRoast } from '@roastery/contract/blends';
import type { Domain } from '../../app.ts';
import { notFound } from '../../http/app-error.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { roastAccess } from '../../identity/access.ts';
import { roastedKg } from '../../ledger/weights.ts';
import { foundBySearch, readSearch, type RoastSearch } from '../roasts/search-words.ts';
import { readBlend, readBlends } from './blend-row.ts';
import { createBlend, deleteBlend, updateBlend } from './save-blend.ts';

export const blendRoutes: Domain = (routes) => {
  routes.forUser(contract.listBlends, async ({ sql, user }, { query: { q, limit, offset } }) =>
    readBlends(sql, user, { search: await readSearch(sql, q), limit, offset }),
  );
  routes.forUser(contract.listBlendableRoasts, async ({ sql, user }, { query }) => {
    const { q, limit, offset, blend_id: blendId } = query;
    return readBlendableRoasts(sql, user, { search: await readSearch(sql, q), limit, offset, blendId });
  });
  routes.forUser(contract.getBlend, async ({ sql, user }, { params }) => {
    const blend = await readBlend(sql, user, params.id);
    if (blend === undefined) throw notFound('Blend');
    return blend;
  });
  routes.forUser(contract.createBlend, (context, { body }) => createBlend(context, body));
  routes.forUser(contract.updateBlend, (context, { params, body }) => updateBlend(context, params.id, body));
  routes.forUser(contract.deleteBlend, (context, { params }) => deleteBlend(context, params.id));
};

interface Wanted {
  readonly search: RoastSearch | undefined;
  readonly limit: number;
  readonly offset: number;
  /** The weight in this blend counts as left. */
  readonly blendId: string | undefined;
}

/** Finished roasts that are not used up, newest first. */
export const readBlendableRoasts = async (
  sql: Sql,
  user: SignedInUser,
  { search, limit, offset, blendId }: Wanted,
): Promise<{ roasts: BlendableRoast[]; total: number }> => {
  const others = blendId === undefined ? sql`true` : sql`c.blend_id <> ${blendId}`;
  const used = sql`
    (SELECT coalesce(sum(c.kg), 0) FROM blend_components c WHERE c.roast_id = r.id AND ${others})`;
  // Few roasts are in blends: the used-up ones are found once, instead of roast by roast.
  const where = sql`
    r.status = 'completed' AND ${roastAccess(sql, user, 'roast')} AND coalesce(r.end_weight_kg, r.batch_size_kg, 0) > 0
    AND r.id NOT IN (
      SELECT held.roast_id FROM (
        SELECT c.roast_id, sum(c.kg) AS kg FROM blend_components c
         WHERE c.roast_id IS NOT NULL AND ${others} GROUP BY c.roast_id) held
        JOIN roasts r ON r.id = held.roast_id WHERE held.kg >= ${roastedKg(sql)})
    ${search === undefined ? sql`` : sql`AND ${foundBySearch(sql, search)}`}`;
  const [roasts, [count]] = await Promise.all([
    sql<BlendableRoast[]>`
      WITH page AS MATERIALIZED (
        SELECT r.id FROM roasts r WHERE ${where} ORDER BY r.start_time DESC, r.id DESC LIMIT ${limit} OFFSET ${offset})
      SELECT r.id AS roast_id, r.said_number, r.coffee_name, r.coffee_origin,
             r.start_time AS roasted_at, ${roastedKg(sql)} AS weight_kg,
             r.end_weight_kg IS NOT NULL AS is_roasted_weight, ${used} AS used_kg, ${roastedKg(sql)} - ${used} AS left_kg
      FROM roasts r JOIN page ON page.id = r.id ORDER BY r.start_time DESC, r.id DESC`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM roasts r WHERE ${where}`,
  ]);
  return { roasts: [...roasts], total: count?.total ?? 0 };
};
