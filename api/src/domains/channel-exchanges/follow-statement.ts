import type { Database, Sql } from '../../db/sql.ts';
import { correctRecordings } from '../../recordings/recordings.ts';
import { lockRecording } from '../roasts/life/lock-roast.ts';

/** Recorded layouts `l` that differ from what was stated about their machine. */
const differs = (sql: Sql) => sql`
  l.channels && '{bean_temp,exhaust_temp}' AND l.is_exchanged <> EXISTS (
    SELECT FROM channel_exchanges e
    WHERE e.machine_id = l.machine_id AND e.map_id = l.map_id AND e.map_rev = l.map_rev AND e.is_exchanged)`;

/** Recordings with such layouts: of one machine, or of all machines that something was said about. */
export const recordingsToFollow = async (sql: Sql, machineId: string | undefined): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    SELECT DISTINCT l.recording_id AS id FROM recorded_layouts l
    WHERE ${
      machineId === undefined
        ? sql`l.machine_id IN (
            SELECT machine_id FROM channel_exchanges UNION SELECT machine_id FROM recorded_layouts WHERE is_exchanged)`
        : sql`l.machine_id = ${machineId}`
    } AND ${differs(sql)} ORDER BY id`;
  return rows.map((row) => row.id);
};

/** Roasts of a recording by the layout at their beginning, also discarded ones, which can be restored. */
const queueRoasts = (tx: Sql, recordingId: string, layouts: readonly number[]) => tx`
  INSERT INTO marks_to_follow (roast_id, recording_id)
  SELECT DISTINCT p.id, ${recordingId}::uuid FROM (
    SELECT id, begin_seq AS seq FROM board_roasts WHERE recording_id = ${recordingId}
    UNION ALL SELECT id, charge_seq FROM roasts WHERE recording_id = ${recordingId} AND made_by_hand
    UNION ALL SELECT roast_id, (kept->'roast'->>'charge_seq')::bigint FROM roast_tombstones
      WHERE kept->'roast'->>'recording_id' = ${recordingId}) p
  WHERE layout_at(${recordingId}, p.seq) = ANY(${[...layouts]}::smallint[])
  ORDER BY p.id ON CONFLICT (roast_id) DO UPDATE SET due_at = now(), times = 0`;

/**
 * Exchanges the names of bean and exhaust in the layouts of a recording, or restores them, as was stated about its machine.
 * All readers of its samples follow at once; the marks of its roasts are due. Ingest locks the same row, and layouts that it
 * adds later follow the statement from the start.
 */
export const followStatement = async (tx: Sql, recordingId: string): Promise<void> => {
  await lockRecording(tx, recordingId);
  const changed = await tx<{ layout_no: number }[]>`
    SELECT l.layout_no FROM recorded_layouts l WHERE l.recording_id = ${recordingId} AND ${differs(tx)}`;
  if (changed.length === 0) return;
  const layouts = changed.map((row) => row.layout_no);
  await correctRecordings(tx, [recordingId], { kind: 'channels', layouts });
  await queueRoasts(tx, recordingId, layouts);
};

/** The same for all recordings that differ, each in its own transaction. */
export const followStatements = async (sql: Database, machineId?: string): Promise<number> => {
  const ids = await recordingsToFollow(sql, machineId);
  for (const id of ids) await sql.begin((tx) => followStatement(tx, id));
  return ids.length;
};
