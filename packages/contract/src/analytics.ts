import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { spreadsheetType } from './exports.ts';
import { roastFilters } from './roasts.ts';
import { dayShape, idShape, instantShape } from './shapes.ts';

const endpoint = endpointsOf('Analytics');

/**
 * The filter of the roasts: the same keys as the list of roasts has, so that a figure's link shows the roasts behind
 * it.
 */
export const analyticsFilters = {
  from: roastFilters.from,
  to: roastFilters.to,
  machine_id: roastFilters.machine_id,
  profile_id: roastFilters.profile_id,
  coffee_name: roastFilters.coffee_name,
  roasted_by: roastFilters.roasted_by,
};

export const periodKinds = ['day', 'week', 'month'] as const;
export const periodKindShape = z.enum(periodKinds);
export type PeriodKind = z.infer<typeof periodKindShape>;

/** The first day of a week differs between regions. */
export const weekStarts = ['monday', 'sunday', 'saturday'] as const;
export type WeekStart = (typeof weekStarts)[number];

const periodQuery = {
  ...analyticsFilters,
  /** Absent: chosen by the span. More than 400 periods become the next coarser kind; the answer names it. */
  period: periodKindShape.optional(),
  week_start: z.enum(weekStarts).default('monday'),
};

const share = z.number().nullable();
const figures = {
  /** Every roast that matches, running and aborted ones too, as the list of roasts shows them. */
  roasts: z.number().int(),
  /** Green weight of the charge. */
  kg: z.number(),
  /** Charge to drop; over completed roasts, as are the ratios. */
  mean_duration_seconds: z.number().nullable(),
  /**
   * Development time ratio, 0 to 1: mean, standard deviation (of the sample: none below two), and how many roasts have
   * one.
   */
  development_ratio_mean: share,
  development_ratio_deviation: share,
  development_roasts: z.number().int(),
};
export const figuresShape = z.object(figures);
export type Figures = z.infer<typeof figuresShape>;

/** Days of a period, both included, in the roastery's time zone; cut to the requested span. */
const periodDays = { from: dayShape, to: dayShape };
export const periodFiguresShape = z.object({ ...periodDays, ...figures });
export type PeriodFigures = z.infer<typeof periodFiguresShape>;

export const analyticsProduction = endpoint({
  name: 'analyticsProduction',
  method: 'GET',
  path: '/analytics/production',
  summary:
    'Production in total and by period, over the machines that the user may see; weeks begin on Monday unless another day is given',
  query: z.object(periodQuery),
  response: z.object({
    totals: figuresShape,
    /**
     * To compare with: the same days of the month or year before for a month or a year to date, as many months for whole
     * months, else the same number of days just before `from`; null without a `from`.
     */
    earlier: z.object({ ...periodDays, ...figures }).nullable(),
    period: periodKindShape,
    /** In order; periods without a roast are included with zeros. */
    periods: z.array(periodFiguresShape),
  }),
});

export const groupKinds = ['machine', 'coffee', 'recipe', 'person'] as const;
export const groupKindShape = z.enum(groupKinds);
export type GroupKind = z.infer<typeof groupKindShape>;

const groupSortFields = ['name', 'roasts', 'kg', 'mean_duration_seconds', 'development_ratio_mean'] as const;
type GroupSortField = (typeof groupSortFields)[number];
type GroupSort = GroupSortField | `-${GroupSortField}`;
export const groupSorts = groupSortFields.flatMap((field) => [field, `-${field}`]) as [GroupSort, ...GroupSort[]];

export const groupFiguresShape = z.object({
  /** Of the machine or recipe; null for coffees and people, which go by name, and where there is none. */
  id: idShape.nullable(),
  /** Null: roasts without one (no machine, no coffee name, no recipe). */
  name: z.string().nullable(),
  ...figures,
});
export type GroupFigures = z.infer<typeof groupFiguresShape>;

export const analyticsGroups = endpoint({
  name: 'analyticsGroups',
  method: 'GET',
  path: '/analytics/groups/{by}',
  summary: 'Production by machine, coffee, recipe or person; the groups add up to the totals',
  params: z.object({ by: groupKindShape }),
  query: z.object({
    ...analyticsFilters,
    limit: z.coerce.number().int().min(1).max(500).default(25),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    sort: z.enum(groupSorts).default('-kg'),
  }),
  response: z.object({ groups: z.array(groupFiguresShape), total: z.number().int() }),
});

const named = z.object({ id: idShape, name: z.string() });
export const analyticsChoices = endpoint({
  name: 'analyticsChoices',
  method: 'GET',
  path: '/analytics/choices',
  summary: 'Machines, coffees, recipes and people with roasts in a range of days: choices of the filters',
  query: z.object({ from: analyticsFilters.from, to: analyticsFilters.to }),
  response: z.object({
    machines: z.array(named),
    coffees: z.array(z.string()),
    recipes: z.array(named.extend({ roasts: z.number().int() })),
    people: z.array(z.string()),
  }),
});

/**
 * How a reference was found: the recipe's own choice, else its highest-scoring roast, else the roast closest to the
 * median of all.
 */
export const referenceSourceShape = z.enum(['chosen', 'best_rated', 'most_typical']);
export type ReferenceSource = z.infer<typeof referenceSourceShape>;

const degrees = z.number().nullable();
export const comparedRoastShape = z.object({
  id: idShape,
  said_number: z.string(),
  start_time: instantShape,
  machine_name: z.string().nullable(),
  roasted_by: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  drop_temp: degrees,
  /** From the reference's bean temperature, aligned at charge; null when the two share less than 30 s. */
  distance: z
    .object({
      /** Root of the mean squared difference, °C. */
      rms: z.number(),
      max: z.number(),
      /** Seconds after charge. */
      max_at: z.number(),
    })
    .nullable(),
});
export type ComparedRoast = z.infer<typeof comparedRoastShape>;

/** For each time after charge: the reference, and the temperatures (°C) between which four in five roasts lie. */
export const curveBandShape = z.object({
  time_seconds: z.array(z.number()),
  reference: z.array(degrees),
  /** 10th and 90th percentile and the median; null where less than half of the roasts have a reading. */
  low: z.array(degrees),
  middle: z.array(degrees),
  high: z.array(degrees),
});
export type CurveBand = z.infer<typeof curveBandShape>;

const consistencyFilters = {
  from: analyticsFilters.from,
  to: analyticsFilters.to,
  machine_id: analyticsFilters.machine_id,
  coffee_name: analyticsFilters.coffee_name,
  roasted_by: analyticsFilters.roasted_by,
};

export const recipeConsistencyShape = named.extend({
  /** Completed roasts of the recipe that match. */
  roasts: z.number().int(),
  /** The newest of them whose curves were compared with the reference, which is not counted. */
  compared: z.number().int(),
  source: referenceSourceShape.nullable(),
  /** Average and largest deviation of these curves from the reference, °C; null where there is nothing to compare. */
  mean_rms: degrees,
  max_rms: degrees,
});
export type RecipeConsistency = z.infer<typeof recipeConsistencyShape>;

export const analyticsRecipeConsistency = endpoint({
  name: 'analyticsRecipeConsistency',
  method: 'GET',
  path: '/analytics/consistency',
  summary: 'The 50 recipes with the most roasts, the least consistent first: deviation of their newest 10 roasts',
  query: z.object(consistencyFilters),
  response: z.object({
    recipes: z.array(recipeConsistencyShape),
    /** Recipes with roasts that match, including those beyond the 50. */
    total: z.number().int(),
  }),
});

export const analyticsConsistency = endpoint({
  name: 'analyticsConsistency',
  method: 'GET',
  path: '/analytics/consistency/{id}',
  summary: 'Deviation of the newest 40 roasts of a recipe from its reference roast',
  params: z.object({ id: idShape }),
  query: z.object(consistencyFilters),
  response: z.object({
    profile: named,
    /** Null while the recipe has no roast with a curve. */
    reference: z
      .object({ id: idShape, said_number: z.string(), start_time: instantShape, source: referenceSourceShape })
      .nullable(),
    /** Newest first; the reference itself is among them when it is within the span, with a deviation of 0. */
    roasts: z.array(comparedRoastShape),
    /** Completed roasts of the recipe that match, including those beyond the newest 40. */
    total: z.number().int(),
    /** Average of the deviations without the reference; °C. */
    mean_rms: degrees,
    band: curveBandShape.nullable(),
  }),
  errors: ['not_found'],
});

const greenFigures = {
  /** Green coffee that roasts took from lots, as the ledger has it. */
  kg: z.number(),
  /** At the lots' cost per kg. */
  cost: z.number(),
  /** The part of `kg` whose lot has no cost: it is missing in `cost`. */
  kg_without_cost: z.number(),
  roasts: z.number().int(),
};
export const greenFiguresShape = z.object(greenFigures);
export type GreenFigures = z.infer<typeof greenFiguresShape>;
export const lotUseShape = z.object({
  lot_id: idShape,
  lot_number: z.string(),
  coffee_name: z.string(),
  origin: z.string(),
  cost_per_kg: z.number().nullable(),
  current_weight: z.number(),
  ...greenFigures,
});
export type LotUse = z.infer<typeof lotUseShape>;

export const analyticsGreen = endpoint({
  name: 'analyticsGreen',
  method: 'GET',
  path: '/analytics/green',
  summary: 'Green coffee used and its cost: in total, by period and by lot',
  query: z.object({ ...periodQuery, limit: z.coerce.number().int().min(1).max(500).default(50) }),
  response: z.object({
    totals: greenFiguresShape,
    /** Charged by roasts that used nothing from a lot: no lot was chosen, or their recipe does not deduct. */
    kg_without_lot: z.number(),
    period: periodKindShape,
    periods: z.array(z.object({ ...periodDays, ...greenFigures })),
    /** The most used first. */
    lots: z.array(lotUseShape),
    total_lots: z.number().int(),
  }),
});

const summaryOf = (format: string, summary: string, produces: string) =>
  endpoint({
    name: `exportSummary${format.charAt(0).toUpperCase()}${format.slice(1)}`,
    method: 'GET',
    path: `/analytics/export/${format}`,
    summary,
    query: z.object(analyticsFilters),
    produces,
    errors: ['too_many_requests', 'not_ready'],
  });

export const exportSummaryPdf = summaryOf(
  'pdf',
  'A span of days on one page: production, cost, loss, coffees, consistency, what runs out, and the span before',
  'application/pdf',
);
export const exportSummaryXlsx = summaryOf('xlsx', 'The same as a workbook', spreadsheetType);
