import type { PeriodKind } from '@roastery/contract/analytics';
import type { Sql } from '../../db/sql.ts';
import { periodStarts, withinCalendar, type Days } from './periods.ts';

/**
 * First day of the period in which `roasts r` began, as the roastery's calendar has it. Where periods begin is worked out once
 * and each roast finds its place among them: asking the calendar for each of 50,000 roasts takes three times as long.
 */
export const periodOfRoast = (sql: Sql, span: Days, kind: PeriodKind, zone: string) => {
  const starts = periodStarts(span, kind);
  // A span of centuries has too many to be listed: a board whose clock was wrong.
  if (starts.length === 0)
    return sql`date_trunc(${kind}::text, (${withinCalendar(sql, sql`r.start_time`)}) AT TIME ZONE ${zone}::text)::date`;
  // Both lists stand in a query of their own, which is answered once. A roast that arrives between two questions and is older than
  // the first belongs to the first.
  const days = sql`SELECT day FROM unnest(${starts}::text[]::date[]) AS day ORDER BY 1`;
  return sql`
    (ARRAY(${days}))[greatest(1, width_bucket(r.start_time, ARRAY(
      SELECT day::timestamp AT TIME ZONE ${zone}::text FROM (${days}) AS days)))]`;
};
