import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { roastAccess } from '../../identity/access.ts';
import { roastedBy } from '../roasts/roast-row.ts';

export interface AnalyticsFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly machine_id?: string | undefined;
  readonly profile_id?: string | undefined;
  readonly coffee_name?: string | undefined;
  readonly roasted_by?: string | undefined;
}

/**
 * Condition on `roasts r`: visible to the person and matching, with the same keys as the list of roasts. Days begin and
 * end in the roastery's time zone. Use with {@link matched}.
 */
export const matching = (sql: Sql, user: SignedInUser, filter: AnalyticsFilter, zone: string) => sql`
  ${roastAccess(sql, user)}
  ${filter.machine_id === undefined ? sql`` : sql`AND r.machine_id = ${filter.machine_id}`}
  ${filter.profile_id === undefined ? sql`` : sql`AND r.profile_id = ${filter.profile_id}`}
  ${filter.coffee_name === undefined ? sql`` : sql`AND r.coffee_name = ${filter.coffee_name}`}
  ${filter.roasted_by === undefined ? sql`` : sql`AND ${roastedBy(sql)} = ${filter.roasted_by}`}
  ${filter.from === undefined ? sql`` : sql`AND r.start_time >= (${filter.from}::date)::timestamp AT TIME ZONE ${zone}`}
  ${filter.to === undefined ? sql`` : sql`AND r.start_time < (${filter.to}::date + 1)::timestamp AT TIME ZONE ${zone}`}`;

/**
 * The tables that {@link matching} refers to. People are joined only if a filter needs one: it costs 50,000 look-ups.
 */
export const matched = (sql: Sql, filter: AnalyticsFilter) =>
  filter.roasted_by === undefined ? sql`roasts r` : matchedWithPeople(sql);

/** The same with the owner as `o`, for {@link roastedBy}. */
export const matchedWithPeople = (sql: Sql) => sql`roasts r JOIN users o ON o.id = r.owner_id`;
