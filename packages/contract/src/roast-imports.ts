import { z } from 'zod';
import { endpointsOf, multipartType } from './endpoint.ts';
import { maxUploadBytes, timeZoneShape, uploadFormats } from './imports.ts';
import { givenInstantShape, idShape, instantShape, lineShape, messageShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

/** Files of one import: years of a roastery. */
export const maxImportFiles = 5000;

/**
 * `open`: files are added, read and corrected. `importing`: roasts are created in the background. `done`: created; can
 * be undone for a day. `undoing`: they are deleted again.
 */
export const importStates = ['open', 'importing', 'done', 'undoing', 'undone'] as const;

/**
 * `waiting`: not read yet. `read`: can be imported, or lacks a value. `refused`: can't be read. `imported`: its roast
 * was created. `undone`: its roast was deleted again.
 */
export const importFileStates = ['waiting', 'read', 'refused', 'imported', 'undone'] as const;

/** Unlikely roasts: each is asked, none is refused. */
export const doubtfulProblems = ['duration', 'drop', 'first_crack', 'time_offset'] as const;
export type DoubtfulProblem = (typeof doubtfulProblems)[number];

/**
 * A problem that prevents the import of a file, or should be checked first. `weights` and `check` files are imported
 * all the same; `left_out`: by a person.
 */
export const importProblems = [
  'refused',
  'columns',
  'no_charge',
  'no_date',
  'duplicate',
  ...doubtfulProblems,
  'failed',
  'weights',
  'check',
  'left_out',
] as const;
export type ImportProblem = (typeof importProblems)[number];

const importFields = {
  id: idShape,
  state: z.enum(importStates),
  created_at: instantShape,
  finished_at: instantShape.nullable(),
  /** Until then its roasts can be deleted together; null while it runs and afterwards. */
  undo_until: instantShape.nullable(),
  /** For files whose own machine and lot are not known by name. */
  machine_id: idShape.nullable(),
  lot_id: idShape.nullable(),
  /** Old roasts do not change today's stock, unless a person chooses so. */
  takes_green: z.boolean(),
  /** Of times that the files state without a zone; null: the roastery's. */
  time_zone: z.string().nullable(),
};

export const roastImportShape = z.object({
  ...importFields,
  files: z.number().int(),
  waiting: z.number().int(),
  /** Files that would be imported. */
  ready: z.number().int(),
  imported: z.number().int(),
  undone: z.number().int(),
  /** Files by problem. */
  problems: z.array(z.object({ problem: z.enum(importProblems), files: z.number().int() })),
});
export type RoastImport = z.infer<typeof roastImportShape>;

export const importFileShape = z.object({
  id: idShape,
  file_name: z.string(),
  size_bytes: z.number().int(),
  state: z.enum(importFileStates),
  format: z.enum(uploadFormats).nullable(),
  coffee_name: z.string().nullable(),
  start_time: instantShape.nullable(),
  /** In which the file's time was read, since the file names none; null where it does, or where it has no time. */
  time_zone: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  batch_size_kg: z.number().nullable(),
  end_weight_kg: z.number().nullable(),
  /** As the file names it. */
  machine_name: z.string().nullable(),
  machine_id: idShape.nullable(),
  lot_id: idShape.nullable(),
  source_batch: z.string().nullable(),
  problem: z.enum(importProblems).nullable(),
  /** The problem, and the assumptions, in words. */
  remarks: z.array(z.string()),
  roast_id: idShape.nullable(),
});
export type ImportFile = z.infer<typeof importFileShape>;

const byId = z.object({ id: idShape });
const byFile = z.object({ id: idShape, file_id: idShape });

export const listRoastImports = endpoint({
  name: 'listRoastImports',
  method: 'GET',
  path: '/roast-imports',
  summary: 'The user’s imports of many files, newest first',
  response: z.object({ imports: z.array(roastImportShape) }),
});

export const createRoastImport = endpoint({
  name: 'createRoastImport',
  method: 'POST',
  path: '/roast-imports',
  summary: 'Start an import of many files',
  status: 201,
  body: z.object({}),
  response: roastImportShape,
  errors: ['conflict'],
});

export const getRoastImport = endpoint({
  name: 'getRoastImport',
  method: 'GET',
  path: '/roast-imports/{id}',
  summary: 'An import and its progress',
  params: byId,
  response: roastImportShape,
  errors: ['not_found'],
});

export const changeRoastImport = endpoint({
  name: 'changeRoastImport',
  method: 'PUT',
  path: '/roast-imports/{id}',
  summary:
    'Choose machine, lot and time zone for all files that name none, and whether their green coffee is deducted from the lots',
  params: byId,
  body: z.object({
    machine_id: idShape.nullable().optional(),
    lot_id: idShape.nullable().optional(),
    takes_green: z.boolean().optional(),
    time_zone: timeZoneShape.nullable().optional(),
  }),
  response: roastImportShape,
  errors: ['not_found', 'conflict'],
});

/** Files of one request. Small ones are sent together, so that thousands need few requests and commits. */
export const maxFilesOfRequest = 100;
export const importFileNameShape = z.object({ file_name: lineShape(200).min(1, 'The file needs a name') });

export const addImportFiles = endpoint({
  name: 'addImportFiles',
  method: 'POST',
  path: '/roast-imports/{id}/files',
  summary:
    'Add files to an open import, all or none; they are read in the background. The same file under the same name is kept once',
  status: 201,
  params: byId,
  // One file may have the maximum size, plus the header of its part.
  accepts: { type: multipartType, maxBytes: maxUploadBytes + 64 * 1024 },
  isBulk: true,
  /** In the order of the files. */
  response: z.object({ ids: z.array(idShape) }),
  errors: ['not_found', 'conflict', 'too_large', 'too_many_requests'],
});

export const importFileSorts = [
  'file_name',
  '-file_name',
  'coffee_name',
  '-coffee_name',
  'start_time',
  '-start_time',
  'duration_seconds',
  '-duration_seconds',
  'batch_size_kg',
  '-batch_size_kg',
  'problem',
  '-problem',
] as const;

export const listImportFiles = endpoint({
  name: 'listImportFiles',
  method: 'GET',
  path: '/roast-imports/{id}/files',
  summary: 'Files of an import with their values and problems',
  params: byId,
  query: z.object({
    ...pageQuery(50),
    sort: z.enum(importFileSorts).default('file_name'),
    /** Only files with this problem, with any, or with none. */
    problem: z.enum([...importProblems, 'any', 'none']).optional(),
  }),
  response: z.object({ files: z.array(importFileShape), total: z.number().int() }),
  errors: ['not_found'],
});

const weightShape = z.number().positive('The weight must be greater than 0').max(10_000);

export const correctImportFile = endpoint({
  name: 'correctImportFile',
  method: 'PUT',
  path: '/roast-imports/{id}/files/{file_id}',
  summary: 'Correct the values of a file, or skip it',
  params: byFile,
  body: z.object({
    coffee_name: lineShape(200).nullable().optional(),
    start_time: givenInstantShape.optional(),
    batch_size_kg: weightShape.nullable().optional(),
    end_weight_kg: weightShape.nullable().optional(),
    machine_id: idShape.nullable().optional(),
    lot_id: idShape.nullable().optional(),
    /** True: it is not imported. False: a duplicate is imported all the same. */
    left_out: z.boolean().optional(),
    /** True: it is imported although the roast is unlikely. */
    accepted: z.boolean().optional(),
  }),
  response: importFileShape,
  errors: ['not_found', 'conflict'],
});

export const decideImportFiles = endpoint({
  name: 'decideImportFiles',
  method: 'POST',
  path: '/roast-imports/{id}/decisions',
  summary: 'Import all files that are unlikely for one reason, or skip them',
  params: byId,
  body: z.object({ problem: z.enum(doubtfulProblems), decision: z.enum(['import', 'skip']) }),
  response: roastImportShape,
  errors: ['not_found', 'conflict'],
});

const action = (name: string, path: string, summary: string) =>
  endpoint({
    name,
    method: 'POST',
    path: `/roast-imports/{id}/${path}`,
    summary,
    params: byId,
    response: roastImportShape,
    errors: ['not_found', 'conflict'],
  });

export const startRoastImport = action(
  'startRoastImport',
  'start',
  'Create roasts from all files without problems, in the background',
);
export const undoRoastImport = action(
  'undoRoastImport',
  'undo',
  'Delete all roasts of an import, within a day; their green weight returns to the lots',
);

export const deleteRoastImport = endpoint({
  name: 'deleteRoastImport',
  method: 'DELETE',
  path: '/roast-imports/{id}',
  summary: 'Delete an import that created no roasts, with its files',
  params: byId,
  response: messageShape,
  errors: ['not_found', 'conflict'],
});
