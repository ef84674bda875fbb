import type { Sql } from '../db/sql.ts';
import { valuesAt } from './read-samples.ts';

interface ChunkWindow {
  readonly recordingId: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

export interface ChannelChunk {
  /** Number of its window, from 1. */
  readonly place: number;
  readonly boot_no: number;
  readonly mono_ms: number;
  readonly dt: string;
  /** The values of each channel; null where the chunk has none. */
  readonly columns: readonly (string | null)[];
}

/** Only these channels of the chunks in these windows, all by one statement: each is a sixth of their data. */
export const readChannelChunks = (sql: Sql, windows: readonly ChunkWindow[], channels: readonly string[]) => sql<
  ChannelChunk[]
>`
  SELECT w.place, c.boot_no, c.mono_ms, c.dt_ms::text AS dt,
         ARRAY(SELECT ${valuesAt(sql, sql`b.at`)}::text
                 FROM unnest(${channels}::text[]) WITH ORDINALITY AS n (channel, place)
                 CROSS JOIN LATERAL (SELECT array_position(l.channels, n.channel) AS at) b
                ORDER BY n.place) AS columns
    FROM unnest(${windows.map(({ recordingId }) => recordingId)}::uuid[],
                ${windows.map(({ fromSeq }) => Math.max(0, Math.floor(fromSeq)))}::bigint[],
                ${windows.map(({ toSeq }) => Math.floor(toSeq))}::bigint[])
         WITH ORDINALITY AS w (recording_id, from_seq, to_seq, place)
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT max(f.first_seq) FROM recording_chunks f
                        WHERE f.recording_id = w.recording_id AND f.first_seq <= w.from_seq), w.from_seq) AS seq) start
    JOIN recording_chunks c ON c.recording_id = w.recording_id AND c.first_seq BETWEEN start.seq AND w.to_seq
    JOIN recording_layouts l ON l.recording_id = c.recording_id AND l.layout_no = c.layout_no
   ORDER BY w.place, c.first_seq`;
