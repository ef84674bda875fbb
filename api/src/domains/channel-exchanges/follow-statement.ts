import type { Database, Sql } from '../../db/sql.ts';
import { firstLayoutNo, layoutNoAt } from '../../recordings/newest-samples.ts';
import { lockRecording } from '../roasts/life/lock-roast.ts';

/** Layouts `l` of recordings `r` that differ from what was said about their machine. */
const differs = (sql: Sql) => sql`
  r.source = 'agent' AND l.channels && '{bean_temp,exhaust_temp}'
  AND (l.sent_channels IS NOT NULL) <> EXISTS (
    SELECT FROM channel_exchanges e
    WHERE e.machine_id = r.machine_id AND e.map_id = l.map_id AND e.map_rev = l.map_rev AND e.is_exchanged)`;

/** Recordings with such layouts: of one machine, or of all machines that something was said about. */
export const recordingsToFollow = async (sql: Sql, machineId: string | undefined): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    SELECT DISTINCT r.id FROM recordings r JOIN recording_layouts l ON l.recording_id = r.id
    WHERE ${
      machineId === undefined
        ? sql`r.machine_id IN (
            SELECT machine_id FROM channel_exchanges
            UNION SELECT c.machine_id FROM recordings c WHERE c.id IN (
              SELECT recording_id FROM recording_layouts WHERE sent_channels IS NOT NULL))`
        : sql`r.machine_id = ${machineId}`
    } AND ${differs(sql)} ORDER BY r.id`;
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
  WHERE coalesce(
    ${layoutNoAt(tx, recordingId, tx`p.seq`)}, ${firstLayoutNo(tx, recordingId)}
  ) = ANY(${[...layouts]}::smallint[])
  ORDER BY p.id ON CONFLICT (roast_id) DO UPDATE SET due_at = now(), times = 0`;

/**
 * Exchanges the names of bean and exhaust in the layouts of a recording, or restores them, as was said about its machine.
 * All readers of its samples follow at once; the marks of its roasts are due. Ingest locks the same row, and layouts that it
 * adds later follow the statement from the start.
 */
export const followStatement = async (tx: Sql, recordingId: string): Promise<void> => {
  await lockRecording(tx, recordingId);
  const changed = await tx<{ layout_no: number }[]>`
    UPDATE recording_layouts l SET
      channels = coalesce(l.sent_channels, array_replace(array_replace(array_replace(
        l.channels, 'bean_temp', ''), 'exhaust_temp', 'bean_temp'), '', 'exhaust_temp')),
      sent_channels = CASE WHEN l.sent_channels IS NULL THEN l.channels END
    FROM recordings r WHERE r.id = ${recordingId} AND l.recording_id = r.id AND ${differs(tx)}
    RETURNING l.layout_no`;
  if (changed.length === 0) return;
  await tx`UPDATE recordings SET layouts_rev = layouts_rev + 1 WHERE id = ${recordingId}`;
  await queueRoasts(
    tx,
    recordingId,
    changed.map((row) => row.layout_no),
  );
};

/** The same for all recordings that differ, each in its own transaction. */
export const followStatements = async (sql: Database, machineId?: string): Promise<number> => {
  const ids = await recordingsToFollow(sql, machineId);
  for (const id of ids) await sql.begin((tx) => followStatement(tx, id));
  return ids.length;
};
