import { forecastSources } from '@roastery/roasting/forecast/curve-forecast';
import { crackSources } from '@roastery/roasting/forecast/first-crack';
import { markKinds } from '@roastery/roasting/marks';
import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import {
  flagQueryShape,
  givenDayShape,
  idShape,
  instantShape,
  lineShape,
  messageShape,
  pageQuery,
  temperatureShape,
  textShape,
} from './shapes.ts';

const endpoint = endpointsOf('Roasts');

/**
 * Why there are no samples. `disk_full`, `cap_reached`, `damaged`: the board lost or dropped them. `board_off`: it was
 * switched off. `agent_stopped`: its program was not running. `machine_silent`: the machine did not answer.
 * `not_arrived`: they are still on the board or in transit.
 */
export const gapReasons = [
  'disk_full',
  'cap_reached',
  'damaged',
  'board_off',
  'agent_stopped',
  'machine_silent',
  'not_arrived',
] as const;
export const curveGapShape = z.object({
  /** Seconds since charge of the last sample before it, and of the first one after it. */
  from_seconds: z.number(),
  to_seconds: z.number(),
  reason: z.enum(gapReasons),
});
export type CurveGap = z.infer<typeof curveGapShape>;

export const roastStatusShape = z.enum(['in_progress', 'completed', 'aborted']);
export type RoastStatus = z.infer<typeof roastStatusShape>;

export const roastLevels = ['Light', 'Medium-Light', 'Medium', 'Medium-Dark', 'Dark'] as const;
export const roastLevelShape = z.enum(roastLevels);

export const markShape = z.object({
  kind: z.enum(markKinds),
  /** Seconds since charge; negative before it. */
  time_seconds: z.number(),
  temp: z.number().nullable(),
  origin: z.enum(['machine', 'detector', 'person']),
  confidence: z.number(),
  provisional: z.boolean(),
});
export type RoastMark = z.infer<typeof markShape>;

/** How reliable the times of a roast are: a synchronised clock, a clock the server corrected, or only their order. */
export const timeQualityShape = z.enum(['synchronised', 'estimated']);

const roastRowFields = {
  id: idShape,
  /** Display number: the roastery's own, else `PR-` plus the first 8 characters of the id. */
  roast_number: z.string(),
  /**
   * The roastery's or the machine's number, never used twice. Null until its charge has arrived: the first 8 characters
   * of the id stand in.
   */
  batch_number: z.string().nullable(),
  /** False where it was imported with a number of its program: it takes none of the roastery's, except by a plan. */
  is_numbered: z.boolean(),
  /** The number in another program, with its prefix, where it was imported: `P5-42`. */
  source_batch: z.string().nullable(),
  /** The number that people say: of its batch, else of the program that it comes from, else `roast_number`. */
  said_number: z.string(),
  status: roastStatusShape,
  coffee_name: z.string().nullable(),
  coffee_origin: z.string().nullable(),
  coffee_process: z.string().nullable(),
  start_time: instantShape,
  profile_name: z.string().nullable(),
  profile_id: idShape.nullable(),
  lot_id: idShape.nullable(),
  machine_id: idShape.nullable(),
  machine_name: z.string().nullable(),
  owner_name: z.string().nullable(),
  /** The person at the machine; the machine's owner where unknown. */
  roasted_by: z.string().nullable(),
  batch_size_kg: z.number().nullable(),
  end_weight_kg: z.number().nullable(),
  /** Charge to drop. */
  duration_seconds: z.number().nullable(),
  roast_level: z.string().nullable(),
  roast_level_target: z.string().nullable(),
  charge_temp: z.number().nullable(),
  drop_temp: z.number().nullable(),
  first_crack_time: z.number().nullable(),
  first_crack_temp: z.number().nullable(),
  development_time_seconds: z.number().nullable(),
  /** (drop − first crack) ÷ (drop − charge), 0 to 1. */
  development_time_ratio: z.number().nullable(),
  is_favorite: z.boolean(),
};
export const roastRowShape = z.object(roastRowFields);
export type RoastRow = z.infer<typeof roastRowShape>;

export const roastShape = z.object({
  ...roastRowFields,
  notes: z.string().nullable(),
  cupping_score: z.number().nullable(),
  color: z.number().nullable(),
  /** Name of the file that it was imported from, where it is kept. */
  original_file: z.string().nullable(),
  marks: z.array(markShape),
  /** Names of the recorded channels, so that a page only offers existing ones. */
  channels: z.array(z.string()),
  max_drum_rpm: z.number().nullable(),
  time_quality: timeQualityShape,
  /** The part of its machine's recording that it covers; null for a file and for a roast logged by hand. */
  recorded: z.object({ from: instantShape, to: instantShape.nullable() }).nullable(),
  /** Created by a person from a part of a recording, not by the board. */
  made_by_hand: z.boolean(),
  /** Increases with every change; an edit based on an older one is refused. */
  revision: z.number().int(),
});
export type Roast = z.infer<typeof roastShape>;

export const roastSortFields = [
  'start_time',
  'said_number',
  'coffee_name',
  'coffee_origin',
  'profile_name',
  'machine_name',
  'roasted_by',
  'batch_size_kg',
  'duration_seconds',
  'drop_temp',
] as const;
type SortField = (typeof roastSortFields)[number];
/** `best_match`: a roast whose number is the searched text comes first, then the newest. */
const roastSorts = ['best_match', ...roastSortFields.flatMap((field) => [field, `-${field}`])] as [
  'best_match',
  ...(SortField | `-${SortField}`)[],
];

/**
 * What a roast can have or lack. `lot`: one is named. `green`: it took green coffee from its lot's ledger (`without`: it has
 * ended and took none). `weight`: it was weighed after the drop (`without`: it was dropped and not weighed). `recipe`: it follows one, or followed one that was deleted. `development`: it has a first crack and a drop.
 */
export const roastParts = ['machine', 'coffee', 'recipe', 'lot', 'green', 'development', 'weight'] as const;
export const roastPartShape = z.enum(roastParts);
export type RoastPart = z.infer<typeof roastPartShape>;

/** As many as one page of analytics compares, plus a reserve. */
const maxPickedRoasts = 100;

export const roastFilters = {
  status: roastStatusShape.optional(),
  machine_id: idShape.optional(),
  profile_id: idShape.optional(),
  lot_id: idShape.optional(),
  coffee_name: lineShape(200).optional(),
  origin: lineShape(120).optional(),
  roasted_by: lineShape(120).optional(),
  level: lineShape(40).optional(),
  favorites_only: flagQueryShape.optional(),
  with: roastPartShape.optional(),
  without: roastPartShape.optional(),
  /** Only these roasts, separated by commas. */
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(idShape).max(maxPickedRoasts))
    .optional(),
  /** Name of a recipe that was deleted: its roasts keep it. */
  former_recipe: lineShape(200).optional(),
  /** Days in the roastery's time zone, both included. */
  from: givenDayShape.optional(),
  to: givenDayShape.optional(),
};

export const listRoasts = endpoint({
  name: 'listRoasts',
  method: 'GET',
  path: '/roasts',
  summary: 'Roasts of the machines that the user may see; `total` counts all matches',
  query: z.object({ ...pageQuery(100), sort: z.enum(roastSorts).default('-start_time'), ...roastFilters }),
  response: z.object({ roasts: z.array(roastRowShape), total: z.number().int() }),
});

export const getRoast = endpoint({
  name: 'getRoast',
  method: 'GET',
  path: '/roasts/{id}',
  summary: 'One roast with its marks',
  right: 'see',
  params: z.object({ id: idShape }),
  response: roastShape,
  errors: ['not_found'],
});

const reading = z.number().nullable();
export const datapointShape = z.object({
  /** Seconds since charge; without a charge, since the time where one was first reported. */
  time_seconds: z.number(),
  bean_temp: reading,
  exhaust_temp: reading,
  burner_front_temp: reading,
  burner_back_temp: reading,
  /** °C/min, 5-point moving average. */
  ror: reading,
  heat_power: reading,
  fan_speed: reading,
  drum_speed: reading,
});
export type Datapoint = z.infer<typeof datapointShape>;

const curveWindowQuery = z.object({
  /** Seconds of preheat to include before charge. */
  before: z.coerce.number().min(0).max(14_400).default(0),
  /** Seconds to include after drop. */
  after: z.coerce.number().min(0).max(14_400).default(0),
});

export const getRoastCurve = endpoint({
  name: 'getRoastCurve',
  method: 'GET',
  path: '/roasts/{id}/curve',
  summary: 'The recorded curve from charge to drop, one object per sample',
  right: 'see',
  params: z.object({ id: idShape }),
  query: curveWindowQuery,
  response: z.object({ datapoints: z.array(datapointShape) }),
  errors: ['not_found'],
});

export const curveColumnsShape = z.object({
  time_seconds: z.array(z.number()),
  /** One column per recorded channel, as long as `time_seconds`. */
  channels: z.record(z.string(), z.array(reading)),
  ror: z.array(reading),
});
export type CurveColumns = z.infer<typeof curveColumnsShape>;

export const recordedCurveShape = curveColumnsShape.extend({
  /** Where the board recorded nothing, in order. Empty for a file and for a roast logged by hand. */
  gaps: z.array(curveGapShape),
});
export type RecordedCurve = z.infer<typeof recordedCurveShape>;

export const getRoastCurveColumns = endpoint({
  name: 'getRoastCurveColumns',
  method: 'GET',
  path: '/roasts/{id}/curve/columns',
  summary: 'The curve with every recorded channel as columns, a fifth of the bytes, and its gaps',
  right: 'see',
  params: z.object({ id: idShape }),
  query: curveWindowQuery,
  response: recordedCurveShape,
  errors: ['not_found'],
});

export const predictedCrackShape = z.object({
  /** °C. */
  temp: z.number(),
  /** The deviation to expect of the next roast's crack, °C: eight in ten lie within 1.28 of these. */
  spread: z.number(),
  /**
   * The closest past roasts that the prediction is based on; `lot`, `coffee`, `recipe` and `batch` on the same machine.
   */
  source: z.enum(crackSources),
  /** The number of those roasts; 0 for `literature`. */
  roasts: z.number().int(),
});
export type PredictedCrack = z.infer<typeof predictedCrackShape>;

export const getLearntCrack = endpoint({
  name: 'getLearntCrack',
  method: 'GET',
  path: '/roasts/{id}/learnt-crack',
  summary: 'Predicted bean temperature at first crack, from earlier roasts',
  right: 'see',
  params: z.object({ id: idShape }),
  response: predictedCrackShape,
  errors: ['not_found'],
});

const halfBandsShape = z.object({ temp: z.array(z.number()), rate_per_minute: z.array(z.number()) });

/** What the machine's own roasts taught; all lists but the weights are by distance: 30, 60, 90 and 120 s ahead. */
const learntForecastShape = z.object({
  /** Roasts that it was learnt from. */
  roasts: z.number().int(),
  /** Of the correction of the usual rise. */
  weights: z.array(z.number()),
  /** Half of the bands of 8 in 10, °C and °C/min, below and from 150 °C; null without enough roasts there. */
  bands: z.object({ below: halfBandsShape.nullable(), above: halfBandsShape.nullable() }),
  /** Mean error of roasts that nothing was learnt from, °C. */
  errors: z.array(z.number()),
  /** Whether the band of first crack held in 8 of 10 of the newest roasts, so that its time may be shown. */
  times_first_crack: z.boolean(),
});

export const forecastBasisShape = z.object({
  /** What the past roasts have in common with this one; all are of its machine. */
  source: z.enum(forecastSources),
  /** Bean temperatures of past roasts every 5 s from charge to drop, newest first; null in a gap. */
  curves: z.array(z.array(z.number().nullable())),
  /** Null where the machine's roasts have not shown that they can be forecast. */
  learnt: learntForecastShape.nullable(),
});
export type ForecastBasisAnswer = z.infer<typeof forecastBasisShape>;

export const getForecastBasis = endpoint({
  name: 'getForecastBasis',
  method: 'GET',
  path: '/roasts/{id}/forecast-basis',
  summary: 'Past roasts of the machine that the curve of this roast is forecast from',
  right: 'see',
  params: z.object({ id: idShape }),
  response: forecastBasisShape,
  errors: ['not_found'],
});

/**
 * The description of a roast, field by field. A shape with both weights refuses a roasted weight above the green
 * weight.
 */
export const roastFieldsShape = z.object({
  coffee_name: lineShape(200).nullable().optional(),
  coffee_origin: lineShape(120).nullable().optional(),
  coffee_process: lineShape(120).nullable().optional(),
  profile_id: idShape.nullable().optional(),
  lot_id: idShape.nullable().optional(),
  roasted_by: lineShape(120).nullable().optional(),
  batch_size_kg: z.number().positive('Batch must be greater than 0').max(10_000).nullable().optional(),
  end_weight_kg: z.number().min(0).max(10_000).nullable().optional(),
  roast_level: roastLevelShape.nullable().optional(),
  roast_level_target: roastLevelShape.nullable().optional(),
  roast_number: lineShape(40).nullable().optional(),
  notes: textShape(10_000).nullable().optional(),
  cupping_score: z.number().min(0).max(100).nullable().optional(),
  color: z.number().min(0).max(200).nullable().optional(),
  /** The revision on which the edit is based; if there is a newer one, the answer is `changed_meanwhile`. */
  revision: z.number().int().optional(),
});

interface Weights {
  readonly batch_size_kg?: number | null | undefined;
  readonly end_weight_kg?: number | null | undefined;
}

/** A milligram: converted weights differ by less. */
const toleranceKg = 1e-6;

/** Beans lose weight in the drum. */
export const isWeightPossible = ({ batch_size_kg: green, end_weight_kg: roasted }: Weights): boolean =>
  typeof green !== 'number' || typeof roasted !== 'number' || roasted <= green + toleranceKg;
export const impossibleWeight = 'Roasted weight can’t be more than the batch';

export const editRoastShape = roastFieldsShape.refine(isWeightPossible, {
  path: ['end_weight_kg'],
  message: impossibleWeight,
});

export const updateRoast = endpoint({
  name: 'updateRoast',
  method: 'PUT',
  path: '/roasts/{id}',
  summary: 'Edit what was roasted and by whom; the recorded curve never changes',
  right: 'roast',
  params: z.object({ id: idShape }),
  body: editRoastShape,
  response: roastShape,
  errors: ['not_found', 'changed_meanwhile', 'conflict'],
});

export const deleteRoast = endpoint({
  name: 'deleteRoast',
  method: 'DELETE',
  path: '/roasts/{id}',
  summary: 'Delete a roast; it stays deleted when its board sends it again',
  right: 'roast',
  params: z.object({ id: idShape }),
  response: messageShape,
  errors: ['not_found'],
});

const markBodyShape = z
  .object({
    /** Seconds since charge; for a roast without a charge, as its curve counts them. */
    time_seconds: z.number().min(-14_400).max(86_400).optional(),
    /** The wall clock time, instead of `time_seconds`. */
    at: instantShape.optional(),
    temp: temperatureShape.nullable().optional(),
  })
  .refine((body) => (body.time_seconds === undefined) !== (body.at === undefined), {
    path: ['time_seconds'],
    message: 'Give either time_seconds or at',
  });

const markParams = z.object({ id: idShape, kind: z.enum(markKinds) });

export const putMark = endpoint({
  name: 'putMark',
  method: 'PUT',
  path: '/roasts/{id}/marks/{kind}',
  summary: 'Set or move a mark by hand; the roast’s window moves, no sample changes',
  right: 'roast',
  params: markParams,
  body: markBodyShape,
  response: roastShape,
  errors: ['not_found', 'conflict'],
});

export const deleteMark = endpoint({
  name: 'deleteMark',
  method: 'DELETE',
  path: '/roasts/{id}/marks/{kind}',
  summary: 'Remove a mark set by hand: the mark that it replaced is used again',
  right: 'roast',
  params: markParams,
  response: roastShape,
  errors: ['not_found', 'conflict'],
});

export const setRoastFavorite = endpoint({
  name: 'setRoastFavorite',
  method: 'PUT',
  path: '/roasts/{id}/favorite',
  summary: 'Mark or unmark as a favorite of the signed-in user',
  right: 'see',
  params: z.object({ id: idShape }),
  body: z.object({ is_favorite: z.boolean() }),
  response: z.object({ is_favorite: z.boolean() }),
  errors: ['not_found'],
});
