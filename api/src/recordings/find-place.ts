import type { Sql, Statement } from '../db/sql.ts';
import { numbersOf } from './read-samples.ts';
import type { Place } from './boot-clocks.ts';

/** A time in one of a machine's recordings. */
export interface PlaceInRecording extends Place {
  readonly recording_id: string;
}

/** One that was found. */
export interface FoundPlace extends PlaceInRecording {
  /** When its chunk was stored, ms ago. */
  readonly stored_ago_ms: number;
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
  stored_ago_ms: number;
}

/**
 * Chunks of these recordings `r` that the index by time does not have: small ones of the last half hour of a stream, which the
 * sweeper has not merged yet. Columns: recording_id, boot_no, first_seq, mono_ms, end_ms, dt_ms, received_at.
 */
export const unindexedChunks = (sql: Sql, recordings: Statement) => sql`
  SELECT c.recording_id, c.boot_no, c.first_seq, c.mono_ms, c.mono_ms + c.dt_ms[cardinality(c.dt_ms)] AS end_ms, c.dt_ms, c.received_at
  FROM recordings r CROSS JOIN LATERAL (
    -- Of a range with one end Postgres would expect a third of the table, and read it all.
    SELECT * FROM recording_chunks
    WHERE recording_id = r.id AND first_seq BETWEEN r.sealed_seq AND ${Number.MAX_SAFE_INTEGER} AND NOT in_time_index
    OFFSET 0) c
  WHERE ${recordings} AND r.source = 'agent'`;

const agoMs = (sql: Sql) => sql`extract(epoch FROM now() - received_at)::float8 * 1000`;

/** The last sample of these recordings. */
const findNewest = async (sql: Sql, ids: readonly string[]): Promise<FoundPlace | undefined> => {
  const [newest] = await sql<FoundPlace[]>`
    SELECT r.id AS recording_id, boot_no, mono_ms + dt_ms[cardinality(dt_ms)] AS mono_ms,
           first_seq + cardinality(dt_ms) - 1 AS at_seq, ${agoMs(sql)} AS stored_ago_ms
    FROM unnest(${[...ids]}::uuid[]) AS r (id) CROSS JOIN LATERAL (
      SELECT * FROM recording_chunks c WHERE c.recording_id = r.id ORDER BY first_seq DESC LIMIT 1) c
    ORDER BY received_at DESC LIMIT 1`;
  return newest;
};

/**
 * The position of a wall clock time in these recordings, between the samples around it, or that of their newest sample. Undefined if
 * nothing was recorded within a minute. Reads two chunks of each boot, and those that are not indexed.
 */
export const findPlace = (
  sql: Sql,
  recordingIds: readonly string[],
  at: number | 'newest',
): Promise<FoundPlace | undefined> =>
  at === 'newest' ? findNewest(sql, recordingIds) : findMoment(sql, recordingIds, at);

const findMoment = async (
  sql: Sql,
  recordingIds: readonly string[],
  wallMs: number,
): Promise<FoundPlace | undefined> => {
  const ids = [...recordingIds];
  const columns = sql`c.first_seq, c.mono_ms, c.dt_ms, c.received_at`;
  const chunks = await sql<ChunkRow[]>`
    WITH unindexed AS MATERIALIZED (${unindexedChunks(sql, sql`r.id = ANY(${ids}::uuid[])`)}),
    boots AS MATERIALIZED (
      SELECT recording_id, boot_no, wall_offset_ms, ${wallMs}::bigint - wall_offset_ms AS mono FROM recording_boots
      WHERE recording_id = ANY(${ids}::uuid[]) AND wall_offset_ms <= ${wallMs + nearestMs}),
    around AS (
      SELECT b.*, k.* FROM boots b CROSS JOIN LATERAL (
        (SELECT ${columns} FROM recording_chunks c
         WHERE c.recording_id = b.recording_id AND c.boot_no = b.boot_no AND c.in_time_index AND c.mono_ms <= b.mono
         ORDER BY c.mono_ms DESC LIMIT 1)
        UNION ALL
        (SELECT ${columns} FROM recording_chunks c
         WHERE c.recording_id = b.recording_id AND c.boot_no = b.boot_no AND c.in_time_index AND c.mono_ms > b.mono
         ORDER BY c.mono_ms LIMIT 1)) k
      UNION ALL
      SELECT b.*, ${columns} FROM boots b JOIN unindexed c USING (recording_id, boot_no))
    SELECT DISTINCT ON (recording_id, boot_no, mono_ms > mono)
           recording_id, boot_no, wall_offset_ms, first_seq, mono_ms, dt_ms::text AS dt,
           ${agoMs(sql)} AS stored_ago_ms
    FROM around ORDER BY recording_id, boot_no, mono_ms > mono, abs(mono_ms - mono)`;
  let best: { place: FoundPlace; distance: number } | undefined;
  for (const chunk of chunks) {
    const { recording_id, boot_no, stored_ago_ms } = chunk;
    const monoMs = wallMs - chunk.wall_offset_ms;
    for (const [index, dt] of numbersOf(chunk.dt).entries()) {
      const distance = Math.abs(chunk.mono_ms + (dt ?? 0) - monoMs);
      if (distance > nearestMs || (best !== undefined && distance >= best.distance)) continue;
      const at_seq = chunk.first_seq + index;
      best = { place: { recording_id, boot_no, mono_ms: monoMs, at_seq, stored_ago_ms }, distance };
    }
  }
  return best?.place;
};
