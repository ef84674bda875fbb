import type { Sql, Statement } from '../db/sql.ts';

export type Column = (number | null)[];

/** Samples of a recording in the order of their sequence numbers, one column per channel name. */
export interface Samples {
  readonly seq: number[];
  readonly bootNo: number[];
  /** ms since boot. */
  readonly monoMs: number[];
  readonly channels: Map<string, Column>;
}

export interface ChunkRow {
  first_seq: number;
  boot_no: number;
  layout_no: number;
  mono_ms: number;
  dt: string;
  values: string;
}

/** Reads an array of numbers as Postgres prints it, `{1,NULL,2.5}`: JSON's parser is far faster than the driver's. */
export const numbersOf = (text: string): (number | null)[] =>
  JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`) as (number | null)[];

/** Chunks that hold samples between two sequence numbers, both included. */
export const windowOfChunks = (sql: Sql, recordingId: string, fromSeq: number, toSeq: number) => {
  const from = Math.max(0, Math.floor(fromSeq));
  return sql`
    recording_id = ${recordingId}
    AND first_seq >= coalesce(
      (SELECT max(first_seq) FROM recording_chunks WHERE recording_id = ${recordingId} AND first_seq <= ${from}), ${from})
    AND first_seq <= ${Math.floor(toSeq)}`;
};

/** The values of one channel in a chunk `c`: of that at this place of its layout, from 1. */
export const valuesAt = (sql: Sql, place: Statement) => sql`
  c."values"[(${place} - 1) * cardinality(c.dt_ms) + 1 : ${place} * cardinality(c.dt_ms)]`;

/** The names of the channels that the chunks of a window have, in order. */
export const readChannels = async (
  sql: Sql,
  recordingId: string,
  fromSeq: number,
  toSeq: number,
): Promise<string[]> => {
  const rows = await sql<{ channel: string }[]>`
    SELECT DISTINCT unnest(l.channels) AS channel FROM recording_layouts l
    WHERE l.recording_id = ${recordingId} AND l.layout_no IN (
      SELECT layout_no FROM recording_chunks WHERE ${windowOfChunks(sql, recordingId, fromSeq, toSeq)})
    ORDER BY channel`;
  return rows.map((row) => row.channel);
};

const chunksBetween = (sql: Sql, recordingId: string, fromSeq: number, toSeq: number) => sql<ChunkRow[]>`
  SELECT first_seq, boot_no, layout_no, mono_ms, dt_ms::text AS dt, values::text AS "values"
  FROM recording_chunks WHERE ${windowOfChunks(sql, recordingId, fromSeq, toSeq)} ORDER BY first_seq`;

export const layoutsOf = (sql: Sql, recordingId: string) => sql<{ layout_no: number; channels: string[] }[]>`
  SELECT layout_no, channels FROM recording_layouts WHERE recording_id = ${recordingId} ORDER BY layout_no`;

const assemble = (chunks: readonly ChunkRow[], layouts: ReadonlyMap<number, string[]>): Samples => {
  const samples: Samples = { seq: [], bootNo: [], monoMs: [], channels: new Map() };
  for (const chunk of chunks) {
    const dt = numbersOf(chunk.dt);
    const values = numbersOf(chunk.values);
    const before = samples.seq.length;
    for (let index = 0; index < dt.length; index++) {
      samples.seq.push(chunk.first_seq + index);
      samples.bootNo.push(chunk.boot_no);
      samples.monoMs.push(chunk.mono_ms + (dt[index] ?? 0));
    }
    for (const [index, name] of (layouts.get(chunk.layout_no) ?? []).entries()) {
      let column = samples.channels.get(name);
      if (column === undefined) {
        column = [];
        samples.channels.set(name, column);
      }
      // A channel that an earlier chunk did not have is missing there, not shifted.
      while (column.length < before) column.push(null);
      for (let at = index * dt.length; at < (index + 1) * dt.length; at++) column.push(values[at] ?? null);
    }
  }
  for (const column of samples.channels.values()) while (column.length < samples.seq.length) column.push(null);
  return samples;
};

/**
 * The samples of a recording between two sequence numbers, both included. Whole chunks are read, so some samples before
 * `fromSeq` and after `toSeq` come with them: filter by time.
 */
export const readSamples = async (sql: Sql, recordingId: string, fromSeq: number, toSeq: number): Promise<Samples> => {
  const [chunks, layouts] = await Promise.all([
    chunksBetween(sql, recordingId, fromSeq, toSeq),
    layoutsOf(sql, recordingId),
  ]);
  return assemble(chunks, new Map(layouts.map((row) => [row.layout_no, row.channels])));
};

/** At 10 Hz ten minutes: some milliseconds of work. */
const pageSeqs = 6000;

/**
 * The same in pages, so that hours of samples are neither held as a whole nor parsed at once. A page may repeat
 * samples.
 */
export async function* samplePages(
  sql: Sql,
  recordingId: string,
  fromSeq: number,
  toSeq: number,
): AsyncGenerator<Samples> {
  let from: number | undefined = Math.max(0, fromSeq);
  while (from !== undefined && from <= toSeq) {
    const page: Samples = await readSamples(sql, recordingId, from, Math.min(toSeq, from + pageSeqs));
    yield page;
    // Chunks may be merged in between, so the next page begins with the chunk that holds the next sample.
    const end: number = (page.seq.at(-1) ?? -1) + 1;
    if (end > from) from = end;
    else {
      const [next]: { first_seq: number }[] = await sql<{ first_seq: number }[]>`
        SELECT first_seq FROM recording_chunks WHERE recording_id = ${recordingId} AND first_seq > ${from}
        ORDER BY first_seq LIMIT 1`;
      from = next?.first_seq;
    }
  }
}

/** The samples that pass the filter, in order. */
export const keepSamples = (samples: Samples, keep: (index: number) => boolean): Samples => {
  const kept = samples.seq.flatMap((_, index) => (keep(index) ? [index] : []));
  if (kept.length === samples.seq.length) return samples;
  const pick = <T>(column: readonly T[]): T[] => kept.map((index) => column[index] as T);
  return {
    seq: pick(samples.seq),
    bootNo: pick(samples.bootNo),
    monoMs: pick(samples.monoMs),
    channels: new Map(Array.from(samples.channels, ([name, column]) => [name, pick(column)])),
  };
};
