import type { JournalEvent } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../../../db/sql.ts';
import { roastsWithoutNumber } from '../../planned/batch-number.ts';
import { placeBoardRoasts } from './board-roasts.ts';
import type { ClockChange, PlacedEvent } from '../../../recordings/recordings.ts';
import { refreshRoasts } from '../life/recompute-roast.ts';

type Placed<T extends JournalEvent['type']> = PlacedEvent & { readonly event: Extract<JournalEvent, { type: T }> };
const ofType = <T extends JournalEvent['type']>(events: readonly PlacedEvent[], type: T): Placed<T>[] =>
  events.filter((placed): placed is Placed<T> => placed.event.type === type);

/** Those of these roasts whose marks of the board's detector were replaced. */
const withReplacedMarks = async (tx: Sql, roastIds: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await tx<{ roast_id: string }[]>`
    SELECT DISTINCT roast_id FROM replaced_marks WHERE roast_id = ANY(${[...roastIds]}::uuid[])`;
  return new Set(rows.map((row) => row.roast_id));
};

/**
 * Stores every entry about a mark under its sequence number. Where bean and exhaust were exchanged, the detector of the
 * board has read the wrong one: its entries are kept, but do not count.
 */
const insertMarks = async (tx: Sql, marks: readonly Placed<'mark'>[]): Promise<void> => {
  if (marks.length === 0) return;
  const replaced = await withReplacedMarks(tx, [...new Set(marks.map(({ event }) => event.roast_id))]);
  const rows = marks.map(({ event, recordingId, bootNo, seq }) => ({
    id: uuidV7(),
    roast_id: event.roast_id,
    kind: event.kind,
    origin: event.origin,
    at_seq: event.at_seq,
    mono_ms: event.at_mono,
    temp: event.temp,
    confidence: event.confidence,
    provisional: event.provisional,
    is_withdrawn: event.at_seq === null || event.at_mono === null,
    recording_id: recordingId,
    boot_no: bootNo,
    event_seq: seq,
  }));
  const isReplaced = (row: (typeof rows)[number]): boolean => row.origin === 'detector' && replaced.has(row.roast_id);
  const [kept, counting] = [rows.filter(isReplaced), rows.filter((row) => !isReplaced(row))];
  const asBefore = tx`ON CONFLICT (roast_id, recording_id, event_seq) DO NOTHING`;
  if (kept.length > 0) await tx`INSERT INTO replaced_marks ${tx(kept)} ${asBefore}`;
  if (counting.length > 0) await tx`INSERT INTO roast_marks ${tx(counting)} ${asBefore}`;
};

/** Where bean and exhaust are exchanged, the marks of these boards' roasts are made anew after this transaction. */
const followLayouts = async (tx: Sql, events: readonly PlacedEvent[]): Promise<void> => {
  const ids = new Set<string>();
  for (const { event } of events) if ('roast_id' in event) ids.add(event.roast_id);
  if (ids.size === 0) return;
  await tx`
    INSERT INTO marks_to_follow (roast_id, recording_id)
    SELECT b.id, b.recording_id FROM board_roasts b
    WHERE b.id = ANY(${[...ids].sort()}::uuid[])
      AND EXISTS (SELECT FROM channel_exchanges e WHERE e.machine_id = b.machine_id AND e.is_exchanged)
    ORDER BY b.id ON CONFLICT (roast_id) DO UPDATE SET due_at = now()`;
};

/**
 * Stores a roast as its board reports it: of its events the one with the highest sequence number decides the state, the
 * one with the lowest the beginning. Another stream can't change it: a board's roast belongs to its recording.
 */
const upsertBoardRoast = async (tx: Sql, placed: Placed<'roast'>): Promise<void> => {
  const { event, seq, bootNo, monoMs } = placed;
  // Only the first event has the plan, and it may arrive after the end.
  await tx`
    INSERT INTO board_roasts AS b (id, recording_id, machine_id, owner_id, state, state_seq, state_boot_no, state_mono_ms,
                                   begin_seq, begin_boot_no, begin_mono_ms, plan_id)
    VALUES (${event.roast_id}, ${placed.recordingId}, ${placed.machineId}, ${placed.ownerId}, ${event.state}, ${seq},
            ${bootNo}, ${monoMs}, ${seq}, ${bootNo}, ${monoMs}, ${event.plan_id ?? null})
    ON CONFLICT (id) DO UPDATE SET
      state = CASE WHEN excluded.state_seq > b.state_seq THEN excluded.state ELSE b.state END,
      state_boot_no = CASE WHEN excluded.state_seq > b.state_seq THEN excluded.state_boot_no ELSE b.state_boot_no END,
      state_mono_ms = CASE WHEN excluded.state_seq > b.state_seq THEN excluded.state_mono_ms ELSE b.state_mono_ms END,
      state_seq = greatest(excluded.state_seq, b.state_seq),
      begin_boot_no = CASE WHEN excluded.begin_seq < b.begin_seq THEN excluded.begin_boot_no ELSE b.begin_boot_no END,
      begin_mono_ms = CASE WHEN excluded.begin_seq < b.begin_seq THEN excluded.begin_mono_ms ELSE b.begin_mono_ms END,
      begin_seq = least(excluded.begin_seq, b.begin_seq),
      plan_id = coalesce(b.plan_id, excluded.plan_id)
    WHERE b.recording_id = excluded.recording_id`;
};

/** The roasts of these events, without those that were deleted for good and are not assigned to another roast. */
const liveRoasts = async (tx: Sql, events: readonly PlacedEvent[]): Promise<Set<string>> => {
  const ids = new Set<string>();
  for (const { event } of events) if ('roast_id' in event) ids.add(event.roast_id);
  if (ids.size === 0) return ids;
  const deleted = await tx<{ roast_id: string }[]>`
    SELECT t.roast_id FROM roast_tombstones t
    WHERE t.roast_id = ANY(${[...ids]}::uuid[]) AND t.kept IS NULL
      AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = t.roast_id)`;
  for (const row of deleted) ids.delete(row.roast_id);
  return ids;
};

/**
 * Applies new events, in any order. `alsoTouched`: roasts to refresh for another reason. Returns the ids of the roasts
 * that may have changed.
 */
export const applyEvents = async (
  tx: Sql,
  events: readonly PlacedEvent[],
  alsoTouched: readonly string[] = [],
): Promise<string[]> => {
  const known = await liveRoasts(tx, events);
  const applied = events.filter(({ event }) => !('roast_id' in event) || known.has(event.roast_id));
  await insertMarks(tx, ofType(applied, 'mark'));
  const roasts = ofType(applied, 'roast').sort((a, b) =>
    a.event.roast_id === b.event.roast_id ? a.seq - b.seq : a.event.roast_id < b.event.roast_id ? -1 : 1,
  );
  for (const roast of roasts) await upsertBoardRoast(tx, roast);
  await followLayouts(tx, applied);
  const byRecording = new Map<string, Set<string>>();
  for (const { recordingId, event } of applied) {
    if (!('roast_id' in event)) continue;
    const ids = byRecording.get(recordingId) ?? new Set();
    byRecording.set(recordingId, ids.add(event.roast_id));
  }
  const touched = new Set(alsoTouched);
  for (const [recordingId, ids] of byRecording) {
    for (const id of await placeBoardRoasts(tx, recordingId, [...ids])) touched.add(id);
  }
  for (const id of await roastsWithoutNumber(tx, [...byRecording.keys()])) touched.add(id);
  await refreshRoasts(tx, touched, null);
  return [...touched];
};

/** Moves the start of the roasts of these boots; elapsed times are monotonic and stay. Returns the roasts' ids. */
export const moveStarts = async (tx: Sql, changes: readonly ClockChange[]): Promise<string[]> => {
  const moved: string[] = [];
  for (const { recordingId, machineId, bootNo, byMs } of changes) {
    const rows = await tx<{ id: string }[]>`
      UPDATE roasts SET start_time = start_time + make_interval(secs => ${byMs / 1000})
      WHERE machine_id = ${machineId} AND recording_id = ${recordingId} AND boot_no = ${bootNo}
      RETURNING id`;
    moved.push(...rows.map((row) => row.id));
  }
  return moved;
};
