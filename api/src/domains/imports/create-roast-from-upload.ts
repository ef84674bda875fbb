import type { ParsedBody } from '@roastery/contract/endpoint';
import type { createRoastFromUpload as endpoint } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import { markOf, type Mark } from '@roastery/roasting/marks';
import { valueAt } from '@roastery/roasting/series';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { recomputeRoast } from '../roasts/recompute-roast.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { countProfileUse, settleLot } from '../roasts/settle-roast.ts';
import { valuesOf, type ImportedRoast } from './imported-roast.ts';
import { readRoastFile } from './read-roast-file.ts';
import { factColumns, machineOf } from './roast-facts.ts';
import { curveHash, storeRecording } from './store-recording.ts';
import { findDuplicates, findUpload } from './uploads.ts';

/** Index of the sample nearest to a moment. Samples rise. */
const nearest = (monoMs: readonly number[], ms: number): number => {
  let best = 0;
  for (const [index, at] of monoMs.entries()) {
    if (Math.abs(at - ms) < Math.abs((monoMs[best] ?? 0) - ms)) best = index;
  }
  return best;
};

interface Stored {
  readonly recordingId: string;
  readonly bootNo: number;
  readonly monoMs: readonly number[];
}

/** A person's marks are that person's word; those of a machine or a detector follow the samples like a board's events. */
const insertMarks = async (tx: Sql, roastId: string, roast: ImportedRoast, stored: Stored, by: string) => {
  const offsetMs = (stored.monoMs[0] ?? 0) - Math.round((roast.timesSeconds[0] ?? 0) * 1000);
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const rows = roast.marks.map((mark: Mark, place) => {
    const monoMs = Math.round(mark.timeSeconds * 1000) + offsetMs;
    const isPerson = mark.origin === 'person';
    return {
      id: uuidV7(),
      roast_id: roastId,
      kind: mark.kind,
      origin: mark.origin,
      at_seq: nearest(stored.monoMs, monoMs),
      mono_ms: monoMs,
      temp: mark.tempC ?? valueAt(roast.timesSeconds, bean, mark.timeSeconds),
      confidence: mark.confidence,
      provisional: false,
      taken_back: false,
      recording_id: stored.recordingId,
      boot_no: stored.bootNo,
      event_seq: isPerson ? null : stored.monoMs.length + place,
      by_user: isPerson ? by : null,
    };
  });
  if (rows.length > 0) await tx`INSERT INTO roast_marks ${tx(rows)}`;
};

const refuseDuplicates = async (tx: Sql, context: UserContext, file: Uint8Array, curve: Buffer): Promise<void> => {
  // Two people, or two clicks, with the same roast at once: the second one waits and finds the first.
  await tx`SELECT pg_advisory_xact_lock(${curve.readInt32BE(0)}, ${curve.readInt32BE(4)})`;
  const [duplicate] = await findDuplicates(tx, context.user, file, curve);
  if (duplicate === undefined) return;
  const name = duplicate.coffee_name === null ? '' : ` ${duplicate.coffee_name}`;
  throw new AppError('already_exists', `This roast is here already: ${duplicate.roast_number}${name}.`);
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
  const roastId = uuidV7();
  await context.sql.begin(async (tx) => {
    const upload = await findUpload(tx, uploadId, context.user.id, true);
    if (upload === undefined) throw notFound('Upload');
    const { roast } = await readRoastFile(upload.content, upload.choices);
    const charge = markOf(roast.marks, 'charge');
    if (charge === undefined)
      throw new AppError('conflict', 'Say when the beans went in before the roast is taken in.');
    if (!evenIfDuplicate) await refuseDuplicates(tx, context, upload.file_sha256, curveHash(roast));
    const offsetSeconds = Math.min(0, roast.timesSeconds[0] ?? 0);
    const chargeMs = Math.round((charge.timeSeconds - offsetSeconds) * 1000);
    const file = { fileName: upload.file_name, sha256: upload.file_sha256 };
    const stored = await storeRecording(tx, roast, Date.parse(startTime) - chargeMs, file);
    const row = {
      id: roastId,
      recording_id: stored.recordingId,
      ...(await machineOf(tx, context.user, machineId ?? null)),
      status: 'completed',
      start_time: startTime,
      boot_no: stored.bootNo,
      ...(await factColumns(tx, facts)),
    };
    await tx`INSERT INTO roasts ${tx(row)}`;
    await insertMarks(tx, roastId, roast, stored, context.user.id);
    await recomputeRoast(tx, roastId);
    await countProfileUse(tx, [row.profile_id]);
    await settleLot(tx, roastId, context.user.id);
    await tx`DELETE FROM roast_uploads WHERE id = ${uploadId}`;
  });
  const made = await readRoast(context.sql, roastId, context.user);
  if (made === undefined) throw notFound('Roast');
  return made.roast;
};
