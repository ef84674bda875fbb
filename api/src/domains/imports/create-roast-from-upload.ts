import { randomUUID } from 'node:crypto';
import type { ParsedBody } from '@roastery/contract/endpoint';
import type { createRoastFromUpload as endpoint } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { recomputeRoast } from '../roasts/recompute-roast.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { giveBatchNumber } from '../planned/batch-number.ts';
import { countProfileUse, settleLot } from '../roasts/settle-roast.ts';
import { batchName } from './imported-roast.ts';
import { factColumns, machineOf } from './roast-facts.ts';
import { type FileRecording, readRecording } from './roast-file-jobs.ts';
import { storeRecording } from './store-recording.ts';
import { findDuplicates, findUpload, readContent, type StoredUpload } from './uploads.ts';

/** A person's marks are that person's word; those of a machine or a detector follow the samples like a board's events. */
const insertMarks = async (
  tx: Sql,
  roastId: string,
  recording: FileRecording,
  stored: { recordingId: string; bootNo: number },
  by: string,
) => {
  const rows = recording.marks.map((mark, place) => {
    const isPerson = mark.origin === 'person';
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
      taken_back: false,
      recording_id: stored.recordingId,
      boot_no: stored.bootNo,
      event_seq: isPerson ? null : recording.monoMs.length + place,
      by_user: isPerson ? by : null,
    };
  });
  if (rows.length > 0) await tx`INSERT INTO roast_marks ${tx(rows)}`;
};

/** Two clicks make one roast, and a choice that changed while the file was read is not stored by mistake. */
const lockUpload = async (tx: Sql, upload: StoredUpload, userId: string): Promise<void> => {
  const [row] = await tx<{ is_same: boolean }[]>`
    SELECT choices = ${tx.json(upload.choices)}::jsonb AS is_same FROM roast_uploads
    WHERE id = ${upload.id} AND user_id = ${userId} FOR UPDATE`;
  if (row === undefined) throw notFound('Upload');
  if (!row.is_same) throw new AppError('conflict', 'The units or marks of this file were changed. Check it again.');
};

const refuseDuplicates = async (tx: Sql, context: UserContext, file: Uint8Array, curve: Buffer): Promise<void> => {
  // Two people, or two clicks, with the same roast at once: the second one waits and finds the first.
  await tx`SELECT pg_advisory_xact_lock(${curve.readInt32BE(0)}, ${curve.readInt32BE(4)})`;
  const [duplicate] = await findDuplicates(tx, context.user, file, curve);
  if (duplicate === undefined) return;
  const name = duplicate.coffee_name === null ? '' : ` ${duplicate.coffee_name}`;
  throw new AppError('already_exists', `This roast was imported before: ${duplicate.roast_number}${name}.`);
};

/**
 * Makes a roast of an uploaded file: its recording, its marks and what the person says of it, and takes its green weight from
 * the lot, all in one transaction. The upload is gone afterwards, so a second click makes no second roast.
 */
export const createRoastFromUpload = async (
  context: UserContext,
  uploadId: string,
  body: ParsedBody<typeof endpoint>,
): Promise<Roast> => {
  const { machine_id: machineId, start_time: startTime, even_if_duplicate: evenIfDuplicate, ...facts } = body;
  const upload = await findUpload(context.sql, uploadId, context.user.id);
  if (upload === undefined) throw notFound('Upload');
  const content = await readContent(context.sql, uploadId);
  const recording = await context.files.run(readRecording, context.user.id, content, upload.choices);
  const { chargeMs } = recording;
  if (chargeMs === undefined)
    throw new AppError('conflict', 'Say when the beans went in before the roast is imported.');
  const roastId = randomUUID();
  await context.sql.begin(async (tx) => {
    await lockUpload(tx, upload, context.user.id);
    if (!evenIfDuplicate) await refuseDuplicates(tx, context, upload.file_sha256, Buffer.from(recording.curveSha256));
    const file = { fileName: upload.file_name, sha256: upload.file_sha256, choices: upload.choices };
    const stored = await storeRecording(tx, recording, Date.parse(startTime) - chargeMs, file);
    const row = {
      id: roastId,
      recording_id: stored.recordingId,
      ...(await machineOf(tx, context.user, machineId ?? null)),
      status: 'completed',
      start_time: startTime,
      boot_no: stored.bootNo,
      source_batch: batchName(recording.batch),
      ...(await factColumns(tx, facts)),
    };
    await tx`INSERT INTO roasts ${tx(row)}`;
    await insertMarks(tx, roastId, recording, stored, context.user.id);
    await recomputeRoast(tx, roastId);
    await giveBatchNumber(tx, roastId);
    await countProfileUse(tx, [row.profile_id]);
    await settleLot(tx, roastId, context.user.id);
    await recordAudit(tx, actorOf(context), {
      action: 'roast.imported',
      subject: roastId,
      detail: { file_name: upload.file_name, start_time: startTime },
    });
    await tx`DELETE FROM roast_uploads WHERE id = ${uploadId}`;
  });
  const made = await readRoast(context.sql, roastId, context.user);
  if (made === undefined) throw notFound('Roast');
  return made.roast;
};
