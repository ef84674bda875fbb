import type { analyticsGreen, GreenFigures, LotUse } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { kilograms, milligrams } from '@roastery/roasting/units';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { batchKg, sumOfKg } from '../../ledger/weights.ts';
import { costPerKg } from '../../ledger/money.ts';
import { usedGreenCoffee } from '../roasts/roast-row.ts';
import { type AnalyticsFilter, matched, matching } from './matching.ts';
import { choosePeriod, periodOfRoast, periodStarts, periodWithin } from './periods.ts';
import type { PeriodFilter } from './production.ts';
import { readSpan } from './span.ts';

const noGreen: GreenFigures = { kg: 0, cost: 0, kg_without_cost: 0, roasts: 0 };

/**
 * Green coffee that matching roasts took from lots: the ledger's final amount for each roast, with edits and returns.
 * Counted in the period of the roast, whenever the movement was written. Lots belong to the roastery, so every user may
 * see their names; only roasts that the person may see are counted.
 */
export const readGreen = async (
  sql: Sql,
  user: SignedInUser,
  filter: PeriodFilter & { readonly limit: number },
): Promise<ResponseOf<typeof analyticsGreen>> => {
  const { zone, span } = await readSpan(sql, user, filter);
  const period = choosePeriod(span, filter.period);
  const { week_start: weekStart = 'monday' } = filter;
  const where = matching(sql, user, filter, zone);
  const [rows, [charged]] = await Promise.all([
    readUses(sql, user, filter, zone, periodOfRoast(sql, span, period, zone, weekStart)),
    sql<{ kg: number }[]>`
      SELECT ${sumOfKg(sql, batchKg(sql))} AS kg
        FROM ${matched(sql, filter)} WHERE r.status <> 'in_progress' AND ${where}`,
  ]);
  const totals = rows.find((row) => row.start === null && row.lot_id === null);
  const byStart = new Map(rows.flatMap((row) => (row.start === null ? [] : [[row.start, figuresOf(row)]])));
  const byLot = rows.flatMap((row) => (row.lot_id === null ? [] : [{ lot_id: row.lot_id, ...figuresOf(row) }]));
  return {
    totals: totals === undefined ? noGreen : figuresOf(totals),
    kg_without_lot: Math.max(0, kilograms(milligrams(charged?.kg ?? 0) - milligrams(totals?.kg ?? 0))),
    period,
    periods: [...new Set([...periodStarts(span, period, weekStart), ...byStart.keys()])]
      .sort()
      .map((start) => ({ ...periodWithin(start, period, span), ...(byStart.get(start) ?? noGreen) })),
    lots: await describeLots(sql, byLot.slice(0, filter.limit)),
    total_lots: byLot.length,
  };
};

/**
 * In all (neither start nor lot), by period and by lot, the most used first. Periods and lots are aggregated together
 * first and separated afterwards, from a few thousand sums.
 */
const readUses = (sql: Sql, user: SignedInUser, filter: AnalyticsFilter, zone: string, start: Fragment) => sql<
  UseRow[]
>`
    WITH drawn AS (
      SELECT ${start} AS start, r.lot_id, sum(r.batch_size_kg) AS kg, count(*) AS roasts
        FROM ${matched(sql, filter)} WHERE ${usedGreenCoffee(sql)} AND ${matching(sql, user, filter, zone)}
       GROUP BY 1, 2)
    SELECT u.start, u.lot_id, ${sumOfKg(sql, sql`u.kg`)} AS kg, coalesce(sum(u.kg * ${costPerKg(sql)}), 0) AS cost,
           ${sumOfKg(sql, sql`CASE WHEN l.price_minor IS NULL THEN u.kg END`)} AS kg_without_cost,
           coalesce(sum(u.roasts), 0) AS roasts
      FROM drawn u JOIN lots l ON l.id = u.lot_id
     GROUP BY GROUPING SETS ((), (u.start), (u.lot_id)) ORDER BY sum(u.kg) DESC`;
type Fragment = ReturnType<typeof periodOfRoast>;

interface UseRow extends GreenFigures {
  start: string | null;
  lot_id: string | null;
}

const figuresOf = ({ kg, cost, kg_without_cost, roasts }: UseRow): GreenFigures => ({
  kg,
  cost,
  kg_without_cost,
  roasts,
});

type Described = Pick<LotUse, 'lot_number' | 'coffee_name' | 'origin' | 'cost_per_kg' | 'current_weight'>;

/** Uses of lots with their names, in the same order. */
const describeLots = async (sql: Sql, uses: (GreenFigures & { lot_id: string })[]): Promise<LotUse[]> => {
  const lots = await sql<(Described & { id: string })[]>`
    SELECT l.id, l.lot_number, l.coffee_name, l.origin, ${costPerKg(sql)} AS cost_per_kg, l.current_weight
      FROM lots l WHERE l.id = ANY(${uses.map((use) => use.lot_id)}::uuid[])`;
  const byId = new Map(lots.map(({ id, ...lot }) => [id, lot]));
  return uses.flatMap((use) => {
    const lot = byId.get(use.lot_id);
    return lot === undefined ? [] : [{ ...use, ...lot }];
  });
};
