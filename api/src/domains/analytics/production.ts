import type { analyticsProduction, Figures, PeriodKind, WeekStart } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { figureColumns, noFigures } from './groups.ts';
import { type AnalyticsFilter, matched, matching } from './matching.ts';
import { choosePeriod, type Days, daysBefore, periodOfRoast, periodStarts, periodWithin } from './periods.ts';
import { readSpan } from './span.ts';

export type Production = ResponseOf<typeof analyticsProduction>;
export type PeriodFilter = AnalyticsFilter & {
  readonly period?: PeriodKind | undefined;
  readonly week_start?: WeekStart | undefined;
};

/** Figures of the days just before, if the requested span has a beginning. */
const readEarlier = async (
  sql: Sql,
  user: SignedInUser,
  filter: AnalyticsFilter,
  zone: string,
  span: Days,
): Promise<Production['earlier']> => {
  const before = filter.from === undefined ? undefined : daysBefore(span);
  if (before === undefined) return null;
  const [figures] = await sql<Figures[]>`
    SELECT ${figureColumns(sql)} FROM ${matched(sql, filter)} WHERE ${matching(sql, user, { ...filter, ...before }, zone)}`;
  return { ...before, ...(figures ?? noFigures) };
};

/** Totals and figures by period, from one reading of the roasts. */
export const readProduction = async (sql: Sql, user: SignedInUser, filter: PeriodFilter): Promise<Production> => {
  const { zone, span } = await readSpan(sql, user, filter);
  const period = choosePeriod(span, filter.period);
  const { week_start: weekStart = 'monday' } = filter;
  const [rows, earlier] = await Promise.all([
    sql<(Figures & { start: string | null })[]>`
      SELECT ${periodOfRoast(sql, span, period, zone, weekStart)} AS start, ${figureColumns(sql)}
        FROM ${matched(sql, filter)} WHERE ${matching(sql, user, filter, zone)}
       GROUP BY GROUPING SETS ((), (1)) ORDER BY 1`,
    readEarlier(sql, user, filter, zone, span),
  ]);
  const byStart = new Map(rows.map(({ start, ...figures }) => [start, figures]));
  const starts = new Set(periodStarts(span, period, weekStart));
  for (const start of byStart.keys()) if (start !== null) starts.add(start);
  return {
    totals: byStart.get(null) ?? noFigures,
    earlier,
    period,
    periods: [...starts]
      .sort()
      .map((start) => ({ ...periodWithin(start, period, span), ...(byStart.get(start) ?? noFigures) })),
  };
};
