import type { UserContext } from '../../../context.ts';
import type { Sql } from '../../../db/sql.ts';
import { AppError, notFound } from '../../../http/app-error.ts';
import { requireRoast } from '../../../identity/access.ts';
import { type BootClocks, readClocks } from '../../../recordings/recordings.ts';
import { type EffectiveMark, effectiveMarks, type MarkEntry } from '../marks/effective-marks.ts';
import { readMarkEntries } from './recompute-roast.ts';

export interface LockedRoast {
  readonly id: string;
  readonly recordingId: string;
  readonly machineId: string | null;
  readonly madeByHand: boolean;
  readonly status: string;
  readonly entries: readonly MarkEntry[];
  readonly marks: readonly EffectiveMark[];
  readonly clocks: BootClocks;
}

/** Ingest locks the recording's row while it applies events: only the holder changes the recording's roasts. */
export const lockRecording = async (tx: Sql, recordingId: string | null): Promise<void> => {
  await tx`SELECT 1 FROM recordings WHERE id = ${recordingId} FOR NO KEY UPDATE`;
};

/** The same, found by the roast. */
export const lockRecordingOf = async (tx: Sql, roastId: string): Promise<void> => {
  const [found] = await tx<{ recording_id: string | null }[]>`SELECT recording_id FROM roasts WHERE id = ${roastId}`;
  if (found === undefined) throw notFound('Roast');
  await lockRecording(tx, found.recording_id);
};

/** Locks a roast that the caller may change, its recording first, and reads the entries about its marks. */
export const lockRoast = async (tx: Sql, context: UserContext, id: string): Promise<LockedRoast> => {
  await requireRoast(tx, context.user, id, 'roast');
  await lockRecordingOf(tx, id);
  const [roast] = await tx<
    { recording_id: string | null; machine_id: string | null; made_by_hand: boolean; status: string }[]
  >`
    SELECT recording_id, machine_id, made_by_hand, status FROM roasts WHERE id = ${id} FOR UPDATE`;
  if (roast === undefined) throw notFound('Roast');
  if (roast.recording_id === null) {
    throw new AppError('conflict', 'This roast has no recorded curve to mark.');
  }
  const entries = await readMarkEntries(tx, id, roast.recording_id);
  return {
    id,
    recordingId: roast.recording_id,
    machineId: roast.machine_id,
    madeByHand: roast.made_by_hand,
    status: roast.status,
    entries,
    marks: effectiveMarks(entries),
    clocks: await readClocks(tx, roast.recording_id),
  };
};
