import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { type BootClocks, readBootClocks } from './places.ts';
import { type EffectiveMark, effectiveMarks, type MarkEntry } from './effective-marks.ts';
import { readMarkEntries } from './recompute-roast.ts';
import { visibleTo } from './roast-row.ts';

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

/** Ingest holds the recording's row while it applies events: whoever holds it changes the recording's roasts alone. */
export const lockRecording = async (tx: Sql, recordingId: string | null): Promise<void> => {
  await tx`SELECT 1 FROM recordings WHERE id = ${recordingId} FOR NO KEY UPDATE`;
};

/** Locks a roast of this person, its recording first, and reads what is said about its marks. */
export const lockRoast = async (tx: Sql, context: UserContext, id: string): Promise<LockedRoast> => {
  const [found] = await tx<{ recording_id: string | null }[]>`
    SELECT r.recording_id FROM roasts r WHERE r.id = ${id} AND ${visibleTo(tx, context.user)}`;
  if (found === undefined) throw notFound('Roast');
  await lockRecording(tx, found.recording_id);
  const [roast] = await tx<
    { recording_id: string | null; machine_id: string | null; made_by_hand: boolean; status: string }[]
  >`
    SELECT r.recording_id, r.machine_id, r.made_by_hand, r.status FROM roasts r
    WHERE r.id = ${id} AND ${visibleTo(tx, context.user)} FOR UPDATE`;
  if (roast === undefined) throw notFound('Roast');
  if (roast.recording_id === null) {
    throw new AppError('conflict', 'This roast has no recorded curve to put a mark on');
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
    clocks: await readBootClocks(tx, roast.recording_id),
  };
};
