import { nextTurn } from '@roastery/runtime/turns';
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

const chunksBetween = (sql: Sql, recordingId: string, fromSeq: number, toSeq: number) => sql<ChunkRow[]>`
  SELECT first_seq, boot_no, layout_no, mono_ms, dt_ms::text AS dt, values::text AS "values"
  FROM recording_chunks WHERE ${windowOfChunks(sql, recordingId, fromSeq, toSeq)} ORDER BY first_seq`;

export const layoutsOf = (sql: Sql, recordingId: string) => sql<{ layout_no: number; channels: string[] }[]>`
  SELECT layout_no, channels FROM recording_layouts WHERE recording_id = ${recordingId} ORDER BY layout_no`;

/** The times of a chunk, and its values by channel. */
interface ReadChunk {
  readonly first_seq: number;
  readonly boot_no: number;
  readonly mono_ms: number;
  readonly dt: readonly (number | null)[];
  readonly columns: readonly (readonly [string, readonly (number | null)[]])[];
}

const assemble = (chunks: readonly ReadChunk[]): Samples => {
  const samples: Samples = { seq: [], bootNo: [], monoMs: [], channels: new Map() };
  for (const { dt, ...chunk } of chunks) {
    const before = samples.seq.length;
    for (let index = 0; index < dt.length; index++) {
      samples.seq.push(chunk.first_seq + index);
      samples.bootNo.push(chunk.boot_no);
      samples.monoMs.push(chunk.mono_ms + (dt[index] ?? 0));
    }
    for (const [name, values] of chunk.columns) {
      let column = samples.channels.get(name);
      if (column === undefined) {
        column = [];
        samples.channels.set(name, column);
      }
      // A channel that an earlier chunk did not have is missing there, not shifted.
      while (column.length < before) column.push(null);
      for (let at = 0; at < dt.length; at++) column.push(values[at] ?? null);
    }
  }
  for (const column of samples.channels.values()) while (column.length < samples.seq.length) column.push(null);
  return samples;
};

const wholeChunk = (row: ChunkRow, layouts: ReadonlyMap<number, readonly string[]>): ReadChunk => {
  const [dt, values, names] = [numbersOf(row.dt), numbersOf(row.values), layouts.get(row.layout_no) ?? []];
  return { ...row, dt, columns: names.map((name, at) => [name, values.slice(at * dt.length, (at + 1) * dt.length)]) };
};

/** Sequence numbers of a recording, both included. */
export interface SampleRange {
  readonly recordingId: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

const readRange = async (sql: Sql, { recordingId, fromSeq, toSeq }: SampleRange): Promise<Samples> => {
  const [chunks, rows] = await Promise.all([
    chunksBetween(sql, recordingId, fromSeq, toSeq),
    layoutsOf(sql, recordingId),
  ]);
  const layouts = new Map(rows.map((row) => [row.layout_no, row.channels]));
  return assemble(chunks.map((row) => wholeChunk(row, layouts)));
};

interface ChannelChunk extends Omit<ReadChunk, 'dt' | 'columns'> {
  /** Number of its range, from 1. */
  readonly place: number;
  readonly dt: string;
  /** The values of each channel; null where the chunk has none. */
  readonly columns: readonly (string | null)[];
}

/** Only these channels of the chunks in these ranges, all by one statement: each is a sixth of their data. */
const channelChunks = (sql: Sql, ranges: readonly SampleRange[], channels: readonly string[]) => sql<ChannelChunk[]>`
  SELECT w.place, c.first_seq, c.boot_no, c.mono_ms, c.dt_ms::text AS dt,
         ARRAY(SELECT ${valuesAt(sql, sql`b.at`)}::text
                 FROM unnest(${[...channels]}::text[]) WITH ORDINALITY AS n (channel, place)
                 CROSS JOIN LATERAL (SELECT array_position(l.channels, n.channel) AS at) b
                ORDER BY n.place) AS columns
    FROM unnest(${ranges.map(({ recordingId }) => recordingId)}::uuid[],
                ${ranges.map(({ fromSeq }) => Math.max(0, Math.floor(fromSeq)))}::bigint[],
                ${ranges.map(({ toSeq }) => Math.floor(toSeq))}::bigint[])
         WITH ORDINALITY AS w (recording_id, from_seq, to_seq, place)
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT max(f.first_seq) FROM recording_chunks f
                        WHERE f.recording_id = w.recording_id AND f.first_seq <= w.from_seq), w.from_seq) AS seq) start
    JOIN recording_chunks c ON c.recording_id = w.recording_id AND c.first_seq BETWEEN start.seq AND w.to_seq
    JOIN recording_layouts l ON l.recording_id = c.recording_id AND l.layout_no = c.layout_no
   ORDER BY w.place, c.first_seq`;

const partOfChunk = ({ dt, columns, ...chunk }: ChannelChunk, channels: readonly string[]): ReadChunk => ({
  ...chunk,
  dt: numbersOf(dt),
  columns: columns.flatMap((text, at) => (text === null ? [] : [[channels[at] ?? '', numbersOf(text)] as const])),
});

const rangesAtOnce = 200;
/** Assembled in one turn of the event loop, about a millisecond. */
const assembledAtOnce = 5;

async function* readRanges(
  sql: Sql,
  ranges: readonly SampleRange[],
  channels: readonly string[],
): AsyncGenerator<Samples> {
  for (let from = 0; from < ranges.length; from += rangesAtOnce) {
    const some = ranges.slice(from, from + rangesAtOnce);
    const chunks = await channelChunks(sql, some, channels);
    let next = 0;
    for (const index of some.keys()) {
      if (index % assembledAtOnce === 0) await nextTurn();
      const first = next;
      while (chunks[next]?.place === index + 1) next += 1;
      yield assemble(chunks.slice(first, next).map((chunk) => partOfChunk(chunk, channels)));
    }
  }
}

/**
 * The samples of a range. Whole chunks are read, so some samples before `fromSeq` and after `toSeq` come with them: filter by time.
 * Of many ranges only some channels, by few statements, and range after range so that neither memory nor the event loop holds all.
 */
export function readSamples(sql: Sql, range: SampleRange): Promise<Samples>;
export function readSamples(
  sql: Sql,
  ranges: readonly SampleRange[],
  channels: readonly string[],
): AsyncGenerator<Samples>;
export function readSamples(
  sql: Sql,
  of: SampleRange | readonly SampleRange[],
  channels: readonly string[] = [],
): Promise<Samples> | AsyncGenerator<Samples> {
  return 'recordingId' in of ? readRange(sql, of) : readRanges(sql, of, channels);
}
