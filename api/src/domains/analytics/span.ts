import type { SignedInUser } from '../../http/server-context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { invalid } from '../../http/app-error.ts';
import { type AnalyticsFilter, matched, matching } from './matching.ts';
import { type Days, withinCalendar } from './periods.ts';

/** The zone of the roastery and the days of the analysis: as requested, else from the first roast to today or the last. */
export const readSpan = async (
  sql: Sql,
  user: SignedInUser,
  filter: AnalyticsFilter,
): Promise<{ zone: string; span: Days }> => {
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to) {
    throw invalid('from', 'must not be after to');
  }
  const zone = await readTimeZone(sql);
  if (filter.from !== undefined && filter.to !== undefined) return { zone, span: { from: filter.from, to: filter.to } };
  const [row] = await sql<{ today: string; first: string | null; last: string | null }[]>`
    SELECT (now() AT TIME ZONE ${zone}::text)::date AS today,
           ((${withinCalendar(sql, sql`min(r.start_time)`)}) AT TIME ZONE ${zone}::text)::date AS first,
           ((${withinCalendar(sql, sql`max(r.start_time)`)}) AT TIME ZONE ${zone}::text)::date AS last
      FROM ${matched(sql, filter)} WHERE ${matching(sql, user, filter, zone)}`;
  if (!row) throw new Error('an aggregate without a row');
  // A board whose clock is fast has roasted "tomorrow".
  const last = row.last !== null && row.last > row.today ? row.last : row.today;
  const from = filter.from ?? row.first ?? filter.to ?? row.today;
  const to = filter.to ?? (last < from ? from : last);
  return { zone, span: { from, to } };
};
