import { type MarkKind, markOf, marksInOrder } from '@roastery/roasting/marks';
import { formatDuration } from '@roastery/roasting/units';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../../../db/sql.ts';
import { AppError } from '../../../http/app-error.ts';
import type { BootClocks, Place } from '../../../recordings/recordings.ts';
import type { EffectiveMark, MarkEntry } from './effective-marks.ts';
import { beanTempAt } from '../life/recompute-roast.ts';

export const markNames: Record<MarkKind, string> = {
  charge: 'Charge',
  turning_point: 'Turning point',
  dry_end: 'Dry end',
  first_crack: 'First crack',
  first_crack_end: 'First crack end',
  second_crack: 'Second crack',
  second_crack_end: 'Second crack end',
  drop: 'Drop',
  cool_end: 'Cool end',
};

/**
 * Refuses the mark of `kind` where it is on the wrong side of another one. Other marks may be out of order: a detector
 * finds the turning point after a person's mark, and a drop must not fail because of it.
 */
export const refuseWrongOrder = (
  kind: MarkKind,
  marks: readonly EffectiveMark[],
  clocks: BootClocks,
  axis: Place,
): void => {
  const timed = marks.flatMap((mark) => {
    const mono = clocks.onClockOf(axis.boot_no, mark.boot_no, mark.mono_ms);
    return mono === undefined ? [] : [{ kind: mark.kind, timeSeconds: (mono - axis.mono_ms) / 1000 }];
  });
  const own = markOf(timed, kind);
  if (own === undefined) return;
  const at = (which: MarkKind) => formatDuration(markOf(timed, which)?.timeSeconds);
  for (const other of timed) {
    const order = other === own ? { ok: true as const } : marksInOrder([other, own]);
    if (order.ok) continue;
    throw new AppError(
      'conflict',
      `${markNames[order.earlier]} (${at(order.earlier)}) must come before ${markNames[order.later].toLowerCase()} (${at(order.later)}).`,
    );
  }
};

/** A user's entry has no event of a board. */
export const ofPerson = { event_seq: null, source_seq: -1 } as const;

export type UserMarkEntry = Omit<MarkEntry, 'event_seq' | 'source_seq'> & Place;

/** A user's entry about a mark at this position; its temperature is the recorded one unless given. */
export const userMarkEntry = async (
  tx: Sql,
  recordingId: string,
  kind: MarkKind,
  { boot_no, mono_ms, at_seq }: Place,
  temp?: number | null,
): Promise<UserMarkEntry> => ({
  id: uuidV7(),
  kind,
  origin: 'person',
  boot_no,
  mono_ms,
  at_seq,
  temp: temp ?? (await beanTempAt(tx, recordingId, { boot_no, mono_ms, at_seq })),
  confidence: 1,
  provisional: false,
  is_withdrawn: false,
});

export const insertMarkEntry = async (
  tx: Sql,
  roastId: string,
  recordingId: string,
  by: string,
  entry: Omit<MarkEntry, 'event_seq' | 'source_seq'>,
): Promise<void> => {
  const row = { ...entry, roast_id: roastId, recording_id: recordingId, by_user: by, event_seq: null };
  await tx`INSERT INTO roast_marks ${tx(row)}`;
};
