import type { analyticsGreen, GreenFigures, LotUse } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { SignedInUser } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { matched, matching, type AnalyticsFilter } from './matching.ts';
import { periodOfRoast } from './period-of-roast.ts';
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
  const [rows, [charged]] = await Promise.all([
    readUses(sql, user, filter, zone, periodOfRoast(sql, span, period, zone)),
    sql<{ kg: number }[]>`
      SELECT coalesce(sum(r.batch_size_kg), 0) AS kg
        FROM ${matched(sql, filter)} WHERE r.status <> 'in_progress' AND ${where}`,
  ]);
  const totals = rows.find((row) => row.start === null && row.lot_id === null);
  const byStart = new Map(rows.flatMap((row) => (row.start === null ? [] : [[row.start, figuresOf(row)]])));
  const byLot = rows.flatMap((row) => (row.lot_id === null ? [] : [{ lot_id: row.lot_id, ...figuresOf(row) }]));
  return {
    totals: totals === undefined ? noGreen : figuresOf(totals),
    // Sums of doubles: their difference is rounded to the milligram that weights are kept to.
    kg_without_lot: Math.max(0, Math.round(((charged?.kg ?? 0) - (totals?.charged ?? 0)) * 1e6) / 1e6),
    period,
    periods: [...new Set([...periodStarts(span, period), ...byStart.keys()])]
      .sort()
      .map((start) => ({ ...periodWithin(start, period, span), ...(byStart.get(start) ?? noGreen) })),
    lots: await describeLots(sql, byLot.slice(0, filter.limit)),
    total_lots: byLot.length,
  };
};

/**
 * In all (neither start nor lot), by period and by lot, the most used first. A roast draws on one lot, by one movement, unless it
 * was edited: only then its movements are put together first, where what was given back sums to nothing. Periods and lots are
 * summed together and only then apart, from a few thousand sums.
 */
const readUses = (sql: Sql, user: SignedInUser, filter: AnalyticsFilter, zone: string, start: Fragment) => {
  const source = sql`${matched(sql, filter)} JOIN lot_movements v ON v.roast_id = r.id`;
  const where = matching(sql, user, filter, zone);
  return sql<UseRow[]>`
    WITH edited AS MATERIALIZED (
      SELECT DISTINCT roast_id FROM lot_movements WHERE reason = 'roast_edit' AND roast_id IS NOT NULL),
    drawn AS (
      SELECT ${start} AS start, v.lot_id, -sum(v.kg) AS kg, sum(r.batch_size_kg) AS charged, count(*) AS roasts
        FROM ${source} WHERE ${where} AND r.id NOT IN (SELECT roast_id FROM edited)
       GROUP BY 1, 2
      UNION ALL
      SELECT start, lot_id, sum(kg), sum(batch_size_kg), count(*) FROM (
        SELECT ${start} AS start, v.lot_id, -sum(v.kg) AS kg, r.batch_size_kg
          FROM ${source} WHERE ${where} AND r.id IN (SELECT roast_id FROM edited)
         GROUP BY r.id, v.lot_id HAVING sum(v.kg) <> 0) of_roasts
       GROUP BY 1, 2)
    SELECT u.start, u.lot_id, coalesce(sum(u.kg), 0) AS kg, coalesce(sum(u.kg * l.cost_per_kg), 0) AS cost,
           coalesce(sum(u.kg) FILTER (WHERE l.cost_per_kg IS NULL), 0) AS kg_without_cost,
           coalesce(sum(u.roasts), 0) AS roasts, coalesce(sum(u.charged), 0) AS charged
      FROM drawn u JOIN lots l ON l.id = u.lot_id
     GROUP BY GROUPING SETS ((), (u.start), (u.lot_id)) ORDER BY sum(u.kg) DESC`;
};
type Fragment = ReturnType<typeof periodOfRoast>;

interface UseRow extends GreenFigures {
  start: string | null;
  lot_id: string | null;
  /** Batch weights of the roasts, kg. */
  charged: number;
}

const figuresOf = ({ kg, cost, kg_without_cost, roasts }: UseRow): GreenFigures => ({
  kg,
  cost,
  kg_without_cost,
  roasts,
});

type Described = Pick<LotUse, 'lot_number' | 'coffee_name' | 'origin' | 'cost_per_kg' | 'current_weight'>;

/** Uses of lots with what people know the lots by, in the same order. */
const describeLots = async (sql: Sql, uses: (GreenFigures & { lot_id: string })[]): Promise<LotUse[]> => {
  const lots = await sql<(Described & { id: string })[]>`
    SELECT id, lot_number, coffee_name, origin, cost_per_kg, current_weight
      FROM lots WHERE id = ANY(${uses.map((use) => use.lot_id)}::uuid[])`;
  const byId = new Map(lots.map(({ id, ...lot }) => [id, lot]));
  return uses.flatMap((use) => {
    const lot = byId.get(use.lot_id);
    return lot === undefined ? [] : [{ ...use, ...lot }];
  });
};
