import { randomUUID } from 'node:crypto';
import type { ParsedBody } from '@roastery/contract/endpoint';
import type { createRoastFromUpload as endpoint, UploadChoices } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { type Actor, actorOf, recordAudit } from '../../db/audit.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { recomputeRoast } from '../roasts/life/recompute-roast.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { giveBatchNumber, nameRoaster } from '../planned/batch-number.ts';
import { countProfileUse, settleLot } from '../roasts/life/settle-roast.ts';
import { batchName } from './imported-roast.ts';
import { completedByName } from './named-file.ts';
import { factColumns, machineOf } from './roast-facts.ts';
import { type FileRecording, readRecording } from './file-jobs.ts';
import { withLayouts } from './kept-layouts.ts';
import { storeFile } from '../../recordings/recordings.ts';
import { readContent } from './file-parts.ts';
import { findDuplicates, findUpload, type StoredUpload, withTimeZone } from './uploads.ts';

/**
 * Marks that a person set are stored as that person's; those of a machine or a detector follow the samples like a
 * board's events, and so do all marks of a file that no person imported (`by` null).
 */
export const insertFileMarks = async (
  tx: Sql,
  roastId: string,
  recording: FileRecording,
  stored: { recordingId: string; bootNo: number },
  by: string | null,
): Promise<void> => {
  const rows = recording.marks.map((mark, place) => {
    const isPerson = by !== null && mark.origin === 'person';
    return {
      id: uuidV7(),
      roast_id: roastId,
      kind: mark.kind,
      origin: mark.origin,
      at_seq: mark.atSample,
      mono_ms: mark.monoMs,
      temp: mark.tempC,
      confidence: mark.confidence,
      provisional: false,
      is_withdrawn: false,
      recording_id: stored.recordingId,
      boot_no: stored.bootNo,
      event_seq: isPerson ? null : recording.monoMs.length + place,
      by_user: isPerson ? by : null,
    };
  });
  if (rows.length > 0) await tx`INSERT INTO roast_marks ${tx(rows)}`;
};

/** Two clicks create one roast, and a choice that changed while the file was read is not stored by mistake. */
export const lockUpload = async (tx: Sql, upload: StoredUpload, userId: string): Promise<void> => {
  const [row] = await tx<{ is_same: boolean }[]>`
    SELECT choices = ${tx.json(upload.choices)}::jsonb AS is_same FROM roast_uploads
    WHERE id = ${upload.id} AND user_id = ${userId} FOR UPDATE`;
  if (row === undefined) throw notFound('Upload');
  if (!row.is_same) throw new AppError('conflict', 'The units or marks of this file were changed. Check it again.');
};

const refuseDuplicates = async (tx: Sql, user: SignedInUser, file: Uint8Array, curve: Buffer): Promise<void> => {
  // Of two concurrent requests with the same roast the second one waits and finds the first.
  await tx`SELECT pg_advisory_xact_lock(${curve.readInt32BE(0)}, ${curve.readInt32BE(4)})`;
  const [duplicate] = await findDuplicates(tx, user, { file, curve, startTime: null, sourceBatch: null });
  if (duplicate === undefined) return;
  const name = duplicate.coffee_name === null ? '' : ` ${duplicate.coffee_name}`;
  throw new AppError('already_exists', `This roast was imported before: ${duplicate.said_number}${name}.`);
};

/** The owner of the roast, and the actor of the audit row. */
export interface RoastMaker {
  readonly user: SignedInUser;
  readonly actor: Actor;
}

export type UploadFacts = Omit<ParsedBody<typeof endpoint>, 'even_if_duplicate'>;

/** The number of the other program, in the file or its name. */
export const sourceBatchOf = (upload: StoredUpload, recording: FileRecording, startTime: string): string | null =>
  completedByName(upload.file_name, {
    coffee_name: null,
    start_time: startTime,
    source_batch: batchName(recording.batch),
    format: 'csv',
  }).source_batch;

/** With the columns that were used, whoever assigned them. */
const withColumns = (choices: UploadChoices, { columns }: FileRecording): UploadChoices =>
  columns === undefined ? choices : { ...choices, columns: [...columns] };

/** An upload read with its choices, and these as they are kept with it. */
export const readChosen = async (
  { sql, files, user }: UserContext,
  upload: StoredUpload,
): Promise<{ recording: FileRecording; choices: UploadChoices }> => {
  const content = await readContent(sql, 'upload', upload.id);
  const choices = await withTimeZone(sql, upload.choices);
  const recording = await files.run(readRecording, user.id, content, await withLayouts(sql, choices));
  return { recording, choices: withColumns(choices, recording) };
};

/** Inserts the roast of an upload: its recording, marks and facts. The upload is deleted. */
export const insertRoastOfUpload = async (
  tx: Sql,
  { user, actor }: RoastMaker,
  upload: StoredUpload,
  recording: FileRecording,
  {
    choices,
    facts: body,
    even_if_duplicate: evenIfDuplicate,
    deducts,
    isNumberedLater = false,
  }: {
    /** With which the file was read. */
    readonly choices: UploadChoices;
    readonly facts: UploadFacts;
    readonly even_if_duplicate: boolean;
    /** False: the lot keeps its green coffee. Undefined: according to the recipe. */
    readonly deducts?: boolean | undefined;
    /** Together with the other roasts of its import, so that the numbers follow the roasts. */
    readonly isNumberedLater?: boolean;
  },
): Promise<string> => {
  const { machine_id: machineId, start_time: startTime, ...facts } = body;
  const { chargeMs } = recording;
  if (chargeMs === undefined) throw new AppError('conflict', 'Set the charge before you import the roast.');
  const roastId = randomUUID();
  await lockUpload(tx, upload, user.id);
  if (!evenIfDuplicate) await refuseDuplicates(tx, user, upload.file_sha256, Buffer.from(recording.curveSha256));
  const file = { fileName: upload.file_name, sha256: upload.file_sha256, choices: withColumns(choices, recording) };
  const stored = await storeFile(tx, recording, Date.parse(startTime) - chargeMs, file);
  const sourceBatch = sourceBatchOf(upload, recording, startTime);
  const row = {
    id: roastId,
    recording_id: stored.recordingId,
    ...(await machineOf(tx, user, machineId ?? null)),
    status: 'completed',
    start_time: startTime,
    boot_no: stored.bootNo,
    is_numbered: sourceBatch === null && !isNumberedLater,
    source_batch: sourceBatch,
    ...(deducts === undefined ? {} : { deducts }),
    ...(await factColumns(tx, facts)),
  };
  await tx`INSERT INTO roasts ${tx(row)}`;
  await insertFileMarks(tx, roastId, recording, stored, user.id);
  await recomputeRoast(tx, roastId);
  await countProfileUse(tx, [row.profile_id]);
  await settleLot(tx, roastId, user.id);
  await giveBatchNumber(tx, roastId);
  if (!row.is_numbered) await nameRoaster(tx, roastId);
  await recordAudit(tx, actor, {
    action: 'roast.imported',
    subject: roastId,
    detail: { file_name: upload.file_name, start_time: startTime },
  });
  await tx`DELETE FROM roast_uploads WHERE id = ${upload.id}`;
  await tx`UPDATE roast_import_files SET state = 'imported', roast_id = ${roastId} WHERE id = ${upload.id}`;
  return roastId;
};

/**
 * Creates a roast from an uploaded file: its recording, its marks and the person's description, and deducts its green
 * weight from the lot, all in one transaction. The upload is deleted, so a second click creates no second roast.
 */
export const createRoastFromUpload = async (
  context: UserContext,
  uploadId: string,
  { even_if_duplicate, ...facts }: ParsedBody<typeof endpoint>,
): Promise<Roast> => {
  const upload = await findUpload(context.sql, uploadId, context.user.id);
  if (upload === undefined) throw notFound('Upload');
  if (upload.roast_id !== null) {
    throw new AppError('conflict', 'This is the original of a roast. Update that roast, or upload the file anew.');
  }
  const { recording, choices } = await readChosen(context, upload);
  const maker = { user: context.user, actor: actorOf(context) };
  const roastId = await context.sql.begin((tx) =>
    insertRoastOfUpload(tx, maker, upload, recording, { choices, facts, even_if_duplicate }),
  );
  const made = await readRoast(context.sql, roastId, context.user);
  if (made === undefined) throw notFound('Roast');
  return made.roast;
};
