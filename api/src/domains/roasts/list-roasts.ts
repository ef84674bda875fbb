import type { ParsedQuery } from '@roastery/contract/endpoint';
import type { listRoasts as listRoastsEndpoint, RoastPart, RoastRow } from '@roastery/contract/roasts';
import type { SignedInUser } from '../../http/server-context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { roastAccess } from '../../identity/access.ts';
import { roastedBy, rowColumns, rowSource, usedGreenCoffee } from './roast-row.ts';
import { foundBySearch, readSearch, type RoastSearch } from './search-words.ts';

export type RoastListQuery = ParsedQuery<typeof listRoastsEndpoint>;

/** The filter of the page has three levels: Medium covers its neighbours. */
const levelsOf = (level: string): string[] =>
  level === 'Medium' ? ['Medium-Light', 'Medium', 'Medium-Dark'] : [level];

/** Whether a roast has a property. */
const has = {
  machine: (sql: Sql) => sql`r.machine_id IS NOT NULL`,
  coffee: (sql: Sql) => sql`r.coffee_name IS NOT NULL`,
  recipe: (sql: Sql) => sql`(r.profile_id IS NOT NULL OR r.profile_name IS NOT NULL)`,
  lot: (sql: Sql) => sql`r.lot_id IS NOT NULL`,
  green: usedGreenCoffee,
  development: (sql: Sql) => sql`r.development_time_ratio IS NOT NULL`,
  weight: (sql: Sql) => sql`r.end_weight_kg IS NOT NULL`,
} satisfies Record<RoastPart, (sql: Sql) => object>;

const lacks = (sql: Sql, part: RoastPart) => {
  if (part === 'green') return sql`r.status <> 'in_progress' AND NOT ${has[part](sql)}`;
  return part === 'weight' ? sql`r.status = 'completed' AND NOT ${has[part](sql)}` : sql`NOT ${has[part](sql)}`;
};

const matching = (
  sql: Sql,
  user: SignedInUser,
  query: RoastListQuery,
  zone: string,
  search: RoastSearch | undefined,
) => sql`
    ${roastAccess(sql, user)}
    ${query.ids === undefined ? sql`` : sql`AND r.id = ANY(${query.ids}::uuid[])`}
    ${query.status === undefined ? sql`` : sql`AND r.status = ${query.status}`}
    ${query.machine_id === undefined ? sql`` : sql`AND r.machine_id = ${query.machine_id}`}
    ${query.profile_id === undefined ? sql`` : sql`AND r.profile_id = ${query.profile_id}`}
    ${query.lot_id === undefined ? sql`` : sql`AND r.lot_id = ${query.lot_id}`}
    ${query.coffee_name === undefined ? sql`` : sql`AND r.coffee_name = ${query.coffee_name}`}
    ${query.origin === undefined ? sql`` : sql`AND r.coffee_origin = ${query.origin}`}
    ${query.roasted_by === undefined ? sql`` : sql`AND ${roastedBy(sql)} = ${query.roasted_by}`}
    ${
      query.level === undefined
        ? sql``
        : sql`AND coalesce(r.roast_level, r.roast_level_target) = ANY(${levelsOf(query.level)}::text[])`
    }
    ${
      query.favorites_only === true
        ? sql`AND EXISTS (SELECT FROM roast_favorites f WHERE f.roast_id = r.id AND f.user_id = ${user.id})`
        : sql``
    }
    ${query.with === undefined ? sql`` : sql`AND ${has[query.with](sql)}`}
    ${query.without === undefined ? sql`` : sql`AND ${lacks(sql, query.without)}`}
    ${
      query.former_recipe === undefined
        ? sql``
        : sql`AND r.profile_id IS NULL AND r.profile_name = ${query.former_recipe}`
    }
    ${query.from === undefined ? sql`` : sql`AND r.start_time >= (${query.from}::date)::timestamp AT TIME ZONE ${zone}`}
    ${query.to === undefined ? sql`` : sql`AND r.start_time < (${query.to}::date + 1)::timestamp AT TIME ZONE ${zone}`}
    ${search === undefined ? sql`` : sql`AND ${foundBySearch(sql, search)}`}`;

const sortExpression = (sql: Sql, field: string) => {
  switch (field) {
    case 'said_number':
      return sql`r.number_order`;
    case 'machine_name':
      return sql`m.display_name`;
    case 'roasted_by':
      return roastedBy(sql);
    default:
      // Any other key is the name of a column of roasts; the contract's list is closed.
      return sql`r.${sql(field)}`;
  }
};

const orderBy = (sql: Sql, { sort, q = '' }: Pick<RoastListQuery, 'sort' | 'q'>) => {
  if (sort === 'best_match') {
    const isNamed = q === '' ? sql`` : sql`lower(r.said_number) = lower(${q.replace(/^#/, '')}) DESC,`;
    return sql`${isNamed} r.start_time DESC, r.id DESC`;
  }
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  const expression = sortExpression(sql, field);
  // These two are never missing; for other keys, roasts without the value come last either way.
  if (descending && (field === 'start_time' || field === 'said_number')) return sql`${expression} DESC, r.id DESC`;
  return descending ? sql`${expression} DESC NULLS LAST, r.id DESC` : sql`${expression}, r.id`;
};

/** Tables for a sort or a filter are joined only when needed: 50,000 joins cost more than the page. */
const source = (sql: Sql, query: RoastListQuery) => {
  const needsPeople = query.roasted_by !== undefined || query.sort.endsWith('roasted_by');
  return sql`
    roasts r
    ${needsPeople ? sql`JOIN users o ON o.id = r.owner_id` : sql``}
    ${query.sort.endsWith('machine_name') ? sql`LEFT JOIN machines m ON m.id = r.machine_id` : sql``}`;
};

/** One page of the roasts a person may see, and how many match in all. */
export const listRoasts = async (
  sql: Sql,
  user: SignedInUser,
  query: RoastListQuery,
): Promise<{ roasts: RoastRow[]; total: number }> => {
  const needsZone = query.from !== undefined || query.to !== undefined;
  const zone = needsZone ? await readTimeZone(sql) : 'UTC';
  const where = matching(sql, user, query, zone, await readSearch(sql, query.q));
  const [roasts, [count]] = await Promise.all([
    sql<RoastRow[]>`
      WITH page AS (
        SELECT r.id, row_number() OVER (ORDER BY ${orderBy(sql, query)}) AS place
        FROM ${source(sql, query)} WHERE ${where}
        ORDER BY ${orderBy(sql, query)} LIMIT ${query.limit} OFFSET ${query.offset})
      SELECT ${rowColumns(sql, user.id)}
      FROM ${rowSource(sql)} JOIN page ON page.id = r.id ORDER BY page.place`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM ${source(sql, query)} WHERE ${where}`,
  ]);
  return { roasts: [...roasts], total: count?.total ?? 0 };
};

/**
 * The ids of all roasts that match, in order: a list that is read in parts stays consistent while roasts are added and
 * removed.
 */
export const matchingRoastIds = async (
  sql: Sql,
  user: SignedInUser,
  query: Omit<RoastListQuery, 'limit' | 'offset'>,
): Promise<string[]> => {
  const whole = { ...query, limit: 0, offset: 0 };
  const where = matching(sql, user, whole, await readTimeZone(sql), await readSearch(sql, query.q));
  // One text with all of them: one row per id would take the driver longer than the query takes Postgres.
  const [found] = await sql<{ ids: string | null }[]>`
    SELECT string_agg(r.id::text, ' ' ORDER BY ${orderBy(sql, query)}) AS ids
    FROM ${source(sql, whole)} WHERE ${where}`;
  return found?.ids?.split(' ') ?? [];
};

/** These roasts, as far as this person may see them, in the order of the ids. */
export const roastsByIds = async (sql: Sql, user: SignedInUser, ids: readonly string[]): Promise<RoastRow[]> => {
  const rows = await sql<RoastRow[]>`
    SELECT ${rowColumns(sql, user.id)}
    FROM ${rowSource(sql)} JOIN unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS wanted (id, place) ON wanted.id = r.id
    WHERE ${roastAccess(sql, user)} ORDER BY wanted.place`;
  return [...rows];
};
