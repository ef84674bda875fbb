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
  textShape,
} from './shapes.ts';

const endpoint = endpointsOf('Roasts');

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

type Weights = Pick<z.infer<typeof roastFieldsShape>, 'batch_size_kg' | 'end_weight_kg'>;

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
