import { type Upload, type UploadChoices, uploadChoicesShape } from '@roastery/contract/imports';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { machineAccess, roastAccess } from '../../identity/access.ts';
import { readContent, storeContent } from './file-parts.ts';
import { completedByName } from './named-file.ts';
import { machineOf } from './roast-facts.ts';
import { describeRoastFile, type DescribedFile } from './file-jobs.ts';
import { findDoubts } from './machine-figures.ts';
import { keepLayout, withLayouts } from './kept-layouts.ts';

/** A person reviews a few files at a time; the oldest unfinished ones are deleted first. */
const maxUploads = 5;
const keepHours = 24;

export interface StoredUpload {
  readonly id: string;
  readonly file_name: string;
  readonly file_sha256: Buffer;
  readonly choices: UploadChoices;
  /** The roast whose original it is. */
  readonly roast_id: string | null;
}

/** The caller's own upload, or undefined. */
export const findUpload = async (sql: Sql, id: string, userId: string) => {
  const [row] = await sql<(Omit<StoredUpload, 'choices'> & { choices: unknown })[]>`
    SELECT id, file_name, file_sha256, choices, roast_id FROM roast_uploads
    WHERE id = ${id} AND user_id = ${userId}`;
  return row && { ...row, choices: parseOrThrow(uploadChoicesShape, row.choices) };
};

/** A file as it is compared with imported roasts. */
export interface ComparedFile {
  readonly file: Uint8Array;
  readonly curve: Uint8Array;
  /** Its own date and number, where it has them. */
  readonly startTime: string | null;
  readonly sourceBatch: string | null;
}

/** A clock that is off by less is not another date. */
const sameDateMs = 60_000;

/** Roasts that the user may see and that have the same file, or the same curve. */
export const findDuplicates = async (
  sql: Sql,
  user: SignedInUser,
  { file, curve, startTime, sourceBatch }: ComparedFile,
): Promise<Upload['duplicates']> => {
  type Row = Omit<Upload['duplicates'][number], 'same' | 'differs'> & { is_file: boolean; source_batch: string | null };
  const rows = await sql<Row[]>`
    SELECT r.id AS roast_id, r.said_number, r.coffee_name, r.start_time, r.source_batch,
           c.file_sha256 = ${Buffer.from(file)} AS is_file
    FROM recordings c JOIN roasts r ON r.recording_id = c.id
    WHERE (c.file_sha256 = ${Buffer.from(file)} OR c.curve_sha256 = ${Buffer.from(curve)})
      AND ${roastAccess(sql, user)}
    ORDER BY r.start_time DESC, r.id LIMIT 5`;
  return rows.map(({ is_file: isFile, source_batch: batch, ...row }) => {
    const isOtherDate = startTime !== null && Math.abs(Date.parse(row.start_time) - Date.parse(startTime)) > sameDateMs;
    const isOtherNumber = sourceBatch !== null && batch !== null && batch !== sourceBatch;
    const differs = isFile
      ? []
      : [...(isOtherDate ? ['date' as const] : []), ...(isOtherNumber ? ['number' as const] : [])];
    return { ...row, same: isFile ? 'file' : 'curve', differs };
  });
};

export const findMachine = async (sql: Sql, user: SignedInUser, name: string | null): Promise<string | null> => {
  if (name === null) return null;
  const [machine] = await sql<{ id: string }[]>`
    SELECT m.id FROM machines m
    WHERE m.archived_at IS NULL AND (lower(m.display_name) = lower(${name}) OR lower(m.serial_number) = lower(${name}))
      AND ${machineAccess(sql, user, 'roast')}
    ORDER BY m.created_at LIMIT 1`;
  return machine?.id ?? null;
};

/** Choices with the zone of the file's local times: the chosen one, else the roastery's. */
export const withTimeZone = async (
  sql: Sql,
  choices: UploadChoices,
): Promise<UploadChoices & { time_zone: string }> => ({
  ...choices,
  time_zone: choices.time_zone ?? (await readTimeZone(sql)),
});

/** Reads a file in a child process, with its choices. Throws the errors of `readRoastFile`. */
const describe = async ({ sql, files, user }: UserContext, content: Uint8Array, choices: UploadChoices) => {
  const inZone = await withTimeZone(sql, choices);
  const described = await files.run(describeRoastFile, user.id, content, await withLayouts(sql, inZone));
  return { described, timeZone: inZone.time_zone };
};
type Described = Awaited<ReturnType<typeof describe>>;

const describeStored = async (context: UserContext, id: string, choices: UploadChoices) =>
  describe(context, await readContent(context.sql, 'upload', id), choices);

const completeUpload = async (
  { sql, user }: UserContext,
  { id, file_name, choices, roast_id }: Omit<StoredUpload, 'file_sha256'>,
  { described: { upload, fileSha256, curveSha256, figures }, timeZone }: Described,
  judgingMachineId?: string,
): Promise<Upload> => {
  const named = completedByName(file_name, upload, timeZone);
  const compared = {
    file: fileSha256,
    curve: curveSha256,
    startTime: named.start_time,
    sourceBatch: named.source_batch,
  };
  const [duplicates, machineId] = await Promise.all([
    findDuplicates(sql, user, compared),
    findMachine(sql, user, upload.machine_name),
  ]);
  const doubts = await findDoubts(sql, figures, judgingMachineId ?? machineId);
  return {
    id,
    file_name,
    choices,
    roast_id,
    ...named,
    doubts: doubts.map(({ sentence }) => sentence),
    machine_id: machineId,
    duplicates: duplicates.filter((one) => one.roast_id !== roast_id),
  };
};

/** Uploads without a roast, of all users. */
export const removeOldUploads = async (sql: Sql): Promise<void> => {
  await sql`
    DELETE FROM roast_uploads WHERE import_id IS NULL AND created_at < now() - make_interval(hours => ${keepHours})`;
};

const tidy = (sql: Sql, userId: string) => sql`
  DELETE FROM roast_uploads
  WHERE import_id IS NULL AND (
    created_at < now() - make_interval(hours => ${keepHours})
    OR id IN (SELECT id FROM roast_uploads WHERE user_id = ${userId} AND import_id IS NULL
              ORDER BY created_at DESC, id DESC OFFSET ${maxUploads}))`;

/**
 * Stores a file for a day and returns its contents. An unreadable file is not stored.
 * @param original the file is the original of this roast, which was imported with these choices
 */
export const uploadRoastFile = async (
  context: UserContext,
  fileName: string,
  content: Uint8Array,
  original?: { readonly roastId: string; readonly choices: UploadChoices },
): Promise<Upload> => {
  const { sql, user } = context;
  const { roastId = null, choices = {} } = original ?? {};
  const upload = { id: uuidV7(), file_name: fileName, choices, roast_id: roastId };
  const read = await describe(context, content, choices);
  await sql.begin(async (tx) => {
    await tx`
      INSERT INTO roast_uploads (id, user_id, file_name, file_sha256, choices, roast_id)
      VALUES (${upload.id}, ${user.id}, ${fileName}, ${Buffer.from(read.described.fileSha256)}, ${tx.json(choices)}, ${roastId})`;
    await storeContent(tx, 'upload', upload.id, content);
    await recordAudit(tx, actorOf(context), {
      action: 'upload.created',
      subject: upload.id,
      detail: { file_name: fileName, bytes: content.length },
    });
  });
  await tidy(sql, user.id);
  return completeUpload(context, upload, read);
};

export const getUpload = async (context: UserContext, id: string, machineId?: string): Promise<Upload> => {
  const upload = await findUpload(context.sql, id, context.user.id);
  if (upload === undefined) throw notFound('Upload');
  if (machineId !== undefined) await machineOf(context.sql, context.user, machineId);
  return completeUpload(context, upload, await describeStored(context, id, upload.choices), machineId);
};

/** A file that is being imported would be skipped when it is read again. */
const refuseBegunImport = async (tx: Sql, uploadId: string): Promise<void> => {
  const [begun] = await tx<{ state: string }[]>`
    SELECT state FROM roast_imports
    WHERE id = (SELECT import_id FROM roast_uploads WHERE id = ${uploadId}) FOR UPDATE`;
  if (begun === undefined || begun.state === 'open') return;
  throw new AppError('conflict', `The import is ${begun.state}: this can’t be done now.`);
};

/** The assigned columns, for all tables with these heads. Incomplete ones are of this file only, until the rest is assigned. */
const keepColumns = async (
  tx: Sql,
  userId: string,
  uploadId: string,
  columns: UploadChoices['columns'],
  { layout, upload }: DescribedFile,
): Promise<void> => {
  if (columns === undefined) return;
  if (layout === null) throw invalid('columns', 'This file is not a table whose columns can be assigned');
  if (columns.length === 0 || upload.samples > 0) await keepLayout(tx, layout, columns, { uploadId, userId });
};

/** Reads the file again with these choices, and stores them for the creation of the roast. */
export const chooseUpload = async (context: UserContext, id: string, choices: UploadChoices): Promise<Upload> => {
  const upload = await findUpload(context.sql, id, context.user.id);
  if (upload === undefined) throw notFound('Upload');
  const described = await describeStored(context, id, choices);
  await context.sql.begin(async (tx) => {
    await refuseBegunImport(tx, id);
    await tx`UPDATE roast_uploads SET choices = ${tx.json(choices)} WHERE id = ${id}`;
    await keepColumns(tx, context.user.id, id, choices.columns, described.described);
    // A file of an import is read again with them, and asked again.
    await tx`UPDATE roast_import_files SET state = 'waiting', accepted = false WHERE id = ${id} AND state = 'read'`;
    await recordAudit(tx, actorOf(context), {
      action: 'upload.changed',
      subject: id,
      detail: { file_name: upload.file_name, choices: Object.keys(choices) },
    });
  });
  return completeUpload(context, { ...upload, choices }, described);
};
