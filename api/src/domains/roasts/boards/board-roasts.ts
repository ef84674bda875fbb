import type { Sql } from '../../../db/sql.ts';
import { systemActor } from '../../../db/audit.ts';
import { endRoast } from '../life/end-roast.ts';
import { sameBeans, type BoardRoast } from '../same-beans.ts';

/** Sequence numbers in a minute at the highest rate a machine map allows. */
const seqsPerMinute = 600;
/**
 * How far the beginning of a board's roast of the same beans can lie from a charge by hand, with the time to detect it.
 */
const nearSeqs = 20 * seqsPerMinute;
/** A roast made by hand that may contain a board's roast began at most this long before. */
const maxRoastSeqs = 4 * 60 * seqsPerMinute;

interface HandMadeRow {
  id: string;
  charge_seq: number;
  charge_ms: number;
  drop_seq: number | null;
  drop_ms: number | null;
}

interface BoardRow {
  id: string;
  begin_ms: number;
  charge_ms: number | null;
  drop_ms: number | null;
}

const handMadeNear = (tx: Sql, recordingId: string, boardIds: readonly string[], roastIds: readonly string[]) =>
  tx<HandMadeRow[]>`
    WITH near AS (SELECT min(begin_seq) AS first, max(begin_seq) AS last FROM board_roasts WHERE id = ANY(${[...boardIds]}::uuid[]))
    SELECT r.id, r.charge_seq, wall_ms(r.recording_id, r.boot_no, r.charge_mono_ms) AS charge_ms, dropped.at_seq AS drop_seq,
           wall_ms(r.recording_id, dropped.boot_no, dropped.mono_ms) AS drop_ms
    FROM roasts r
    LEFT JOIN LATERAL (
      -- Each retraction undoes one entry: the newest that counts has as many entries as retractions after it.
      SELECT w.at_seq, w.mono_ms, w.boot_no FROM (
        SELECT id, at_seq, mono_ms, boot_no, is_withdrawn,
               sum(CASE WHEN is_withdrawn THEN -1 ELSE 1 END) OVER (ORDER BY id DESC) AS left_standing
        FROM roast_marks WHERE roast_id = r.id AND kind = 'drop' AND origin = 'person' AND event_seq IS NULL) w
      WHERE NOT w.is_withdrawn AND w.left_standing = 1 ORDER BY w.id DESC LIMIT 1) dropped ON true
    WHERE r.recording_id = ${recordingId} AND r.made_by_hand AND r.charge_seq IS NOT NULL AND (
      r.id = ANY(${[...roastIds]}::uuid[])
      OR r.id IN (SELECT roast_id FROM roast_sources WHERE board_roast_id = ANY(${[...boardIds]}::uuid[]))
      OR r.charge_seq BETWEEN (SELECT first FROM near) - ${maxRoastSeqs} AND (SELECT last FROM near) + ${nearSeqs})
    ORDER BY r.charge_seq`;

/** When the board reported the beginning of its roast b, ms since 1970. */
export const beganMs = (sql: Sql) => sql`wall_ms(b.recording_id, b.begin_boot_no, b.begin_mono_ms)`;

/** Rules 1 and 2: without those that a person has changed. */
const boardRoastsNear = (tx: Sql, recordingId: string, fromSeq: number, toSeq: number) => tx<BoardRow[]>`
  SELECT b.id, ${beganMs(tx)} AS begin_ms, charge.ms AS charge_ms, drop.ms AS drop_ms
  FROM board_roasts b
  LEFT JOIN LATERAL (${newestEntry(tx, 'charge')}) charge ON NOT charge.is_withdrawn
  LEFT JOIN LATERAL (${newestEntry(tx, 'drop')}) drop ON NOT drop.is_withdrawn AND NOT drop.provisional
  WHERE b.recording_id = ${recordingId} AND b.begin_seq BETWEEN ${fromSeq} AND ${toSeq}
    AND NOT EXISTS (SELECT FROM roast_tombstones t WHERE t.roast_id = b.id)
    AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = b.id AND s.is_manual AND s.is_merged)
    AND NOT ${isOfPerson(tx)}`;

/** A person has set charge or drop of the roast b. */
const isOfPerson = (tx: Sql) => tx`EXISTS (
  SELECT FROM roast_marks w
  WHERE w.roast_id = b.id AND w.event_seq IS NULL AND w.origin = 'person' AND w.kind IN ('charge', 'drop'))`;

/** The board's last entry about a mark of its roast b. */
const newestEntry = (tx: Sql, kind: 'charge' | 'drop') => tx`
  SELECT w.is_withdrawn, w.provisional, w.at_seq, wall_ms(w.recording_id, w.boot_no, w.mono_ms) AS ms
  FROM roast_marks w
  WHERE w.roast_id = b.id AND w.recording_id = b.recording_id AND w.kind = ${kind} AND w.event_seq IS NOT NULL
  ORDER BY w.event_seq DESC LIMIT 1`;

/** Assigns the arrived roasts of the board to the roasts made by hand. Returns the ids of changed roasts. */
const assignBoardRoasts = async (tx: Sql, recordingId: string, handMade: readonly HandMadeRow[]): Promise<string[]> => {
  const concerned: string[] = [];
  const taken = new Set<string>();
  for (const [place, roast] of handMade.entries()) {
    const toSeq = (roast.drop_seq ?? roast.charge_seq) + nearSeqs;
    const near = await boardRoastsNear(tx, recordingId, roast.charge_seq - nearSeqs, toSeq);
    const boardRoasts = near
      .filter(({ id }) => !taken.has(id))
      .map((row): BoardRoast => ({ id: row.id, beginMs: row.begin_ms, chargeMs: row.charge_ms, dropMs: row.drop_ms }));
    const merged = sameBeans(
      { chargeMs: roast.charge_ms, dropMs: roast.drop_ms, nextChargeMs: handMade[place + 1]?.charge_ms ?? null },
      boardRoasts,
    );
    for (const id of merged) taken.add(id);
    const released = await tx<{ board_roast_id: string }[]>`
      DELETE FROM roast_sources WHERE roast_id = ${roast.id} AND NOT is_manual AND board_roast_id <> ALL(${merged}::uuid[])
      RETURNING board_roast_id`;
    const added = await tx<{ board_roast_id: string }[]>`
      INSERT INTO roast_sources (roast_id, board_roast_id, is_merged, is_manual)
      SELECT ${roast.id}, id, true, false FROM unnest(${merged}::uuid[]) AS h (id)
      ON CONFLICT DO NOTHING RETURNING board_roast_id`;
    for (const { board_roast_id: id } of added) await endRoast(tx, id, { how: 'merged', into: roast.id }, systemActor);
    await tx`
      UPDATE roasts SET board_plan_id = coalesce(board_plan_id, (
        SELECT b.plan_id FROM board_roasts b WHERE b.id = ANY(${merged}::uuid[]) AND b.plan_id IS NOT NULL
        ORDER BY b.begin_seq LIMIT 1))
      WHERE id = ${roast.id}`;
    concerned.push(roast.id, ...released.map((row) => row.board_roast_id));
  }
  return concerned;
};

/** A roast that its board finds this long before a file's charge has the file's beans: the clocks are the same. */
export const beginsBeforeFileMs = 3 * 60_000;

/** A roast that begins while the beans of a file were in the drum, and arrives after that file, is part of the file's roast. */
const mergeIntoFiles = async (tx: Sql, boardIds: readonly string[]): Promise<string[]> => {
  const found = await tx<{ id: string; into: string; plan_id: string | null }[]>`
    SELECT DISTINCT ON (b.id) b.id, f.roast_id AS into, b.plan_id
    FROM board_roasts b CROSS JOIN LATERAL (SELECT ${beganMs(tx)} AS ms) began
    JOIN machine_files f ON f.machine_id = b.machine_id AND f.roast_id <> b.id
      AND f.charge_at <= to_timestamp((began.ms + ${beginsBeforeFileMs}) / 1000.0)
      AND f.charge_at > to_timestamp(began.ms / 1000.0) - interval '1 day'
      AND f.drop_at > to_timestamp(began.ms / 1000.0)
    WHERE b.id = ANY(${[...boardIds]}::uuid[])
      AND NOT EXISTS (SELECT FROM machine_files t WHERE t.machine_id = b.machine_id AND t.roast_id = b.id)
      AND NOT EXISTS (SELECT FROM roast_tombstones t WHERE t.roast_id = b.id)
      AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = b.id AND s.is_merged)
    ORDER BY b.id, f.received_at DESC, f.id DESC`;
  for (const { id, into, plan_id: planId } of found) {
    await tx`
      INSERT INTO roast_sources (roast_id, board_roast_id, is_merged, is_manual) VALUES (${into}, ${id}, true, true)
      ON CONFLICT (roast_id, board_roast_id) DO UPDATE SET is_merged = true, is_manual = true`;
    await endRoast(tx, id, { how: 'merged', into }, systemActor);
    await tx`UPDATE roasts SET board_plan_id = coalesce(board_plan_id, ${planId}) WHERE id = ${into}`;
  }
  return found.map(({ into }) => into);
};

/**
 * A board may withdraw a charge that looks like an opened door, and find at the drop that it was one: rule 5. Returns
 * the ids of changed roasts.
 */
const joinWithdrawn = async (tx: Sql, recordingId: string, boardIds: readonly string[]): Promise<string[]> => {
  const found = await tx<{ part: string; into: string }[]>`
    WITH near AS (
      SELECT min(begin_seq) - ${maxRoastSeqs} AS first, max(begin_seq) + ${maxRoastSeqs} AS last
      FROM board_roasts WHERE id = ANY(${[...boardIds]}::uuid[])),
    reported AS (
      SELECT b.id, b.state, b.begin_seq, charge.at_seq AS charge_seq, charge.is_withdrawn,
             drop.at_seq AS drop_seq, ${isOfPerson(tx)} AS is_of_person
      FROM near CROSS JOIN board_roasts b
      LEFT JOIN LATERAL (${newestEntry(tx, 'charge')}) charge ON true
      LEFT JOIN LATERAL (${newestEntry(tx, 'drop')}) drop ON NOT drop.is_withdrawn AND NOT drop.provisional
      WHERE b.recording_id = ${recordingId} AND b.begin_seq BETWEEN near.first AND near.last
        AND NOT EXISTS (SELECT FROM roast_tombstones t WHERE t.roast_id = b.id)
        AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = b.id AND s.is_merged))
    SELECT CASE WHEN w.is_of_person THEN r.id ELSE w.id END AS part, CASE WHEN w.is_of_person THEN w.id ELSE r.id END AS into
    FROM reported w JOIN reported r ON w.begin_seq BETWEEN r.charge_seq AND r.drop_seq
    WHERE w.state = 'aborted' AND w.is_withdrawn AND r.state = 'completed' AND NOT (w.is_of_person AND r.is_of_person)
    ORDER BY w.id`;
  for (const { part, into } of found) {
    await tx`
      INSERT INTO roast_sources (roast_id, board_roast_id, is_merged, is_manual) VALUES (${into}, ${part}, true, false)
      ON CONFLICT DO NOTHING`;
    // Both may have arrived in the same batch.
    await ensureRows(tx, [into]);
    await endRoast(tx, part, { how: 'merged', into }, systemActor);
  }
  return found.map(({ into }) => into);
};

/** Creates a row for each of these boards' roasts that is a separate roast, with the board's newest state. */
const ensureRows = async (tx: Sql, ids: readonly string[]): Promise<void> => {
  await tx`
    INSERT INTO roasts (id, recording_id, machine_id, owner_id, status, recorded_status, status_seq, boot_no, start_time,
                        board_plan_id)
    SELECT b.id, b.recording_id, b.machine_id, b.owner_id, b.state, b.state, b.state_seq, b.begin_boot_no,
           to_timestamp(${beganMs(tx)} / 1000.0), b.plan_id
    FROM board_roasts b
    WHERE b.id = ANY(${[...ids]}::uuid[])
      AND NOT EXISTS (SELECT FROM roast_tombstones t WHERE t.roast_id = b.id)
      AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = b.id AND s.is_merged)
    ORDER BY b.id
    ON CONFLICT (id) DO UPDATE
      SET recorded_status = CASE WHEN roasts.status_seq IS NULL OR roasts.status_seq < excluded.status_seq
                              THEN excluded.recorded_status ELSE coalesce(roasts.recorded_status, roasts.status) END,
          status_seq = greatest(roasts.status_seq, excluded.status_seq),
          board_plan_id = coalesce(roasts.board_plan_id, excluded.board_plan_id)
      WHERE roasts.recording_id = excluded.recording_id`;
};

/**
 * Decides which roasts of a board are separate and which belong to a roast that a person made, after events of a board
 * arrived or a person changed a roast. Returns the roasts to refresh, in locking order. The caller holds the
 * recording's row.
 */
export const placeBoardRoasts = async (
  tx: Sql,
  recordingId: string,
  boardIds: readonly string[],
  handMadeIds: readonly string[] = [],
): Promise<string[]> => {
  const handMade = await handMadeNear(tx, recordingId, boardIds, handMadeIds);
  const concerned = handMade.length === 0 ? [] : await assignBoardRoasts(tx, recordingId, handMade);
  const filed = await mergeIntoFiles(tx, boardIds);
  const joined = await joinWithdrawn(tx, recordingId, boardIds);
  const all = [...new Set([...boardIds, ...concerned, ...filed, ...joined])].sort();
  await ensureRows(tx, all);
  // The second half of a split roast receives the same marks as the first one.
  const dependents = await tx<{ id: string }[]>`
    WITH RECURSIVE dependents (id) AS (
      SELECT unnest(${all}::uuid[]) UNION SELECT s.roast_id FROM roast_sources s JOIN dependents h ON s.board_roast_id = h.id)
    SELECT id FROM dependents`;
  return dependents.map((row) => row.id).sort();
};
