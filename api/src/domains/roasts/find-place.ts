import type { Sql } from '../../db/sql.ts';
import { numbersOf } from './read-samples.ts';
import type { Place } from './places.ts';

/** A time in one of a machine's recordings. */
export interface PlaceInRecording extends Place {
  readonly recording_id: string;
}

/** A time this far from every sample was not recorded. */
const nearestMs = 60_000;

interface ChunkRow {
  recording_id: string;
  boot_no: number;
  wall_offset_ms: number;
  first_seq: number;
  mono_ms: number;
  dt: string;
}

/**
 * The position of a wall clock time in these recordings: between the samples around it. Undefined if nothing was
 * recorded within a minute. Reads two chunks of each boot.
 */
export const findPlace = async (
  sql: Sql,
  recordingIds: readonly string[],
  wallMs: number,
): Promise<PlaceInRecording | undefined> => {
  const columns = sql`first_seq, mono_ms, dt_ms`;
  const chunks = await sql<ChunkRow[]>`
    SELECT b.recording_id, b.boot_no, b.wall_offset_ms, k.first_seq, k.mono_ms, k.dt_ms::text AS dt
    FROM recording_boots b CROSS JOIN LATERAL (
      (SELECT ${columns} FROM recording_chunks c
       WHERE c.recording_id = b.recording_id AND c.boot_no = b.boot_no AND c.mono_ms <= ${wallMs}::bigint - b.wall_offset_ms
       ORDER BY c.mono_ms DESC LIMIT 1)
      UNION ALL
      (SELECT ${columns} FROM recording_chunks c
       WHERE c.recording_id = b.recording_id AND c.boot_no = b.boot_no AND c.mono_ms > ${wallMs}::bigint - b.wall_offset_ms
       ORDER BY c.mono_ms LIMIT 1)) k
    WHERE b.recording_id = ANY(${[...recordingIds]}::uuid[]) AND b.wall_offset_ms <= ${wallMs + nearestMs}`;
  let best: { place: PlaceInRecording; distance: number } | undefined;
  for (const chunk of chunks) {
    const { recording_id, boot_no } = chunk;
    const monoMs = wallMs - chunk.wall_offset_ms;
    for (const [index, dt] of numbersOf(chunk.dt).entries()) {
      const distance = Math.abs(chunk.mono_ms + (dt ?? 0) - monoMs);
      if (distance > nearestMs || (best !== undefined && distance >= best.distance)) continue;
      best = { place: { recording_id, boot_no, mono_ms: monoMs, at_seq: chunk.first_seq + index }, distance };
    }
  }
  return best?.place;
};
