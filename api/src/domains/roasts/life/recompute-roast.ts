import { markOf } from '@roastery/roasting/marks';
import { valueAt } from '@roastery/roasting/curves/series';
import type { Sql } from '../../../db/sql.ts';
import { giveBatchNumber } from '../../planned/batch-number.ts';
import { bindPlan } from '../../planned/bind-plan.ts';
import { readOrigin } from '../marks/places.ts';
import { readClocks, readSamples } from '../../../recordings/recordings.ts';
import { type EffectiveMark, effectiveMarks, type MarkEntry } from '../marks/effective-marks.ts';
import { roastFigures, timedMarks } from '../curves/roast-window.ts';
import { announceRoast } from './announce-roast.ts';
import { countProfileUse, reopenLot, settleLot } from './settle-roast.ts';

/**
 * Every entry about the marks of a roast, also of the boards' roasts assigned to it. Those of other recordings don't
 * count.
 */
export const readMarkEntries = (sql: Sql, roastId: string, recordingId: string | null) => sql<MarkEntry[]>`
  WITH RECURSIVE sources (id) AS (
    SELECT ${roastId}::uuid UNION SELECT s.board_roast_id FROM roast_sources s JOIN sources h ON s.roast_id = h.id)
  SELECT w.kind, w.origin, w.at_seq, w.mono_ms, w.temp, w.confidence, w.provisional, w.is_withdrawn, w.boot_no, w.event_seq,
         w.id, coalesce(b.begin_seq, -1) AS source_seq
  FROM sources JOIN roast_marks w ON w.roast_id = sources.id LEFT JOIN board_roasts b ON b.id = w.roast_id
  WHERE (w.roast_id = ${roastId} OR w.event_seq IS NOT NULL) AND w.recording_id IS NOT DISTINCT FROM ${recordingId}`;

interface StatusRow {
  status: string;
  recorded_status: string | null;
  made_by_hand: boolean;
}

const isByHand = (mark: EffectiveMark): boolean => mark.origin === 'person' && mark.event_seq === null;

/**
 * The status of a roast. A charge or drop by a person outranks the board: with both marks the roast is completed,
 * although the board had aborted it. Otherwise the board's state counts.
 */
const statusOf = (roast: StatusRow, marks: readonly EffectiveMark[]): { status: string; recorded: string } => {
  const recorded = roast.recorded_status ?? roast.status;
  const [charge, drop] = [markOf(marks, 'charge'), markOf(marks, 'drop')];
  if (charge === undefined || drop === undefined) return { status: recorded, recorded };
  const isCompleted =
    isByHand(drop) ||
    (roast.made_by_hand && !drop.provisional) ||
    (isByHand(charge) && !roast.made_by_hand && recorded !== 'in_progress');
  return { status: isCompleted ? 'completed' : recorded, recorded };
};

/** Bean temperature, or another channel, of the recording at a time, between the samples around it; null in a gap. */
export const beanTempAt = async (
  sql: Sql,
  recordingId: string,
  at: { readonly boot_no: number; readonly mono_ms: number; readonly at_seq: number | null },
  channel = 'bean_temp',
): Promise<number | null> => {
  if (at.at_seq === null) return null;
  // The nearest sample's neighbours may be in the adjacent chunks. A mark set while its board was offline lies up to a
  // minute after the last known sample at that time: 600 samples at 10 Hz, and the events among them.
  const samples = await readSamples(sql, { recordingId, fromSeq: at.at_seq - 20, toSeq: at.at_seq + 700 });
  const values = samples.channels.get(channel) ?? [];
  const ofBoot = samples.monoMs.flatMap((ms, index) =>
    samples.bootNo[index] === at.boot_no ? [[ms, index] as const] : [],
  );
  return valueAt(
    ofBoot.map(([ms]) => ms / 1000),
    ofBoot.map(([, index]) => values[index] ?? null),
    at.mono_ms / 1000,
  );
};

const withTemperatures = (sql: Sql, recordingId: string, marks: readonly EffectiveMark[]): Promise<EffectiveMark[]> =>
  Promise.all(
    marks.map(async (mark) =>
      mark.temp === null && ['charge', 'drop', 'first_crack'].includes(mark.kind)
        ? { ...mark, temp: await beanTempAt(sql, recordingId, mark) }
        : mark,
    ),
  );

/**
 * Whether the board has charged again since: that ends a roast made by hand without a drop. A discarded charge, or one
 * of another roast, does not count.
 */
const hasSuccessor = async (tx: Sql, roastId: string, charge: EffectiveMark): Promise<boolean> => {
  const [row] = await tx<{ has: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM roasts r JOIN board_roasts b ON b.recording_id = r.recording_id AND b.begin_seq > ${charge.at_seq}
      WHERE r.id = ${roastId}
        AND NOT EXISTS (SELECT FROM roast_tombstones t WHERE t.roast_id = b.id)
        AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = b.id AND s.is_merged)
        AND (SELECT NOT w.is_withdrawn FROM roast_marks w
             WHERE w.roast_id = b.id AND w.kind = 'charge' AND w.event_seq IS NOT NULL
             ORDER BY w.event_seq DESC LIMIT 1)) AS has`;
  return row?.has ?? false;
};

/**
 * Refreshes a roast's window and derived figures after a change of its marks. The only writer of them: called in the
 * transaction that changed a mark. The caller holds the roast's row.
 */
export const recomputeRoast = async (tx: Sql, roastId: string): Promise<void> => {
  const [roast] = await tx<(StatusRow & { recording_id: string | null; boot_no: number | null })[]>`
    SELECT recording_id, boot_no, status, recorded_status, made_by_hand FROM roasts WHERE id = ${roastId} FOR UPDATE`;
  if (roast === undefined || roast.recording_id === null) return;
  const entries = await readMarkEntries(tx, roastId, roast.recording_id);
  const marks = await withTemperatures(tx, roast.recording_id, effectiveMarks(entries));
  const charge = markOf(marks, 'charge');
  const start = charge ?? (await readOrigin(tx, roastId));
  const boots = [...marks, ...(start === undefined ? [] : [start])].map(({ boot_no: boot }) => boot);
  const clocks = await readClocks(tx, roast.recording_id, boots);
  const timed = timedMarks(marks, clocks);
  const drop = markOf(timed, 'drop');
  const offsetMs = start === undefined ? undefined : clocks.get(start.boot_no)?.offsetMs;
  const startTime =
    start === undefined || offsetMs === undefined ? null : new Date(offsetMs + start.mono_ms).toISOString();
  const decided = statusOf(roast, marks);
  const isOver =
    roast.made_by_hand && drop === undefined && charge !== undefined && (await hasSuccessor(tx, roastId, charge));
  const status = isOver && decided.status === 'in_progress' ? 'aborted' : decided.status;
  const figures = roastFigures(timed);
  await tx`
    UPDATE roasts SET
      status = ${status},
      recorded_status = ${decided.recorded},
      boot_no = ${start?.boot_no ?? roast.boot_no},
      charge_mono_ms = ${charge?.mono_ms ?? null},
      charge_seq = ${charge?.at_seq ?? null},
      drop_mono_ms = ${charge === undefined || drop === undefined ? null : charge.mono_ms + Math.round(drop.timeSeconds * 1000)},
      drop_seq = ${drop?.mark.at_seq ?? null},
      start_time = coalesce(${startTime}::timestamptz, start_time),
      duration_seconds = ${figures.duration_seconds},
      charge_temp = ${figures.charge_temp},
      drop_temp = ${figures.drop_temp},
      first_crack_time = ${figures.first_crack_time},
      first_crack_temp = ${figures.first_crack_temp},
      first_crack_observed = ${figures.first_crack_observed},
      development_time_seconds = ${figures.development_time_seconds},
      development_time_ratio = ${figures.development_time_ratio}
    WHERE id = ${roastId}`;
};

const refreshRoast = async (tx: Sql, roastId: string, byUser: string | null): Promise<void> => {
  const [roast] = await tx<{ machine_id: string | null; status: string }[]>`
    SELECT machine_id, status FROM roasts WHERE id = ${roastId} FOR UPDATE`;
  // Marks can arrive before the event that creates the roast, which finds them then.
  if (roast === undefined) return;
  await recomputeRoast(tx, roastId);
  // A charge takes the first waiting plan; only then are the roast's recipe and lot known.
  await bindPlan(tx, roastId);
  const [now] = await tx<{ profile_id: string | null; status: string }[]>`
    SELECT profile_id, status FROM roasts WHERE id = ${roastId}`;
  if (roast.status !== 'in_progress' || now?.status !== 'in_progress') {
    await countProfileUse(tx, [now?.profile_id ?? null]);
  }
  if (now !== undefined && now.status !== 'in_progress') await settleLot(tx, roastId, byUser);
  else if (roast.status !== 'in_progress') await reopenLot(tx, roastId, byUser);
  await announceRoast(tx, roastId, roast.machine_id);
};

/**
 * Refreshes window, figures, status, plan, batch number, stock and use counts of roasts after their marks or states
 * changed. The caller holds the recordings' rows. Idempotent.
 */
export const refreshRoasts = async (tx: Sql, roastIds: Iterable<string>, byUser: string | null): Promise<void> => {
  // In one order everywhere, so that no two transactions wait for each other's roast.
  const ids = [...new Set(roastIds)].sort();
  for (const id of ids) await refreshRoast(tx, id, byUser);
  // A backlog contains several roasts: they are numbered in the order of roasting.
  const asRoasted = await tx<{ id: string }[]>`
    SELECT id FROM roasts WHERE id = ANY(${ids}::uuid[]) ORDER BY start_time, id`;
  for (const { id } of asRoasted) await giveBatchNumber(tx, id);
};
