import type { JournalEvent } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { bindPlan } from '../domains/planned/bind-plan.ts';
import { announceRoast } from '../domains/roasts/announce-roast.ts';
import { recomputeRoast } from '../domains/roasts/recompute-roast.ts';
import { countProfileUse, settleLot } from '../domains/roasts/settle-roast.ts';
import { insertNotes } from './recording-notes.ts';

/** An event of a stream that is new, with what its place in the stream says about it. */
export interface PlacedEvent {
  readonly recordingId: string;
  readonly machineId: string;
  readonly ownerId: string;
  readonly bootNo: number;
  /** wall ms = offset + monotonic ms, as known now. */
  readonly wallOffsetMs: number;
  readonly seq: number;
  readonly monoMs: number;
  readonly event: JournalEvent;
}

type Placed<T extends JournalEvent['type']> = PlacedEvent & { readonly event: Extract<JournalEvent, { type: T }> };
const ofType = <T extends JournalEvent['type']>(events: readonly PlacedEvent[], type: T): Placed<T>[] =>
  events.filter((placed): placed is Placed<T> => placed.event.type === type);

/** Every word about a mark is kept, under the sequence number it came with. */
const insertMarks = async (tx: Sql, marks: readonly Placed<'mark'>[]): Promise<void> => {
  if (marks.length === 0) return;
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
    taken_back: event.at_seq === null || event.at_mono === null,
    recording_id: recordingId,
    boot_no: bootNo,
    event_seq: seq,
  }));
  await tx`INSERT INTO roast_marks ${tx(rows)} ON CONFLICT (roast_id, recording_id, event_seq) DO NOTHING`;
};

/**
 * Makes a roast from whichever of its events comes first, and lets the event with the highest sequence number decide its
 * status. Another stream can't touch it: a board's roast belongs to the recording it was made in.
 */
const upsertRoast = async (tx: Sql, placed: Placed<'roast'>): Promise<void> => {
  const { event } = placed;
  const startTime = new Date(placed.wallOffsetMs + placed.monoMs).toISOString();
  await tx`
    INSERT INTO roasts (id, recording_id, machine_id, owner_id, status, status_seq, boot_no, start_time)
    VALUES (${event.roast_id}, ${placed.recordingId}, ${placed.machineId}, ${placed.ownerId}, ${event.state},
            ${placed.seq}, ${placed.bootNo}, ${startTime})
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, status_seq = excluded.status_seq
    WHERE roasts.recording_id = excluded.recording_id
      AND (roasts.status_seq IS NULL OR roasts.status_seq < excluded.status_seq)`;
  // Said at the begin only, which may come after the end.
  if (event.plan_id === undefined) return;
  await tx`
    UPDATE roasts SET board_plan_id = ${event.plan_id}
    WHERE id = ${event.roast_id} AND recording_id = ${placed.recordingId}`;
};

/** Deleted roasts stay deleted; the rest, in the order of their ids so that transactions lock them in one order. */
const livingRoasts = async (tx: Sql, events: readonly PlacedEvent[]): Promise<Set<string>> => {
  const ids = new Set<string>();
  for (const { event } of events) if ('roast_id' in event) ids.add(event.roast_id);
  if (ids.size === 0) return ids;
  const deleted = await tx<{ roast_id: string }[]>`
    SELECT roast_id FROM roast_tombstones WHERE roast_id = ANY(${[...ids]}::uuid[])`;
  for (const row of deleted) ids.delete(row.roast_id);
  return new Set([...ids].sort());
};

/** Window, figures, stock and count of use of one roast, after its events are in. */
const bringInLine = async (tx: Sql, roastId: string): Promise<void> => {
  const [roast] = await tx<{ machine_id: string | null; status: string }[]>`
    SELECT machine_id, status FROM roasts WHERE id = ${roastId} FOR UPDATE`;
  // Marks can be here before the event that makes the roast; it will look at them then.
  if (roast === undefined) return;
  await recomputeRoast(tx, roastId);
  // A charge takes the plan that waits for it; only then is it known which recipe and lot the roast has.
  await bindPlan(tx, roastId);
  if (roast.status !== 'in_progress') {
    const [bound] = await tx<{ profile_id: string | null }[]>`SELECT profile_id FROM roasts WHERE id = ${roastId}`;
    await countProfileUse(tx, [bound?.profile_id ?? null]);
    await settleLot(tx, roastId, null);
  }
  await announceRoast(tx, roastId, roast.machine_id);
};

/**
 * Applies events that were not applied before, in any order. `alsoTouched`: roasts to bring in line for another reason.
 * Answers the ids of the roasts that may have changed.
 */
export const applyEvents = async (
  tx: Sql,
  events: readonly PlacedEvent[],
  alsoTouched: readonly string[] = [],
): Promise<string[]> => {
  const living = await livingRoasts(tx, events);
  const heard = events.filter(({ event }) => !('roast_id' in event) || living.has(event.roast_id));
  await insertNotes(tx, heard);
  await insertMarks(tx, ofType(heard, 'mark'));
  const roasts = ofType(heard, 'roast').sort((a, b) =>
    a.event.roast_id === b.event.roast_id ? a.seq - b.seq : a.event.roast_id < b.event.roast_id ? -1 : 1,
  );
  for (const roast of roasts) await upsertRoast(tx, roast);
  const touched = [...new Set([...living, ...alsoTouched])].sort();
  for (const id of touched) await bringInLine(tx, id);
  return touched;
};
