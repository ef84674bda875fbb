import type { Lot } from '@roastery/contract/inventory';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { readCurrency } from '../../ledger/money.ts';
import { listLots } from '../inventory/queries.ts';
import { readRecipeConsistency } from '../analytics/consistency.ts';
import { createCurveCache, type CurveCache } from '../analytics/curve-cache.ts';
import { readGreen } from '../analytics/green.ts';
import { readGroups } from '../analytics/groups.ts';
import { type AnalyticsFilter, matched, matching } from '../analytics/matching.ts';
import { type Days, daysBefore } from '../analytics/periods.ts';
import { readProduction } from '../analytics/production.ts';
import { readSpan } from '../analytics/span.ts';

/** What an owner asks of a month. */
export interface SummaryFigures {
  readonly kg: number;
  readonly roasts: number;
  /** Green coffee that roasts took from lots, and its cost at the lots' prices. */
  readonly green_kg: number;
  readonly cost: number;
  /** The part of `green_kg` whose lot has no price: it is missing in `cost`. */
  readonly kg_without_cost: number;
  /** Of the roasts that were weighed, 0 to 1. */
  readonly loss: number | null;
  /** Average deviation of the compared roasts from the references of their recipes, °C. */
  readonly deviation: number | null;
}

export interface PeriodSummary {
  readonly days: Days;
  readonly figures: SummaryFigures;
  /** The days that they are compared with; null where the span has no beginning. */
  readonly earlier: { readonly days: Days; readonly figures: SummaryFigures } | null;
  /** By weight; null: roasts without a coffee. */
  readonly coffees: readonly { name: string | null; kg: number; roasts: number; earlierKg: number | null }[];
  /** The least consistent recipes first. */
  readonly recipes: readonly { name: string; compared: number; deviation: number; earlierDeviation: number | null }[];
  /** What runs out soon at the use of the last 30 days, the first one first. */
  readonly lots: readonly Pick<Lot, 'lot_number' | 'coffee_name' | 'current_weight' | 'estimated_runout_days'>[];
  readonly currency: string;
}

/** Rows of each list: together they fit on one page. */
const rowsOf = { coffees: 8, recipes: 6, lots: 8 };
const soonDays = 30;

const readLoss = async (
  sql: Sql,
  user: SignedInUser,
  filter: AnalyticsFilter,
  zone: string,
): Promise<number | null> => {
  const [row] = await sql<{ loss: number | null }[]>`
    SELECT 1 - sum(r.end_weight_kg) / nullif(sum(r.batch_size_kg), 0) AS loss
      FROM ${matched(sql, filter)}
     WHERE r.status = 'completed' AND r.end_weight_kg IS NOT NULL AND r.batch_size_kg IS NOT NULL
       AND ${matching(sql, user, filter, zone)}`;
  return row?.loss ?? null;
};

type Compared = Awaited<ReturnType<typeof readRecipeConsistency>>['recipes'];

const meanDeviation = (recipes: Compared): number | null => {
  const compared = recipes.reduce((sum, recipe) => sum + recipe.compared, 0);
  const sum = recipes.reduce((total, recipe) => total + (recipe.mean_rms ?? 0) * recipe.compared, 0);
  return compared === 0 ? null : sum / compared;
};

/** One span: figures, and what its lists are made of. */
const readPart = async ({ sql, user }: UserContext, curves: CurveCache, filter: AnalyticsFilter, zone: string) => {
  const [green, coffees, consistency, loss] = await Promise.all([
    readGreen(sql, user, { ...filter, limit: 1 }),
    readGroups(sql, user, 'coffee', { ...filter, sort: '-kg', limit: 500, offset: 0 }),
    readRecipeConsistency(sql, user, curves, filter),
    readLoss(sql, user, filter, zone),
  ]);
  return { green: green.totals, coffees: coffees.groups, recipes: consistency.recipes, loss };
};
type Part = Awaited<ReturnType<typeof readPart>>;

const figuresOf = ({ kg, roasts }: { kg: number; roasts: number }, part: Part): SummaryFigures => ({
  kg,
  roasts,
  green_kg: part.green.kg,
  cost: part.green.cost,
  kg_without_cost: part.green.kg_without_cost,
  loss: part.loss,
  deviation: meanDeviation(part.recipes),
});

/** A span on one page, compared with the one before. */
export const readPeriodSummary = async (context: UserContext, filter: AnalyticsFilter): Promise<PeriodSummary> => {
  const { sql, user } = context;
  // Both spans are compared with the same references.
  const curves = createCurveCache();
  const { zone, span } = await readSpan(sql, user, filter);
  const before = filter.from === undefined ? undefined : daysBefore(span);
  const [production, lots, currency] = await Promise.all([
    readProduction(sql, user, filter),
    listLots(sql, {
      runs_out_within_days: soonDays,
      sort: 'estimated_runout_days',
      limit: rowsOf.lots,
      offset: 0,
    }),
    readCurrency(sql),
  ]);
  const part = await readPart(context, curves, filter, zone);
  const earlier = before && (await readPart(context, curves, { ...filter, ...before }, zone));
  return {
    days: span,
    figures: figuresOf(production.totals, part),
    earlier:
      before === undefined || earlier === undefined || production.earlier === null
        ? null
        : { days: before, figures: figuresOf(production.earlier, earlier) },
    coffees: part.coffees.slice(0, rowsOf.coffees).map(({ name, kg, roasts }) => ({
      name,
      kg,
      roasts,
      earlierKg: earlier === undefined ? null : (earlier.coffees.find((one) => one.name === name)?.kg ?? 0),
    })),
    recipes: part.recipes
      .flatMap(({ id, name, compared, mean_rms: deviation }) =>
        deviation === null
          ? []
          : [
              {
                name,
                compared,
                deviation,
                earlierDeviation: earlier?.recipes.find((one) => one.id === id)?.mean_rms ?? null,
              },
            ],
      )
      .slice(0, rowsOf.recipes),
    lots: lots.lots.map(({ lot_number, coffee_name, current_weight, estimated_runout_days }) => ({
      lot_number,
      coffee_name,
      current_weight,
      estimated_runout_days,
    })),
    currency,
  };
};
