import type { Sql, Statement } from '../db/sql.ts';

type Value = Statement | string | number;

/** The number after the last sample of the chunks from a number on; null without such chunks. */
export const endOfChunks = (sql: Sql, recordingId: Value, fromSeq: Value) => sql`
  (SELECT c.first_seq + cardinality(c.dt_ms) FROM recording_chunks c
   WHERE c.recording_id = ${recordingId} AND c.first_seq >= ${fromSeq} ORDER BY c.first_seq DESC LIMIT 1)`;

/** The layout of the chunk that holds a sequence number, or ends before it; null where the first chunk begins after it. */
export const layoutNoAt = (sql: Sql, recordingId: Value, seq: Value) => sql`
  (SELECT c.layout_no FROM recording_chunks c
   WHERE c.recording_id = ${recordingId} AND c.first_seq <= ${seq} ORDER BY c.first_seq DESC LIMIT 1)`;

/** The layout of the first chunk. */
export const firstLayoutNo = (sql: Sql, recordingId: Value) => sql`
  (SELECT c.layout_no FROM recording_chunks c WHERE c.recording_id = ${recordingId} ORDER BY c.first_seq LIMIT 1)`;

interface LastSample {
  readonly boot_no: number;
  readonly mono_ms: number;
  /** When its chunk was stored, ms ago. */
  readonly ago_ms: number;
}

/** The last sample of a recording; undefined without one. */
export const readLastSample = async (sql: Sql, recordingId: string): Promise<LastSample | undefined> => {
  const [last] = await sql<LastSample[]>`
    SELECT boot_no, mono_ms + dt_ms[cardinality(dt_ms)] AS mono_ms, extract(epoch FROM now() - received_at) * 1000 AS ago_ms
    FROM recording_chunks WHERE recording_id = ${recordingId} ORDER BY first_seq DESC LIMIT 1`;
  return last;
};

/** Readings older than this are not those of the machine now. Between roasts a board sends them once a minute. */
const presentSeconds = 150;

interface PresentSample {
  readonly bean: number | null;
  readonly exhaust: number | null;
  readonly read_at: string;
}

/** The newest sample of a machine by the names of this map, if the board read it with that. */
export const readPresentSample = async (
  sql: Sql,
  machineId: string,
  { id, rev }: { readonly id: string; readonly rev: number },
): Promise<PresentSample | undefined> => {
  const last = (channel: string) => sql`
    c.values[array_position(coalesce(l.sent_channels, l.channels), ${channel}) * array_length(c.dt_ms, 1)]`;
  const [sample] = await sql<PresentSample[]>`
    SELECT ${last('bean_temp')} AS bean, ${last('exhaust_temp')} AS exhaust,
           to_timestamp((b.wall_offset_ms + c.mono_ms + c.dt_ms[array_length(c.dt_ms, 1)]) / 1000.0) AS read_at
      FROM (SELECT id FROM recordings WHERE machine_id = ${machineId} AND epoch IS NOT NULL
             ORDER BY last_received_at DESC NULLS LAST LIMIT 1) r
     CROSS JOIN LATERAL (
           SELECT * FROM recording_chunks WHERE recording_id = r.id ORDER BY first_seq DESC LIMIT 1) c
      JOIN recording_layouts l ON l.recording_id = r.id AND l.layout_no = c.layout_no
      JOIN recording_boots b ON b.recording_id = r.id AND b.boot_no = c.boot_no
     WHERE c.received_at > now() - make_interval(secs => ${presentSeconds}) AND l.map_id = ${id} AND l.map_rev = ${rev}`;
  return sample;
};
