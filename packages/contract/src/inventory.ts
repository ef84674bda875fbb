import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { fieldErrorShape } from './errors.ts';
import {
  givenDayShape,
  givenInstantShape,
  idShape,
  instantShape,
  lineShape,
  messageShape,
  pageQuery,
  textShape,
} from './shapes.ts';

const endpoint = endpointsOf('Inventory');

export const lotStatuses = ['Available', 'In Use', 'Reserved', 'Depleted'] as const;
export const lotStatusShape = z.enum(lotStatuses);

export const lotShape = z.object({
  id: idShape,
  lot_number: z.string(),
  coffee_name: z.string(),
  origin: z.string(),
  region: z.string().nullable(),
  farm: z.string().nullable(),
  variety: z.string().nullable(),
  process: z.string().nullable(),
  /** Metres above sea level. */
  altitude: z.number().nullable(),
  harvest_date: instantShape.nullable(),
  supplier: z.string().nullable(),
  purchase_date: instantShape.nullable(),
  cost_per_kg: z.number().nullable(),
  initial_weight: z.number(),
  /** Sum of the ledger, kg. */
  current_weight: z.number(),
  percentage_remaining: z.number(),
  location: z.string().nullable(),
  cupping_score: z.number().nullable(),
  /** Percent. */
  moisture_content: z.number().nullable(),
  /** 0 to 1. */
  water_activity: z.number().nullable(),
  /** g/mL. */
  density: z.number().nullable(),
  screen_size: z.string().nullable(),
  notes: z.string().nullable(),
  registration_date: instantShape,
  /** Current weight divided by the mean daily use of the last 30 days; null without use. */
  estimated_runout_days: z.number().nullable(),
  /** Recipes linked to the lot. */
  usage_count: z.number().int(),
  status: lotStatusShape,
  /** Set to Reserved; shown as the status unless the lot is in use or depleted. */
  is_reserved: z.boolean(),
  archived_at: instantShape.nullable(),
  revision: z.number().int(),
});
export type Lot = z.infer<typeof lotShape>;

const optionalLine = (max: number) => lineShape(max).nullable().optional();
const optionalNumber = (min: number, max: number, message: string) =>
  z.number(message).min(min, message).max(max, message).nullable().optional();
const dateOrInstant = z
  .union([givenInstantShape, givenDayShape], 'Enter a date as 2025-12-31, in a year from 1900 to 2200')
  .nullable()
  .optional();

/** Fields of a lot that are numbers, in forms and in CSV files. */
export const lotNumberFields = [
  'altitude',
  'cost_per_kg',
  'initial_weight',
  'cupping_score',
  'moisture_content',
  'water_activity',
  'density',
] as const;

export const lotBodyShape = z.object({
  lot_number: lineShape(60).min(1, 'Lot number is required'),
  coffee_name: lineShape(200).min(1, 'Coffee name is required'),
  origin: lineShape(120).min(1, 'Origin is required'),
  region: optionalLine(120),
  farm: optionalLine(120),
  variety: optionalLine(120),
  process: optionalLine(120),
  altitude: optionalNumber(0, 9000, 'Altitude: 0-9000 m'),
  harvest_date: dateOrInstant,
  supplier: optionalLine(200),
  purchase_date: dateOrInstant,
  cost_per_kg: optionalNumber(0, 1_000_000, 'Cost per kg: 0 or more'),
  initial_weight: z
    .number('Initial weight must be greater than 0')
    .positive('Initial weight must be greater than 0')
    .max(1_000_000, 'Initial weight must be at most 1,000,000 kg'),
  location: optionalLine(120),
  cupping_score: optionalNumber(0, 100, 'Cupping score: 0-100'),
  moisture_content: optionalNumber(0, 100, 'Moisture: 0-100%'),
  water_activity: optionalNumber(0, 1, 'Water activity: 0-1'),
  density: optionalNumber(0, 5, 'Density: 0-5 g/mL'),
  screen_size: optionalLine(40),
  notes: textShape(10_000).nullable().optional(),
});

export const lotSortFields = [
  'registration_date',
  'lot_number',
  'coffee_name',
  'origin',
  'location',
  'initial_weight',
  'current_weight',
  'estimated_runout_days',
  'status',
] as const;
type LotSort = (typeof lotSortFields)[number];
const lotSorts = lotSortFields.flatMap((field) => [field, `-${field}`]) as [
  LotSort | `-${LotSort}`,
  ...(LotSort | `-${LotSort}`)[],
];

const lotFilters = {
  status: lotStatusShape.optional(),
  origin: lineShape(120).optional(),
  location: lineShape(120).optional(),
  /** Only lots that are used up within so many days at the present use. */
  runs_out_within_days: z.coerce.number().int().min(1).max(365).optional(),
  sort: z.enum(lotSorts).default('-registration_date'),
};

export const listLots = endpoint({
  name: 'listLots',
  method: 'GET',
  path: '/inventory/lots',
  summary: 'Green-coffee lots',
  query: z.object({ ...pageQuery(100), ...lotFilters }),
  response: z.object({ lots: z.array(lotShape), total: z.number().int() }),
});

export const inventorySummary = endpoint({
  name: 'inventorySummary',
  method: 'GET',
  path: '/inventory/stats/summary',
  summary: 'Totals over all lots that are not archived',
  response: z.object({
    total_lots: z.number().int(),
    total_weight_kg: z.number(),
    available_lots: z.number().int(),
    total_value: z.number(),
  }),
});

const filterList = (name: string, path: string, summary: string) =>
  endpoint({ name, method: 'GET', path, tag: 'Inventory', summary, access: 'user', response: z.array(z.string()) });
export const lotOrigins = filterList('lotOrigins', '/inventory/filters/origins', 'Origins of all lots');
export const lotLocations = filterList('lotLocations', '/inventory/filters/locations', 'Locations of all lots');
export const lotStatusList = filterList('lotStatusList', '/inventory/filters/statuses', 'All statuses');

/** The api mounts this before `getLot`: `export` is not an id. */
export const exportLots = endpoint({
  name: 'exportLots',
  method: 'GET',
  path: '/inventory/lots/export',
  summary: 'All matching lots as CSV (UTF-8; the first line has the names of the fields)',
  query: z.object({ q: pageQuery(1).q, ...lotFilters }),
  produces: 'text/csv',
});

export const lotImportRowShape = z.object({
  /** Line of the file, 1 for the names of the columns. */
  line: z.number().int(),
  lot_number: z.string(),
  coffee_name: z.string(),
  origin: z.string(),
  initial_weight: z.number().nullable(),
  /** Why the row cannot be imported. */
  errors: z.array(fieldErrorShape),
});
export type LotImportRow = z.infer<typeof lotImportRowShape>;

export const importLots = endpoint({
  name: 'importLots',
  method: 'POST',
  path: '/inventory/lots/import',
  summary: 'Import lots from a CSV file: all of them or, when a row is invalid, none; a dry run previews',
  body: z.object({
    csv: z.string().min(1, 'The file is empty').max(1_000_000),
    dry_run: z.boolean().default(true),
  }),
  response: z.object({
    rows: z.array(lotImportRowShape),
    faulty: z.number().int(),
    /** 0 in a dry run. */
    imported: z.number().int(),
    /** Columns of the file that are not fields of a lot, or that only the ledger changes. */
    ignored_columns: z.array(z.string()),
  }),
  errors: ['already_exists', 'too_many_requests'],
});

const byId = z.object({ id: idShape });

export const getLot = endpoint({
  name: 'getLot',
  method: 'GET',
  path: '/inventory/lots/{id}',
  summary: 'One lot',
  params: byId,
  response: lotShape,
  errors: ['not_found'],
});

export const createLot = endpoint({
  name: 'createLot',
  method: 'POST',
  path: '/inventory/lots',
  summary: 'Create a lot',
  status: 201,
  body: lotBodyShape,
  response: lotShape,
  errors: ['already_exists'],
});

export const updateLot = endpoint({
  name: 'updateLot',
  method: 'PUT',
  path: '/inventory/lots/{id}',
  summary: 'Edit a lot; a changed initial weight adds the difference to the ledger',
  params: byId,
  body: lotBodyShape
    .omit({ lot_number: true })
    .extend({ is_reserved: z.boolean().optional(), revision: z.number().int().optional() }),
  response: lotShape,
  errors: ['not_found', 'changed_meanwhile'],
});

export const deleteLot = endpoint({
  name: 'deleteLot',
  method: 'DELETE',
  path: '/inventory/lots/{id}',
  summary: 'Delete a lot, or archive it when it has history',
  params: byId,
  response: messageShape.extend({ archived: z.boolean() }),
  errors: ['not_found'],
});

export const lotMovementShape = z.object({
  id: idShape,
  at: instantShape,
  kg: z.number(),
  reason: z.enum(['initial', 'initial_edit', 'roast', 'roast_edit', 'roast_delete', 'adjustment']),
  note: z.string().nullable(),
  roast_id: idShape.nullable(),
  by: z.string().nullable(),
  /** Sum after this movement. */
  balance_kg: z.number(),
});
export type LotMovement = z.infer<typeof lotMovementShape>;

export const listLotMovements = endpoint({
  name: 'listLotMovements',
  method: 'GET',
  path: '/inventory/lots/{id}/movements',
  summary: 'Weight movements of a lot, newest first',
  params: byId,
  query: z.object(pageQuery(100)),
  response: z.object({ movements: z.array(lotMovementShape), total: z.number().int() }),
  errors: ['not_found'],
});

export const adjustLot = endpoint({
  name: 'adjustLot',
  method: 'POST',
  path: '/inventory/lots/{id}/movements',
  summary: 'Adjust the weight, with a reason',
  status: 201,
  params: byId,
  body: z.object({
    kg: z
      .number()
      .min(-1_000_000)
      .max(1_000_000)
      .refine((kg) => kg !== 0, 'Enter a weight other than 0'),
    note: lineShape(500).min(1, 'Enter a reason'),
    /** The weight on which the change is based; the change is refused when the lot's weight differs. */
    stock_before: z.number().optional(),
  }),
  response: lotShape,
  errors: ['not_found', 'changed_meanwhile'],
});
