import type { analyticsGreen, GreenFigures, LotUse } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { SignedInUser } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { matched, matching } from './matching.ts';
import { choosePeriod, periodStarts, periodWithin } from './periods.ts';
import type { PeriodFilter } from './production.ts';
import { readSpan } from './span.ts';

const noGreen: GreenFigures = { kg: 0, cost: 0, kg_without_cost: 0, roasts: 0 };

/**
 * Green coffee that matching roasts took from lots: what the ledger holds for each roast in the end, edits and returns
 * included. Counted in the period of the roast, whenever the movement was written. Lots belong to the roastery, so anybody
 * may see their names; only roasts that the person may see are counted.
 */
export const readGreen = async (
  sql: Sql,
  user: SignedInUser,
  filter: PeriodFilter & { readonly limit: number },
): Promise<ResponseOf<typeof analyticsGreen>> => {
  const { zone, span } = await readSpan(sql, user, filter);
  const period = choosePeriod(span, filter.period);
  const where = matching(sql, user, filter, zone);
  const used = sql`
    SELECT r.id, date_trunc(${period}::text, r.start_time AT TIME ZONE ${zone}::text)::date AS start, v.lot_id,
           -sum(v.kg) AS kg
      FROM ${matched(sql)} JOIN lot_movements v ON v.roast_id = r.id
     WHERE ${where} GROUP BY r.id, v.lot_id HAVING sum(v.kg) <> 0`;
  const [rows, lots, [without]] = await Promise.all([
    sql<(GreenFigures & { start: string | null })[]>`
      WITH used AS (${used})
      SELECT u.start, ${greenColumns(sql)} FROM used u JOIN lots l ON l.id = u.lot_id
       GROUP BY GROUPING SETS ((), (u.start)) ORDER BY u.start`,
    sql<(LotUse & { total_lots: number })[]>`
      WITH used AS (${used})
      SELECT l.id AS lot_id, l.lot_number, l.coffee_name, l.origin, l.cost_per_kg, l.current_weight, ${greenColumns(sql)},
             count(*) OVER () AS total_lots
        FROM used u JOIN lots l ON l.id = u.lot_id
       GROUP BY l.id ORDER BY sum(u.kg) DESC, l.id LIMIT ${filter.limit}`,
    sql<{ kg: number }[]>`
      SELECT coalesce(sum(r.batch_size_kg), 0) AS kg
        FROM ${matched(sql)}
        LEFT JOIN (SELECT roast_id FROM lot_movements WHERE roast_id IS NOT NULL
                    GROUP BY roast_id HAVING sum(kg) <> 0) taken ON taken.roast_id = r.id
       WHERE taken.roast_id IS NULL AND r.status <> 'in_progress' AND ${where}`,
  ]);
  const byStart = new Map(rows.map(({ start, ...figures }) => [start, figures]));
  const starts = new Set(periodStarts(span, period));
  for (const start of byStart.keys()) if (start !== null) starts.add(start);
  return {
    totals: byStart.get(null) ?? noGreen,
    kg_without_lot: without?.kg ?? 0,
    period,
    periods: [...starts]
      .sort()
      .map((start) => ({ ...periodWithin(start, period, span), ...(byStart.get(start) ?? noGreen) })),
    lots: lots.map((row) => {
      const { total_lots: _total, ...lot } = row;
      return lot;
    }),
    total_lots: lots[0]?.total_lots ?? 0,
  };
};

const greenColumns = (sql: Sql) => sql`
  coalesce(sum(u.kg), 0) AS kg,
  coalesce(sum(u.kg * l.cost_per_kg), 0) AS cost,
  coalesce(sum(u.kg) FILTER (WHERE l.cost_per_kg IS NULL), 0) AS kg_without_cost,
  count(*) AS roasts`;
