import type { ParsedBody } from '@roastery/contract/endpoint';
import type { updateRoastFromUpload as endpoint } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { requireRoast } from '../../identity/access.ts';
import { lockRecordingOf } from '../roasts/life/lock-roast.ts';
import { refreshRoasts } from '../roasts/life/recompute-roast.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { insertFileMarks, lockUpload, readChosen, sourceBatchOf } from './create-roast-from-upload.ts';
import { carryPersonsMarks, factColumns, factsOf, type FileFacts, settableFacts } from './machine-files/file-roast.ts';
import { readClocks, storeFile } from '../../recordings/recordings.ts';
import { findUpload } from './uploads.ts';

type Earlier = FileFacts & {
  recording_id: string | null;
  boot_no: number | null;
  start_time: string;
  duration_seconds: number | null;
  drop_temp: number | null;
  source_batch: string | null;
  roasts: number;
};

const lockEarlier = async (
  tx: Sql,
  roastId: string,
): Promise<Earlier & { recording_id: string; wall_offset_ms: number }> => {
  await lockRecordingOf(tx, roastId);
  await tx`SELECT 1 FROM roasts WHERE id = ${roastId} FOR UPDATE`;
  const [roast] = await tx<Earlier[]>`
    SELECT r.recording_id, r.boot_no, r.start_time, r.duration_seconds, r.drop_temp, r.source_batch,
           ${tx(factColumns.map((column) => `r.${column}`))},
           (SELECT count(*)::int FROM roasts o WHERE o.recording_id = r.recording_id) AS roasts
    FROM roasts r JOIN recording_files f ON f.recording_id = r.recording_id WHERE r.id = ${roastId}`;
  const { recording_id: recordingId = null, boot_no: bootNo = null } = roast ?? {};
  if (roast === undefined || recordingId === null || bootNo === null) throw notFound('Roast');
  const clock = (await readClocks(tx, recordingId, [bootNo])).get(bootNo);
  if (clock === undefined) throw notFound('Roast');
  if (roast.roasts > 1) {
    throw new AppError(
      'conflict',
      'The file was split into several roasts, so it can’t be read again for one of them.',
    );
  }
  return { ...roast, recording_id: recordingId, wall_offset_ms: clock.offsetMs };
};

/**
 * Reads a roast again from its original: the file's curve and marks replace the earlier ones, in a new recording. Marks
 * that people corrected, machine, lot and the other facts stay; empty facts are filled from the file. The earlier
 * recording stays as history, and the audit row names it with the earlier figures.
 */
export const updateRoastFromUpload = async (
  context: UserContext,
  uploadId: string,
  { start_time: given }: ParsedBody<typeof endpoint>,
): Promise<Roast> => {
  const { sql, user } = context;
  const upload = await findUpload(sql, uploadId, user.id);
  const roastId = upload?.roast_id ?? null;
  if (upload === undefined || roastId === null) throw notFound('Upload');
  const { recording, choices } = await readChosen(context, upload);
  const { chargeMs } = recording;
  if (chargeMs === undefined) throw new AppError('conflict', 'Set the charge before you update the roast.');
  await sql.begin(async (tx) => {
    await requireRoast(tx, user, roastId, 'roast');
    await lockUpload(tx, upload, user.id);
    const earlier = await lockEarlier(tx, roastId);
    const startTime = given ?? earlier.start_time;
    const stored = await storeFile(tx, recording, Date.parse(startTime) - chargeMs, {
      fileName: upload.file_name,
      sha256: upload.file_sha256,
      choices,
    });
    await insertFileMarks(tx, roastId, recording, stored, user.id);
    // By their place in the file, wherever its clock stands.
    const sameClock = { recording, startedAtMs: earlier.wall_offset_ms };
    await carryPersonsMarks(tx, roastId, earlier.recording_id, sameClock, stored);
    const sourceBatch = sourceBatchOf(upload, recording, startTime);
    await tx`
      UPDATE roasts SET ${tx({
        ...settableFacts(earlier, {}, factsOf({ recording })),
        recording_id: stored.recordingId,
        boot_no: stored.bootNo,
        start_time: startTime,
        source_batch: sourceBatch,
        ...(sourceBatch === null ? { is_numbered: true } : {}),
      })}, revision = revision + 1 WHERE id = ${roastId}`;
    await refreshRoasts(tx, [roastId], user.id);
    await tx`DELETE FROM roast_uploads WHERE id = ${uploadId}`;
    await recordAudit(tx, actorOf(context), {
      action: 'roast.read_again',
      subject: roastId,
      detail: {
        file_name: upload.file_name,
        from: new Date(earlier.start_time).toISOString(),
        to: new Date(startTime).toISOString(),
        earlier_duration_seconds: earlier.duration_seconds,
        earlier_drop_temp: earlier.drop_temp,
        earlier_source_batch: earlier.source_batch,
        earlier_recording: earlier.recording_id,
      },
    });
  });
  const changed = await readRoast(sql, roastId, user);
  if (changed === undefined) throw notFound('Roast');
  return changed.roast;
};
