import type { DetectedKind, DetectorOptions } from '@roastery/roasting/detection/detector';
import type { MarkKind, MarkOrigin } from '@roastery/roasting/marks';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Database, Sql } from '../../db/sql.ts';
import { beganMs } from '../roasts/boards/board-roasts.ts';
import { announceRoast } from '../roasts/life/announce-roast.ts';
import { type BootClocks, findPlace, readClocks, readSamples, type Samples } from '../../recordings/recordings.ts';
import { lockRecording } from '../roasts/life/lock-roast.ts';
import { beanTempAt, recomputeRoast } from '../roasts/life/recompute-roast.ts';
import { countProfileUse, settleLot } from '../roasts/life/settle-roast.ts';
import { aroundMs, besideMachine, detectAnew, type MarkAnew, roundTemp, type Span } from './detect-anew.ts';

/** A roast, or a board's roast, whose marks are due. */
export interface DueRoast {
  readonly roast_id: string;
  readonly recording_id: string;
  /** Changes whenever something else makes it due. */
  readonly version: string;
  readonly times: number;
}

/** How the machine of a map is charged; the board's detector uses it too. */
export type ChargingOf = (mapId: string, mapRev: number) => Promise<DetectorOptions['charging']>;

interface BoardRow {
  readonly id: string;
  readonly from_ms: number;
  readonly to_ms: number | null;
  readonly begin_seq: number;
  readonly state_seq: number;
  readonly is_running: boolean;
}

/** At the highest rate of a map. */
const seqsOf = (ms: number): number => Math.ceil(ms / 100);
/** A roast is no longer than this, in sequence numbers at the highest rate. */
const maxRoastSeqs = 4 * 36_000;
/** A person's temperature this close to the reading was the reading. */
const sameTemp = 0.05;
/** Marks are made anew again while samples of the roast may still arrive, ever more rarely: six hours in all. */
const maxTimes = 40;
const firstWaitSeconds = 15;
const maxWaitSeconds = 600;

/**
 * The board's roasts of a recording around a place, on the wall clock: from the first charge that the board reported to its last
 * event. A board that was in doubt reports the whole roast after its drop.
 */
const boardRoastsAround = (sql: Sql, recordingId: string, fromSeq: number, toSeq: number) => sql<BoardRow[]>`
  SELECT b.id, least(${beganMs(sql)}, charge.ms) AS from_ms,
         wall_ms(b.recording_id, b.state_boot_no, b.state_mono_ms) AS to_ms,
         least(b.begin_seq, charge.seq) AS begin_seq, b.state_seq, b.state = 'in_progress' AS is_running
  FROM board_roasts b
  CROSS JOIN LATERAL (
    SELECT min(wall_ms(w.recording_id, w.boot_no, w.mono_ms)) AS ms, min(w.at_seq) AS seq FROM (
      SELECT roast_id, recording_id, boot_no, mono_ms, at_seq, kind, event_seq FROM roast_marks WHERE roast_id = b.id
      UNION ALL
      SELECT roast_id, recording_id, boot_no, mono_ms, at_seq, kind, event_seq FROM replaced_marks WHERE roast_id = b.id) w
    WHERE w.recording_id = b.recording_id AND w.kind = 'charge' AND w.event_seq IS NOT NULL) charge
  WHERE b.recording_id = ${recordingId} AND b.begin_seq BETWEEN ${fromSeq} AND ${toSeq}
  ORDER BY begin_seq, b.id`;

interface LayoutRow {
  readonly is_exchanged: boolean;
  readonly map_id: string;
  readonly map_rev: number;
}

const layoutAt = async (sql: Sql, recordingId: string, seq: number): Promise<LayoutRow | undefined> => {
  const [row] = await sql<LayoutRow[]>`
    SELECT is_exchanged, map_id, map_rev FROM recorded_layouts
    WHERE recording_id = ${recordingId} AND layout_no = layout_at(${recordingId}, ${seq})`;
  return row;
};

/** What was read for a roast before its recording is locked: samples may be many. */
interface Found {
  readonly layoutsRev: number;
  readonly isExchanged: boolean;
  /** Undefined: the detector finds no such roast, or it is not a board's roast. */
  readonly marks: readonly MarkAnew[] | undefined;
  /** No more samples of it are expected. */
  readonly isComplete: boolean;
}

const isAllThere = async (sql: Sql, recordingId: string, row: BoardRow): Promise<boolean> => {
  if (row.is_running) return false;
  const [found] = await sql<{ is_complete: boolean; is_quiet: boolean }[]>`
    SELECT committed_now(r) @> int8range(${row.begin_seq}, ${row.state_seq}, '[]') AS is_complete,
           coalesce(r.last_received_at < now() - interval '20 minutes', true) AS is_quiet
    FROM recordings r WHERE r.id = ${recordingId}`;
  if (found === undefined || !found.is_complete) return false;
  if (found.is_quiet) return true;
  const last = await findPlace(sql, [recordingId], 'newest');
  if (last === undefined) return false;
  const clock = (await readClocks(sql, recordingId, [last.boot_no])).get(last.boot_no);
  return (clock?.offsetMs ?? 0) + last.mono_ms > (row.to_ms ?? row.from_ms) + aroundMs.after;
};

const toSpan = (row: BoardRow, lastMs: number): Span => ({
  fromMs: row.from_ms,
  toMs: row.is_running ? lastMs : (row.to_ms ?? lastMs),
});

const lastWallMs = (samples: Samples, clocks: BootClocks): number =>
  (clocks.get(samples.bootNo.at(-1) ?? -1)?.offsetMs ?? 0) + (samples.monoMs.at(-1) ?? 0);

const gather = async (sql: Sql, due: DueRoast, chargingOf: ChargingOf): Promise<Found | undefined> => {
  const { roast_id: id, recording_id: recordingId } = due;
  const [place] = await sql<{ seq: number; end_seq: number; is_board: boolean; layouts_rev: number }[]>`
    SELECT coalesce(b.begin_seq, r.charge_seq, t.seq, 0) AS seq, coalesce(b.state_seq, r.drop_seq, 0) AS end_seq,
           b.id IS NOT NULL AS is_board, c.layouts_rev
    FROM recordings c
    LEFT JOIN board_roasts b ON b.id = ${id} AND b.recording_id = c.id
    LEFT JOIN roasts r ON r.id = ${id} AND r.recording_id = c.id
    LEFT JOIN LATERAL (
      SELECT (kept->'roast'->>'charge_seq')::bigint AS seq FROM roast_tombstones WHERE roast_id = ${id}) t ON true
    WHERE c.id = ${recordingId}`;
  if (place === undefined) return undefined;
  const layout = await layoutAt(sql, recordingId, place.seq);
  const { layouts_rev: layoutsRev } = place;
  if (!place.is_board) {
    return { layoutsRev, isExchanged: layout?.is_exchanged ?? false, marks: undefined, isComplete: true };
  }
  const near = await boardRoastsAround(sql, recordingId, place.seq - maxRoastSeqs, place.end_seq + maxRoastSeqs);
  const own = near.find((row) => row.id === id);
  if (own === undefined) return undefined;
  const isComplete = await isAllThere(sql, recordingId, own);
  if (layout?.is_exchanged !== true) return { layoutsRev, isExchanged: false, marks: undefined, isComplete };
  const endSeq = own.is_running ? place.seq + maxRoastSeqs : place.end_seq;
  const samples = await readSamples(sql, {
    recordingId,
    fromSeq: own.begin_seq - seqsOf(aroundMs.before),
    toSeq: endSeq + seqsOf(aroundMs.after),
  });
  const clocks = await readClocks(sql, recordingId, samples.bootNo);
  const lastMs = lastWallMs(samples, clocks);
  const spans = near.map((row) => [row, toSpan(row, lastMs)] as const);
  const ownSpan = spans.find(([row]) => row === own)?.[1] ?? toSpan(own, lastMs);
  const charging = (await chargingOf(layout.map_id, layout.map_rev)) ?? 'hot';
  const boards = spans.map(([, span]) => span);
  const marks = detectAnew(samples, clocks, ownSpan, boards, { charging });
  return { layoutsRev, isExchanged: true, marks, isComplete };
};

/** As before their channels were exchanged. Marks that arrived since then stay. Returns the restored ones. */
const restoreMarks = async (tx: Sql, id: string): Promise<ReadonlySet<string>> => {
  const kept = await tx<{ id: string }[]>`SELECT id FROM replaced_marks WHERE roast_id = ${id}`;
  if (kept.length === 0) return new Set();
  await tx`DELETE FROM roast_marks WHERE roast_id = ${id} AND origin = 'detector' AND event_seq IS NOT NULL`;
  await tx`
    INSERT INTO roast_marks SELECT * FROM replaced_marks WHERE roast_id = ${id}
    ON CONFLICT (id) DO UPDATE SET temp = excluded.temp`;
  await tx`DELETE FROM replaced_marks WHERE roast_id = ${id}`;
  return new Set(kept.map((row) => row.id));
};

interface MarkRow {
  readonly id: string;
  readonly kind: MarkKind;
  readonly origin: MarkOrigin;
  readonly at_seq: number | null;
  readonly boot_no: number | null;
  readonly mono_ms: number | null;
  readonly temp: number | null;
  readonly is_withdrawn: boolean;
  readonly event_seq: number | null;
}

/** The temperature of a mark that stays, by the probe that measures the beans now. One that a person typed stays. */
const tempNow = async (tx: Sql, recordingId: string, mark: MarkRow): Promise<number | null> => {
  const { boot_no, mono_ms, at_seq, temp } = mark;
  if (temp === null || boot_no === null || mono_ms === null) return temp;
  const at = { boot_no, mono_ms, at_seq };
  if (mark.event_seq !== null) return roundTemp(await beanTempAt(tx, recordingId, at));
  const other = await beanTempAt(tx, recordingId, at, 'exhaust_temp');
  if (other === null || Math.abs(other - temp) > sameTemp) return temp;
  return beanTempAt(tx, recordingId, at);
};

const insertAnew = async (tx: Sql, due: DueRoast, marks: readonly MarkAnew[]): Promise<void> => {
  const taken = new Set<number>();
  const rows = marks.map((mark) => {
    // In the order of the journal a sample's number is no event's.
    let seq = mark.at_seq;
    while (taken.has(seq)) seq += 1;
    taken.add(seq);
    const place = { id: uuidV7(), roast_id: due.roast_id, recording_id: due.recording_id, event_seq: seq };
    return { ...mark, ...place, origin: 'detector', is_withdrawn: false };
  });
  if (rows.length > 0) await tx`INSERT INTO roast_marks ${tx(rows)} ON CONFLICT DO NOTHING`;
};

const detectedKinds: readonly MarkKind[] = ['charge', 'turning_point', 'dry_end', 'drop'] satisfies DetectedKind[];

const setTemps = async (tx: Sql, recordingId: string, rows: readonly MarkRow[]): Promise<void> => {
  for (const row of rows) {
    const temp = await tempNow(tx, recordingId, row);
    if (temp !== row.temp) await tx`UPDATE roast_marks SET temp = ${temp} WHERE id = ${row.id}`;
  }
};

/** `restored`: these marks were there before the exchange. */
const replaceMarks = async (
  tx: Sql,
  due: DueRoast,
  { isExchanged, marks }: Found,
  restored: ReadonlySet<string>,
): Promise<void> => {
  const { roast_id: id, recording_id: recordingId } = due;
  const rows = await tx<MarkRow[]>`
    SELECT id, kind, origin, at_seq, boot_no, mono_ms, temp, is_withdrawn, event_seq FROM roast_marks
    WHERE roast_id = ${id} AND recording_id = ${recordingId} ORDER BY id`;
  if (!isExchanged) {
    // A person set them while the channels were exchanged.
    const since = rows.filter((row) => row.event_seq === null && !restored.has(row.id));
    return setTemps(tx, recordingId, since);
  }
  const before = rows.filter((row) => restored.size === 0 || restored.has(row.id) || row.event_seq !== null);
  const ids = before.map((row) => row.id);
  await tx`INSERT INTO replaced_marks SELECT * FROM roast_marks WHERE id = ANY(${ids}::uuid[])`;
  const isAnew = ({ kind, origin, event_seq: seq }: MarkRow): boolean =>
    marks !== undefined && origin === 'detector' && seq !== null && detectedKinds.includes(kind);
  const gone = before.filter(isAnew).map((row) => row.id);
  await tx`DELETE FROM roast_marks WHERE id = ANY(${gone}::uuid[])`;
  await setTemps(
    tx,
    recordingId,
    before.filter((row) => !isAnew(row)),
  );
  if (marks === undefined) return undefined;
  const signals = rows.filter((row) => row.origin === 'machine' && !row.is_withdrawn);
  const charge = signals.find((row) => row.kind === 'charge')?.at_seq ?? null;
  return insertAnew(tx, due, besideMachine(marks, new Set(signals.map((row) => row.kind)), charge));
};

/** The roasts that use the marks of a board's roast. Which these are does not change here. */
const refreshDependents = async (tx: Sql, id: string): Promise<void> => {
  const roasts = await tx<{ id: string; machine_id: string | null; profile_id: string | null; status: string }[]>`
    WITH RECURSIVE dependents (id) AS (
      SELECT ${id}::uuid UNION SELECT s.roast_id FROM roast_sources s JOIN dependents h ON s.board_roast_id = h.id)
    SELECT r.id, r.machine_id, r.profile_id, r.status FROM roasts r JOIN dependents USING (id) ORDER BY r.id FOR UPDATE OF r`;
  for (const roast of roasts) {
    await recomputeRoast(tx, roast.id);
    const [now] = await tx<{ status: string }[]>`SELECT status FROM roasts WHERE id = ${roast.id}`;
    if (now !== undefined && now.status !== roast.status) {
      await countProfileUse(tx, [roast.profile_id]);
      await settleLot(tx, roast.id, null);
    }
    await announceRoast(tx, roast.id, roast.machine_id);
  }
};

/** Not due any more, unless something arrived for the roast since it was read, or its samples may still arrive. */
const settle = async (tx: Sql, due: DueRoast, isComplete: boolean): Promise<void> => {
  if (!isComplete && due.times < maxTimes) return postpone(tx, due);
  await tx`DELETE FROM marks_to_follow WHERE roast_id = ${due.roast_id} AND xmin = ${due.version}::xid`;
  return undefined;
};

/** Tries again later. */
export const postpone = async (tx: Sql, { roast_id: id, version, times }: DueRoast): Promise<void> => {
  const seconds = Math.min(maxWaitSeconds, firstWaitSeconds * 2 ** times);
  await tx`
    UPDATE marks_to_follow SET times = times + 1, due_at = now() + make_interval(secs => ${seconds})
    WHERE roast_id = ${id} AND xmin = ${version}::xid`;
};

/**
 * Makes the marks of a roast follow the layouts of its recording, as they are now: where bean and exhaust are exchanged,
 * the marks of the board's detector are replaced by those of the same detector on the exchanged readings; else they are as the board
 * sent them. Marks of people and machines stay where they are, with the temperature of the right probe. Idempotent.
 */
export const followMarks = async (sql: Database, due: DueRoast, chargingOf: ChargingOf): Promise<void> => {
  const found = await gather(sql, due, chargingOf);
  await sql.begin(async (tx) => {
    await lockRecording(tx, due.recording_id);
    const [recording] = await tx<{ layouts_rev: number }[]>`
      SELECT layouts_rev FROM recordings WHERE id = ${due.recording_id}`;
    if (found === undefined || recording === undefined) return settle(tx, due, true);
    // Exchanged or restored since it was read: it is due again.
    if (recording.layouts_rev !== found.layoutsRev) return undefined;
    const restored = await restoreMarks(tx, due.roast_id);
    await replaceMarks(tx, due, found, restored);
    await refreshDependents(tx, due.roast_id);
    return settle(tx, due, found.isComplete);
  });
};
