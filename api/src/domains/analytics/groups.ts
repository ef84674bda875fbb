import type { analyticsGroups, Figures, GroupFigures, GroupKind, groupSorts } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { SignedInUser } from '../../http/server-context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { batchKg, sumOfKg } from '../../ledger/weights.ts';
import { roastedBy } from '../roasts/roast-row.ts';
import { type AnalyticsFilter, matched, matchedWithPeople, matching } from './matching.ts';

export type GroupQuery = AnalyticsFilter & {
  readonly limit: number;
  readonly offset: number;
  readonly sort: (typeof groupSorts)[number];
};

/** The keys of groups. A roast keeps the name of a recipe that was deleted. */
const keys = {
  machine: (sql: Sql) => ({ id: sql`r.machine_id`, name: sql`NULL::text` }),
  coffee: (sql: Sql) => ({ id: sql`NULL::uuid`, name: sql`r.coffee_name` }),
  recipe: (sql: Sql) => ({ id: sql`r.profile_id`, name: sql`CASE WHEN r.profile_id IS NULL THEN r.profile_name END` }),
  person: (sql: Sql) => ({ id: sql`NULL::uuid`, name: roastedBy(sql) }),
} satisfies Record<GroupKind, (sql: Sql) => object>;

const nameOf = (sql: Sql, by: GroupKind) => {
  if (by === 'machine') return { name: sql`m.display_name`, join: sql`LEFT JOIN machines m ON m.id = g.id` };
  if (by === 'recipe') return { name: sql`coalesce(p.name, g.name)`, join: sql`LEFT JOIN profiles p ON p.id = g.id` };
  return { name: sql`g.name`, join: sql`` };
};

const orderBy = (sql: Sql, sort: GroupQuery['sort']) => {
  const field = sort.replace(/^-/, '');
  const expression = field === 'name' ? sql`lower(name)` : sql`${sql(field)}`;
  return sort.startsWith('-')
    ? sql`${expression} DESC NULLS LAST, lower(name), id`
    : sql`${expression} ASC NULLS LAST, lower(name), id`;
};

/** One page of the groups, and their number. */
export const readGroups = async (
  sql: Sql,
  user: SignedInUser,
  by: GroupKind,
  query: GroupQuery,
): Promise<ResponseOf<typeof analyticsGroups>> => {
  const zone = await readTimeZone(sql);
  const key = keys[by](sql);
  const { name, join } = nameOf(sql, by);
  // The count comes with every page, also with one beyond the end: then it is the only row, without a group.
  const rows = await sql<(Omit<GroupFigures, 'roasts'> & { roasts: number | null; total: number })[]>`
    WITH g AS (
      SELECT ${key.id} AS id, ${key.name} AS name, ${figureColumns(sql)}
        FROM ${by === 'person' ? matchedWithPeople(sql) : matched(sql, query)} WHERE ${matching(sql, user, query, zone)} GROUP BY 1, 2),
    named AS (
      SELECT g.id, ${name} AS name, g.roasts, g.kg, g.mean_duration_seconds, g.development_ratio_mean,
             g.development_ratio_deviation, g.development_roasts
        FROM g ${join}),
    page AS (
      SELECT *, row_number() OVER (ORDER BY ${orderBy(sql, query.sort)}) AS place FROM named
       ORDER BY ${orderBy(sql, query.sort)} LIMIT ${query.limit} OFFSET ${query.offset})
    SELECT page.*, counted.total FROM (SELECT count(*) AS total FROM g) counted LEFT JOIN page ON true ORDER BY place`;
  return {
    groups: rows.flatMap(({ id, name: shown, roasts, kg, ...row }) =>
      roasts === null
        ? []
        : [
            {
              id,
              name: shown,
              roasts,
              kg,
              mean_duration_seconds: row.mean_duration_seconds,
              development_ratio_mean: row.development_ratio_mean,
              development_ratio_deviation: row.development_ratio_deviation,
              development_roasts: row.development_roasts,
            },
          ],
    ),
    total: rows[0]?.total ?? 0,
  };
};

/** The figures over a set of `roasts r`. Aborted and running roasts count with their weight; means are of completed ones. */
export const figureColumns = (sql: Sql) => sql`
  count(*) AS roasts,
  ${sumOfKg(sql, batchKg(sql))} AS kg,
  avg(r.duration_seconds) FILTER (WHERE r.status = 'completed') AS mean_duration_seconds,
  avg(r.development_time_ratio) FILTER (WHERE r.status = 'completed') AS development_ratio_mean,
  stddev_samp(r.development_time_ratio) FILTER (WHERE r.status = 'completed') AS development_ratio_deviation,
  count(r.development_time_ratio) FILTER (WHERE r.status = 'completed') AS development_roasts`;

export const noFigures: Figures = {
  roasts: 0,
  kg: 0,
  mean_duration_seconds: null,
  development_ratio_mean: null,
  development_ratio_deviation: null,
  development_roasts: 0,
};
