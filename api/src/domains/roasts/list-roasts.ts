import type { ParsedQuery } from '@roastery/contract/endpoint';
import type { listRoasts as listRoastsEndpoint, RoastRow } from '@roastery/contract/roasts';
import type { SignedInUser } from '../../context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import { containing } from '../../db/search.ts';
import type { Sql } from '../../db/sql.ts';
import { roastedBy, roastNumber, rowColumns, rowSource, visibleTo } from './roast-row.ts';

export type RoastListQuery = ParsedQuery<typeof listRoastsEndpoint>;

/** The filter of the page has three levels: Medium covers its neighbours. */
const levelsOf = (level: string): string[] =>
  level === 'Medium' ? ['Medium-Light', 'Medium', 'Medium-Dark'] : [level];

const matching = (sql: Sql, user: SignedInUser, query: RoastListQuery, zone: string) => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q.replace(/^#/, ''));
  return sql`
    ${visibleTo(sql, user)}
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
    ${query.from === undefined ? sql`` : sql`AND r.start_time >= (${query.from}::date)::timestamp AT TIME ZONE ${zone}`}
    ${query.to === undefined ? sql`` : sql`AND r.start_time < (${query.to}::date + 1)::timestamp AT TIME ZONE ${zone}`}
    ${
      search === undefined
        ? sql``
        : sql`AND (r.coffee_name ILIKE ${search} OR r.coffee_origin ILIKE ${search} OR r.profile_name ILIKE ${search}
                   OR m.display_name ILIKE ${search} OR ${roastedBy(sql)} ILIKE ${search}
                   OR ${roastNumber(sql)} ILIKE ${search})`
    }`;
};

const sortExpression = (sql: Sql, field: string) => {
  switch (field) {
    case 'roast_number':
      return roastNumber(sql);
    case 'machine_name':
      return sql`m.display_name`;
    case 'roasted_by':
      return roastedBy(sql);
    default:
      // Anything else is a column of roasts by the same name; the contract's list is closed.
      return sql`r.${sql(field)}`;
  }
};

const orderBy = (sql: Sql, sort: string) => {
  const descending = sort.startsWith('-');
  const expression = sortExpression(sql, descending ? sort.slice(1) : sort);
  // Roasts without the value come last either way; start_time is never missing, and this form is the index's.
  if (sort === '-start_time') return sql`r.start_time DESC, r.id DESC`;
  return descending ? sql`${expression} DESC NULLS LAST, r.id DESC` : sql`${expression} NULLS LAST, r.id`;
};

/** One page of the roasts a person may see, and how many match in all. */
export const listRoasts = async (
  sql: Sql,
  user: SignedInUser,
  query: RoastListQuery,
): Promise<{ roasts: RoastRow[]; total: number }> => {
  const needsZone = query.from !== undefined || query.to !== undefined;
  const where = matching(sql, user, query, needsZone ? await readTimeZone(sql) : 'UTC');
  const [roasts, [count]] = await Promise.all([
    sql<RoastRow[]>`
      SELECT ${rowColumns(sql, user.id)} FROM ${rowSource(sql)} WHERE ${where}
      ORDER BY ${orderBy(sql, query.sort)} LIMIT ${query.limit} OFFSET ${query.offset}`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM ${rowSource(sql)} WHERE ${where}`,
  ]);
  return { roasts: [...roasts], total: count?.total ?? 0 };
};
