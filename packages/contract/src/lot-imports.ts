import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { fieldErrorShape } from './errors.ts';
import { maxUploadBytes } from './imports.ts';
import { lotBodyShape } from './inventory.ts';
import { importStates } from './roast-imports.ts';
import { idShape, instantShape, lineShape, messageShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Inventory');

/** Lots of one file. A larger list must be divided. */
export const maxImportedLots = 20_000;

/** The meaning of a column in a list: a field of a lot, or a figure from which one follows. */
export const lotImportFields = [
  'lot_number',
  'coffee_name',
  'origin',
  'region',
  'farm',
  'variety',
  'process',
  'altitude',
  'harvest_date',
  'supplier',
  'purchase_date',
  'cost_per_kg',
  'total_cost',
  'initial_weight',
  'current_weight',
  'bags',
  'bag_weight',
  'location',
  'cupping_score',
  'moisture_content',
  'water_activity',
  'density',
  'screen_size',
  'notes',
] as const;
export type LotImportField = (typeof lotImportFields)[number];

export const weightUnits = ['kg', 'g', 'lb', 'oz', 't'] as const;
export const priceUnits = ['per_kg', 'per_lb', 'cents_per_lb', 'per_bag'] as const;
export const densityUnits = ['g_ml', 'g_l'] as const;
export const altitudeUnits = ['m', 'ft'] as const;
/** Unit of a column whose cells do not name one. */
export const lotImportUnits = [...weightUnits, ...priceUnits, ...densityUnits, ...altitudeUnits] as const;
export type LotImportUnit = (typeof lotImportUnits)[number];

/** Units that a column can have, the usual one first; none where its values have no unit. */
export const unitsOfField = (field: LotImportField | null): readonly LotImportUnit[] => {
  if (field === 'initial_weight' || field === 'current_weight' || field === 'bag_weight') return weightUnits;
  if (field === 'cost_per_kg') return priceUnits;
  if (field === 'density') return densityUnits;
  return field === 'altitude' ? altitudeUnits : [];
};

export const dateOrders = ['dmy', 'mdy', 'ymd'] as const;
export const isDayField = (field: LotImportField | null): boolean =>
  field === 'harvest_date' || field === 'purchase_date';

/**
 * `invalid`: a value is missing or can't be read. `exists`: the lot number is in the inventory. `twice`: an earlier row
 * has it. `check` rows are imported all the same. `left_out`: by a person. `kept`: in use, so the undo did not delete
 * it.
 */
export const lotRowProblems = ['invalid', 'exists', 'twice', 'check', 'left_out', 'kept'] as const;
export type LotRowProblem = (typeof lotRowProblems)[number];

export const lotImportColumnShape = z.object({
  /** As the file names it. */
  head: z.string(),
  /** The first values, as in the file. */
  samples: z.array(z.string()),
  /** Null: not imported. */
  field: z.enum(lotImportFields).nullable(),
  unit: z.enum(lotImportUnits).nullable(),
  /** The decimal sign; null in a column without decimals. */
  decimal: z.enum(['.', ',']).nullable(),
  /** Order of day, month and year; null in a column whose dates don't show it. */
  date_order: z.enum(dateOrders).nullable(),
  /** The dates are ambiguous: a person has to choose the order. */
  is_order_open: z.boolean(),
  /** Assumptions, in words. */
  notes: z.array(z.string()),
});
export type LotImportColumn = z.infer<typeof lotImportColumnShape>;

export const lotImportShape = z.object({
  id: idShape,
  file_name: z.string(),
  state: z.enum(importStates),
  created_at: instantShape,
  finished_at: instantShape.nullable(),
  /** Until then its lots can be deleted together; null while it runs and afterwards. */
  undo_until: instantShape.nullable(),
  /** The sheet that is read, and all sheets of the workbook; null and none in a text file. */
  sheet: z.string().nullable(),
  sheets: z.array(z.string()),
  columns: z.array(lotImportColumnShape),
  /** Remarks on the whole file, e.g. lines above the heads. */
  notes: z.array(z.string()),
  number_prefix: z.string().nullable(),
  origin: z.string().nullable(),
  bag_kg: z.number().nullable(),
  rows: z.number().int(),
  /** Lots that would be imported. */
  ready: z.number().int(),
  /** Green coffee of these lots, kg. */
  ready_kg: z.number(),
  imported: z.number().int(),
  undone: z.number().int(),
  problems: z.array(z.object({ problem: z.enum(lotRowProblems), rows: z.number().int() })),
});
export type LotImport = z.infer<typeof lotImportShape>;

export const lotImportRowStates = ['read', 'imported', 'undone'] as const;

/** A lot as in its row; null where a value is absent or can't be read. */
const lotValuesShape = z.object({
  lot_number: z.string().nullable(),
  coffee_name: z.string().nullable(),
  origin: z.string().nullable(),
  supplier: z.string().nullable(),
  purchase_date: z.string().nullable(),
  harvest_date: z.string().nullable(),
  cost_per_kg: z.number().nullable(),
  initial_weight: z.number().nullable(),
  current_weight: z.number().nullable(),
});

export const lotImportedRowShape = z.object({
  /** Line of the file, or row of the sheet. */
  line: z.number().int(),
  state: z.enum(lotImportRowStates),
  values: lotValuesShape,
  /** Values that can't be imported, by field. */
  errors: z.array(fieldErrorShape),
  problem: z.enum(lotRowProblems).nullable(),
  /** The problem, and the assumptions, in words. */
  remarks: z.array(z.string()),
  lot_id: idShape.nullable(),
});
export type LotImportedRow = z.infer<typeof lotImportedRowShape>;

const byId = z.object({ id: idShape });

export const listLotImports = endpoint({
  name: 'listLotImports',
  method: 'GET',
  path: '/lot-imports',
  summary: 'The user’s lot imports, newest first',
  response: z.object({ imports: z.array(lotImportShape) }),
});

export const createLotImport = endpoint({
  name: 'createLotImport',
  method: 'POST',
  path: '/lot-imports',
  summary: 'Read a list of lots (CSV, XLSX, XLS) and detect its columns; nothing is imported yet',
  status: 201,
  query: z.object({ file_name: lineShape(200).min(1, 'The file needs a name') }),
  accepts: { type: 'application/octet-stream', maxBytes: maxUploadBytes },
  response: lotImportShape,
  errors: ['conflict', 'too_large', 'too_many_requests'],
});

export const getLotImport = endpoint({
  name: 'getLotImport',
  method: 'GET',
  path: '/lot-imports/{id}',
  summary: 'A lot import and its progress',
  params: byId,
  response: lotImportShape,
  errors: ['not_found'],
});

export const lotColumnChoiceShape = z.object({
  field: z.enum(lotImportFields).nullable().optional(),
  unit: z.enum(lotImportUnits).nullable().optional(),
  decimal: z.enum(['.', ',']).nullable().optional(),
  date_order: z.enum(dateOrders).nullable().optional(),
});

/** The choices of a person for a list; the rest is guessed. */
export const lotImportChoicesShape = z.object({
  sheet: z.string().max(200).optional(),
  /** By the index of the column, from 0. */
  columns: z
    .record(z.string().regex(/^\d{1,2}$/, 'A column is named by its place, from 0'), lotColumnChoiceShape)
    .optional(),
  /** The lot number of rows without one: this prefix and a running number. */
  number_prefix: lineShape(40).nullable().optional(),
  /** Of rows without one. */
  origin: lineShape(120).nullable().optional(),
  /** Weight of a bag where no column has it. */
  bag_kg: z.number().positive('The weight of a bag must be greater than 0').max(10_000).nullable().optional(),
});
export type LotImportChoices = z.output<typeof lotImportChoicesShape>;

export const changeLotImport = endpoint({
  name: 'changeLotImport',
  method: 'PUT',
  path: '/lot-imports/{id}',
  summary: 'Assign the columns; the file is read again. Corrected and skipped rows stay as they are',
  params: byId,
  body: lotImportChoicesShape,
  response: lotImportShape,
  errors: ['not_found', 'conflict', 'too_many_requests'],
});

export const lotImportRowSorts = [
  'line',
  '-line',
  'lot_number',
  '-lot_number',
  'coffee_name',
  '-coffee_name',
  'initial_weight',
  '-initial_weight',
  'problem',
  '-problem',
] as const;

export const listLotImportRows = endpoint({
  name: 'listLotImportRows',
  method: 'GET',
  path: '/lot-imports/{id}/rows',
  summary: 'Rows of a lot import with their values and problems',
  params: byId,
  query: z.object({
    ...pageQuery(50),
    sort: z.enum(lotImportRowSorts).default('line'),
    /** Only rows with this problem, with any, or with none. */
    problem: z.enum([...lotRowProblems, 'any', 'none']).optional(),
  }),
  response: z.object({ rows: z.array(lotImportedRowShape), total: z.number().int() }),
  errors: ['not_found'],
});

export const correctLotImportRow = endpoint({
  name: 'correctLotImportRow',
  method: 'PUT',
  path: '/lot-imports/{id}/rows/{line}',
  summary: 'Correct the values of a row, or skip it',
  params: z.object({ id: idShape, line: z.coerce.number().int().min(1).max(10_000_000) }),
  body: lotBodyShape.partial().extend({
    current_weight: z.number().min(0).max(1_000_000).nullable().optional(),
    left_out: z.boolean().optional(),
  }),
  response: lotImportedRowShape,
  errors: ['not_found', 'conflict'],
});

const action = (name: string, path: string, summary: string) =>
  endpoint({
    name,
    method: 'POST',
    path: `/lot-imports/{id}/${path}`,
    summary,
    params: byId,
    response: lotImportShape,
    errors: ['not_found', 'conflict'],
  });

export const startLotImport = action(
  'startLotImport',
  'start',
  'Add the lots of all rows that have no problem, in the background',
);
export const undoLotImport = action(
  'undoLotImport',
  'undo',
  'Delete all lots of an import, within a day; a lot in use is kept',
);

export const deleteLotImport = endpoint({
  name: 'deleteLotImport',
  method: 'DELETE',
  path: '/lot-imports/{id}',
  summary: 'Delete an import with its file; its lots are kept',
  params: byId,
  response: messageShape,
  errors: ['not_found', 'conflict'],
});
