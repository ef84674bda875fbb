import { z } from 'zod';
import { channelUnits, knownChannels } from './channels.ts';
import { endpointsOf } from './endpoint.ts';
import { impossibleWeight, isWeightPossible, markShape, roastFieldsShape, roastShape } from './roasts.ts';
import { givenInstantShape, idShape, instantShape, lineShape, temperatureShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

/** Maximum size of a file, bytes. The largest known real file has 0.4 MB. */
export const maxUploadBytes = 10 * 1024 * 1024;
export const maxUploadText = '10 MB';

/** The program that wrote a file; `csv` and `xlsx` are tables of any program. */
export const uploadFormats = [
  'alog',
  'csv',
  'xlsx',
  'artisan_json',
  'cropster',
  'roastime',
  'kaleido',
  'stronghold',
  'loring',
  'giesen',
  'ikawa',
  'roest',
  'rubasse',
  'petroncini',
  'kaffelogic',
  'hibean',
] as const;
export type UploadFormat = (typeof uploadFormats)[number];
export const temperatureUnitShape = z.enum(['C', 'F']);
export const timeUnitShape = z.enum(['s', 'cs', 'ms', 'min', 'h']);

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** Source of a unit: the file, a guess from its values, or a person. */
const unitSourceShape = z.enum(['file', 'guess', 'person']);

/** IANA name of a time zone. */
export const timeZoneShape = z
  .string()
  .max(60)
  .regex(/^[A-Za-z0-9_+/-]+$/, 'must be a time zone, for example Europe/Berlin')
  .refine(isTimeZone, 'must be a time zone, for example Europe/Berlin');

/** The use of a column in a table of any program. `other`: a curve with the name of its head. */
export const tableUses = ['time', ...knownChannels, 'event', 'other', 'none'] as const;
export type TableUse = (typeof tableUses)[number];
export const columnUnits = [...timeUnitShape.options, ...temperatureUnitShape.options, '%'] as const;
export const columnHeadLength = 120;

export const columnChoiceShape = z.object({
  /** As in the file; `Column 3` for one without a head. */
  head: z.string().max(columnHeadLength),
  use: z.enum(tableUses),
  /** Of a time or a temperature; null: as in the head, or guessed. */
  unit: z.enum(columnUnits).nullable(),
});
export type ColumnChoice = z.infer<typeof columnChoiceShape>;

const isUsedOnce = (columns: readonly ColumnChoice[]): boolean => {
  const uses = columns.flatMap(({ use }) => (use === 'time' || use === 'other' || use === 'none' ? [] : [use]));
  return new Set(uses).size === uses.length;
};

/** Corrections that a person may make before the import. Absent: as in the file, or guessed. */
export const uploadChoicesShape = z.object({
  temperature_unit: temperatureUnitShape.optional(),
  time_unit: timeUnitShape.optional(),
  /** Charge and drop entered by hand, in seconds since the recording began; a charge up to an hour before it. */
  charge_seconds: z.number().min(-3600).max(86_400).optional(),
  drop_seconds: z.number().min(0).max(86_400).optional(),
  /** Of times that the file states without a zone. Absent: the roastery's. */
  time_zone: timeZoneShape.optional(),
  /** The use of each column of a table; kept for all files with the same columns. Empty: as recognised, nothing is kept. */
  columns: z.array(columnChoiceShape).max(256).refine(isUsedOnce, 'Only one column can have this use').optional(),
});
export type UploadChoices = z.infer<typeof uploadChoicesShape>;

export const uploadShape = z.object({
  id: idShape,
  /** The roast whose original it is: `updateRoastFromUpload` changes that roast. Null: it becomes a new one. */
  roast_id: idShape.nullable(),
  file_name: z.string(),
  format: z.enum(uploadFormats),
  size_bytes: z.number().int(),
  coffee_name: z.string().nullable(),
  coffee_origin: z.string().nullable(),
  coffee_process: z.string().nullable(),
  /** As the file names it. */
  machine_name: z.string().nullable(),
  /** A machine that the user may see and that has this name or serial number. */
  machine_id: idShape.nullable(),
  roasted_by: z.string().nullable(),
  profile_name: z.string().nullable(),
  roast_number: z.string().nullable(),
  /** The number in the other program, with its prefix: `P5-42`. The roast keeps it in addition to its own number. */
  source_batch: z.string().nullable(),
  roast_level: z.string().nullable(),
  batch_size_kg: z.number().nullable(),
  end_weight_kg: z.number().nullable(),
  color: z.number().nullable(),
  cupping_score: z.number().nullable(),
  notes: z.string().nullable(),
  /** The moment of charge, where the file contains the time of its recording. */
  start_time: instantShape.nullable(),
  /** In which the file's time was read, since the file names none; null where it does, or where it has no time. */
  time_zone: z.string().nullable(),
  /** All corrections so far: send them again with one changed. */
  choices: uploadChoicesShape,
  temperature_unit: z.object({ value: temperatureUnitShape, source: unitSourceShape }),
  time_unit: z.object({ value: timeUnitShape, source: unitSourceShape }),
  samples: z.number().int(),
  /** From the first to the last sample. */
  recorded_seconds: z.number(),
  /** From the first sample to the charge; null while the charge is unknown. */
  charge_seconds: z.number().nullable(),
  channels: z.array(
    z.object({ name: z.string(), label: z.string(), unit: z.enum(channelUnits), readings: z.number().int() }),
  ),
  /** On the roast's axis: seconds since charge. */
  marks: z.array(markShape),
  /** For a preview: at most a few hundred points, seconds since the recording began, °C. */
  curve: z.object({
    time_seconds: z.array(z.number()),
    bean_temp: z.array(z.number().nullable()),
    exhaust_temp: z.array(z.number().nullable()),
  }),
  /** What is unlikely about the roast, by other roasts of its machine where there are five. */
  doubts: z.array(z.string()),
  /** Assumptions and omissions, one sentence each. */
  warnings: z.array(z.string()),
  /** Why it cannot be imported yet, as a sentence: a charge has to be set. Null when it can. */
  missing: z.string().nullable(),
  /** Columns of a table of any program; null for a program's own file. */
  table: z
    .object({
      /** `person`: assigned for this file, or for all with these columns. */
      source: z.enum(['heads', 'person']),
      columns: z.array(columnChoiceShape.extend({ examples: z.array(z.string()) })),
    })
    .nullable(),
  /** Roasts that the user may see and that hold the same file, or the same curve. */
  duplicates: z.array(
    z.object({
      roast_id: idShape,
      said_number: z.string(),
      coffee_name: z.string().nullable(),
      start_time: instantShape,
      same: z.enum(['file', 'curve']),
      /** Of the same curve in another file: what was changed before it was saved again. */
      differs: z.array(z.enum(['date', 'number'])),
    }),
  ),
});
export type Upload = z.infer<typeof uploadShape>;

const byId = z.object({ id: idShape });

export const uploadRoastFile = endpoint({
  name: 'uploadRoastFile',
  method: 'POST',
  path: '/roasts/uploads',
  summary:
    'Upload a file of one roast (Artisan, Cropster, RoasTime and others, CSV, XLSX, XLS) and preview its content; nothing is imported yet',
  status: 201,
  query: z.object({ file_name: lineShape(200).min(1, 'The file needs a name') }),
  accepts: { type: 'application/octet-stream', maxBytes: maxUploadBytes },
  response: uploadShape,
  errors: ['too_large', 'wrong_type', 'too_many_requests'],
});

export const getRoastUpload = endpoint({
  name: 'getRoastUpload',
  method: 'GET',
  path: '/roasts/uploads/{id}',
  summary:
    'Content of an uploaded file, for a day after the upload; judged by the roasts of a machine, if one is named',
  params: byId,
  query: z.object({ machine_id: idShape.optional() }),
  response: uploadShape,
  errors: ['not_found', 'too_many_requests'],
});

export const chooseRoastUpload = endpoint({
  name: 'chooseRoastUpload',
  method: 'PUT',
  path: '/roasts/uploads/{id}',
  summary: 'Preview the file again with other units, charge or drop',
  params: byId,
  body: uploadChoicesShape,
  response: uploadShape,
  errors: ['not_found', 'too_many_requests'],
});

const ofOriginal = { path: '/roasts/{id}/original', params: byId } as const;

export const downloadOriginal = endpoint({
  ...ofOriginal,
  name: 'downloadOriginal',
  method: 'GET',
  summary: 'The file that a roast was imported from, as it was',
  right: 'see',
  produces: 'application/octet-stream',
  errors: ['not_found'],
});

export const readOriginalAgain = endpoint({
  ...ofOriginal,
  name: 'readOriginalAgain',
  method: 'POST',
  summary:
    'Preview the file that a roast was imported from, as it is read today with the choices of its import; nothing is changed yet',
  right: 'roast',
  status: 201,
  response: uploadShape,
  errors: ['not_found', 'too_many_requests'],
});

/** The description of a roast when it is created: all fields that an edit may set. */
export const roastFactsShape = roastFieldsShape.omit({ revision: true });

const dayMs = 86_400_000;

/**
 * The time of the charge. A clock may be off by a time zone; a date further ahead is a typing error or a wrong clock.
 */
const chargedAtShape = givenInstantShape.refine(
  (instant) => Date.parse(instant) <= Date.now() + dayMs,
  'The start is more than a day in the future. Check the date',
);

export const takeUploadShape = roastFactsShape
  .extend({
    machine_id: idShape.nullable().optional(),
    start_time: chargedAtShape,
    /** A file or curve that was imported before is refused unless this is true. */
    even_if_duplicate: z.boolean().default(false),
  })
  .refine(isWeightPossible, { path: ['end_weight_kg'], message: impossibleWeight });

export const createRoastFromUpload = endpoint({
  name: 'createRoastFromUpload',
  method: 'POST',
  path: '/roasts/uploads/{id}/roast',
  summary: 'Import the uploaded roast: its samples, its marks and what was roasted',
  status: 201,
  params: byId,
  body: takeUploadShape,
  response: roastShape,
  errors: ['not_found', 'conflict', 'already_exists', 'too_many_requests'],
});

const momentsAscend = (body: { duration_seconds: number; first_crack_time?: number | null | undefined }): boolean =>
  (body.first_crack_time ?? 0) <= body.duration_seconds;

export const updateRoastFromUpload = endpoint({
  name: 'updateRoastFromUpload',
  method: 'PUT',
  path: '/roasts/uploads/{id}/roast',
  summary:
    'Read a roast again from its original: curve and marks of the file are replaced; corrected marks and what was roasted stay, empty fields are filled',
  params: byId,
  body: z.object({
    /** The time of the charge. Absent: it stays. */
    start_time: chargedAtShape.optional(),
  }),
  response: roastShape,
  errors: ['not_found', 'conflict', 'too_many_requests'],
});

export const logRoastShape = roastFactsShape
  .extend({
    machine_id: idShape.nullable().optional(),
    coffee_name: lineShape(200).min(1, 'Coffee name is required'),
    start_time: chargedAtShape,
    /** Charge to drop. */
    duration_seconds: z.number('Duration is required').min(1, 'Duration must be greater than 0').max(14_400),
    charge_temp: temperatureShape.nullable().optional(),
    drop_temp: temperatureShape.nullable().optional(),
    first_crack_time: z.number().min(0).max(14_400).nullable().optional(),
    first_crack_temp: temperatureShape.nullable().optional(),
  })
  .refine(momentsAscend, { path: ['first_crack_time'], message: 'First crack must come before the drop' })
  .refine(isWeightPossible, { path: ['end_weight_kg'], message: impossibleWeight });

export const logRoast = endpoint({
  name: 'logRoast',
  method: 'POST',
  path: '/roasts',
  summary: 'Log a roast by hand, without a curve',
  status: 201,
  body: logRoastShape,
  response: roastShape,
});
