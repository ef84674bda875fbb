import type postgres from 'postgres';

export interface StoredSample {
  readonly seq: number;
  readonly mono: number;
  readonly values: Readonly<Record<string, number | null>>;
}

interface ChunkRow {
  first_seq: string;
  mono_ms: string;
  dt_ms: number[];
  values: (number | null)[];
  channels: string[];
}

/** All stored samples of a stream, in the order of their chunks: a sample stored twice appears twice. */
export const readStoredSamples = async (sql: postgres.ISql, recordingId: string): Promise<StoredSample[]> => {
  const chunks = await sql<ChunkRow[]>`
    SELECT chunk.first_seq, chunk.mono_ms, chunk.dt_ms, chunk.values, layout.channels
    FROM recording_chunks chunk JOIN recording_layouts layout USING (recording_id, layout_no)
    WHERE chunk.recording_id = ${recordingId} ORDER BY chunk.first_seq`;
  return chunks.flatMap(({ first_seq: firstSeq, mono_ms: mono, dt_ms: dt, values, channels }) =>
    dt.map((offset, index) => ({
      seq: Number(firstSeq) + index,
      mono: Number(mono) + offset,
      values: Object.fromEntries(channels.map((name, column) => [name, values[column * dt.length + index] ?? null])),
    })),
  );
};
