import type { Sql } from '../db/sql.ts';
import { unindexedChunks } from './find-place.ts';

/** The recorded part of one boot of a board; wall times, ms. */
export interface BootSpan {
  readonly recording_id: string;
  readonly boot_no: number;
  readonly wall_offset_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
  /** Whether the index by time lacks chunks of it. */
  readonly has_unindexed: boolean;
}

/** Every boot of a machine's board with samples, in order of time. Two index look-ups for each, and the chunks that are not indexed. */
export const readBoots = async (sql: Sql, machineId: string): Promise<BootSpan[]> => {
  const rows = await sql<BootSpan[]>`
    WITH unindexed AS MATERIALIZED (
      SELECT recording_id, boot_no, min(mono_ms) AS first_ms, max(mono_ms) AS last_ms,
             (array_agg(end_ms ORDER BY mono_ms DESC))[1] AS end_ms
      FROM (${unindexedChunks(sql, sql`r.machine_id = ${machineId}`)}) c GROUP BY 1, 2)
    SELECT b.recording_id, b.boot_no, b.wall_offset_ms, b.wall_offset_ms + least(first.mono_ms, u.first_ms) AS from_ms,
           b.wall_offset_ms + CASE WHEN last.mono_ms IS NULL OR u.last_ms > last.mono_ms THEN u.end_ms
             ELSE last.mono_ms + last.lasts END AS to_ms,
           u.boot_no IS NOT NULL AS has_unindexed
    FROM recordings c JOIN recording_boots b ON b.recording_id = c.id
    LEFT JOIN unindexed u ON u.recording_id = b.recording_id AND u.boot_no = b.boot_no
    LEFT JOIN LATERAL (
      SELECT k.mono_ms FROM recording_chunks k
      WHERE k.recording_id = b.recording_id AND k.boot_no = b.boot_no AND k.in_time_index
      ORDER BY k.mono_ms LIMIT 1) first ON true
    LEFT JOIN LATERAL (
      SELECT k.mono_ms, coalesce(k.dt_ms[cardinality(k.dt_ms)], 0) AS lasts FROM recording_chunks k
      WHERE k.recording_id = b.recording_id AND k.boot_no = b.boot_no AND k.in_time_index
      ORDER BY k.mono_ms DESC LIMIT 1) last ON true
    WHERE c.machine_id = ${machineId} AND c.source = 'agent' AND (first.mono_ms IS NOT NULL OR u.boot_no IS NOT NULL)
    ORDER BY from_ms, b.recording_id, b.boot_no`;
  return [...rows];
};
