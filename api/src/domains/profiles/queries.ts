import type { Profile } from '@roastery/contract/profiles';
import type { SignedInUser } from '../../http/server-context.ts';
import { containing, type Sql } from '../../db/sql.ts';
import { roastAccess } from '../../identity/access.ts';

/**
 * The chosen reference roast, else the highest-scoring one of the recipe's completed roasts; among those this person
 * may see.
 */
const referenceRoast = (sql: Sql, user: SignedInUser) => sql`
  coalesce(
    (SELECT r.id FROM roasts r WHERE r.id = p.reference_roast_id AND ${roastAccess(sql, user)}),
    (SELECT r.id FROM roasts r
      WHERE r.profile_id = p.id AND r.status = 'completed' AND r.cupping_score IS NOT NULL AND ${roastAccess(sql, user)}
      ORDER BY r.cupping_score DESC, r.start_time DESC LIMIT 1))`;

const columns = (sql: Sql, user: SignedInUser) => sql`
  p.id, p.name, p.description, p.coffee_origin, p.coffee_variety, p.roast_level, p.target_charge_temp,
  p.target_drop_temp, p.target_roast_time,
  p.target_development_time, p.min_batch_size, p.max_batch_size, p.green_coffee_lot_id, p.auto_deduct_inventory,
  p.alert_low_inventory, p.control_profile, p.auto_interpolate, p.times_used, p.revision,
  EXISTS (SELECT FROM profile_favorites f WHERE f.profile_id = p.id AND f.user_id = ${user.id}) AS is_favorite,
  CASE WHEN l.id IS NOT NULL
       THEN jsonb_build_object('lot_number', l.lot_number, 'current_weight', l.current_weight) END AS lot_info,
  ${referenceRoast(sql, user)} AS reference_roast_id,
  EXISTS (SELECT FROM roasts r WHERE r.id = p.reference_roast_id AND ${roastAccess(sql, user)}) AS reference_is_chosen`;

const source = (sql: Sql) => sql`profiles p LEFT JOIN lots l ON l.id = p.green_coffee_lot_id`;

export const findProfile = async (sql: Sql, user: SignedInUser, id: string): Promise<Profile | undefined> => {
  const [row] = await sql<Profile[]>`
    SELECT ${columns(sql, user)} FROM ${source(sql)} WHERE p.id = ${id} AND p.archived_at IS NULL`;
  return row;
};

/** The list's filter has three levels; Medium covers its neighbours. */
const levelsCovered = {
  Light: ['Light'],
  Medium: ['Medium-Light', 'Medium', 'Medium-Dark'],
  Dark: ['Dark'],
} as const;

export interface ProfileListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
  readonly origin?: string | undefined;
  readonly roast_level?: keyof typeof levelsCovered | undefined;
  readonly favorites_only?: boolean | undefined;
}

const filtered = (sql: Sql, user: SignedInUser, query: ProfileListQuery) => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q);
  return sql`
    p.archived_at IS NULL
    ${search === undefined ? sql`` : sql`AND (p.name ILIKE ${search} OR p.description ILIKE ${search})`}
    ${query.origin === undefined || query.origin === '' ? sql`` : sql`AND p.coffee_origin = ${query.origin}`}
    ${
      query.roast_level === undefined
        ? sql``
        : sql`AND p.roast_level = ANY(${[...levelsCovered[query.roast_level]]}::text[])`
    }
    ${
      query.favorites_only === true
        ? sql`AND EXISTS (SELECT FROM profile_favorites f WHERE f.profile_id = p.id AND f.user_id = ${user.id})`
        : sql``
    }`;
};

export const listProfiles = async (
  sql: Sql,
  user: SignedInUser,
  query: ProfileListQuery,
): Promise<{ profiles: Profile[]; total: number }> => {
  const where = filtered(sql, user, query);
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM profiles p WHERE ${where}`;
  const profiles = await sql<Profile[]>`
    SELECT ${columns(sql, user)} FROM ${source(sql)} WHERE ${where}
     ORDER BY lower(p.name), p.id LIMIT ${query.limit} OFFSET ${query.offset}`;
  return { profiles, total: count?.total ?? 0 };
};
