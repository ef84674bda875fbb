import type { Database, Sql } from '../db/sql.ts';
import {
  layoutsOf,
  numbersOf,
  readSamples,
  type SampleRange,
  valuesAt,
  windowOfChunks,
  type Column,
} from './read-samples.ts';

/** Samples with their times; the channels follow one after another. */
export interface SampleColumns {
  readonly seq: number[];
  readonly bootNo: number[];
  /** ms since boot. */
  readonly monoMs: number[];
  readonly channels: ReadonlyMap<string, Promise<Column>>;
}

interface TimesRow {
  first_seq: number;
  boot_no: number;
  layout_no: number;
  mono_ms: number;
  dt: string;
}

const timesOf = (sql: Sql, { recordingId, fromSeq, toSeq }: SampleRange) => sql<TimesRow[]>`
  SELECT first_seq, boot_no, layout_no, mono_ms, dt_ms::text AS dt FROM recording_chunks
  WHERE ${windowOfChunks(sql, recordingId, fromSeq, toSeq)} ORDER BY first_seq`;

/** One channel of the same chunks; empty if a chunk's layout does not have it. */
const readColumn = async (
  sql: Sql,
  { recordingId, fromSeq, toSeq }: SampleRange,
  name: string,
  samplesEach: readonly number[],
): Promise<Column> => {
  const parts = await sql<{ part: string }[]>`
    SELECT coalesce(${valuesAt(sql, sql`at.place`)}::text, '{}') AS part
    FROM recording_chunks c
    CROSS JOIN LATERAL (
      SELECT array_position(l.channels, ${name}) AS place FROM recording_layouts l
      WHERE l.recording_id = ${recordingId} AND l.layout_no = c.layout_no) AS at
    WHERE ${windowOfChunks(sql, recordingId, fromSeq, toSeq)} ORDER BY first_seq`;
  const column: Column = [];
  for (const [chunk, { part }] of parts.entries()) {
    const values = numbersOf(part);
    const samples = samplesEach[chunk] ?? 0;
    for (let index = 0; index < samples; index++) column.push(values[index] ?? null);
  }
  return column;
};

const spread = (rows: readonly TimesRow[]) => {
  const times = { seq: [] as number[], bootNo: [] as number[], monoMs: [] as number[], samplesEach: [] as number[] };
  for (const row of rows) {
    const dt = numbersOf(row.dt);
    for (let index = 0; index < dt.length; index++) {
      times.seq.push(row.first_seq + index);
      times.bootNo.push(row.boot_no);
      times.monoMs.push(row.mono_ms + (dt[index] ?? 0));
    }
    times.samplesEach.push(dt.length);
  }
  return times;
};

type Only = readonly string[] | undefined;

const openLong = (sql: Database, range: SampleRange, only: Only): Promise<SampleColumns> =>
  new Promise((resolve, reject) => {
    const reading = sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (tx) => {
      const [rows, layouts] = await Promise.all([timesOf(tx, range), layoutsOf(tx, range.recordingId)]);
      const { samplesEach, ...times } = spread(rows);
      const used = new Set(rows.map((row) => row.layout_no));
      const names = new Set(layouts.flatMap((row) => (used.has(row.layout_no) ? row.channels : [])));
      const wanted = [...names].filter((name) => only?.includes(name) ?? true);
      const channels = new Map(wanted.map((name) => [name, readColumn(tx, range, name, samplesEach)]));
      resolve({ ...times, channels });
      // The failure of a column is thrown to its consumer.
      await Promise.allSettled(channels.values());
    });
    reading.catch(reject);
  });

/**
 * The samples of a range, column by column. Of hours (`isLong`) Postgres prints the next channel while this one is processed, and a
 * reader of few channels does not wait for others: one snapshot for all, also while chunks are merged, and the connection is free
 * again when the last column was read, not when the last was consumed. A roast of minutes is read by one statement.
 * @param only the channels to read; all of them when not given
 */
export const openSamples = async (
  sql: Database,
  range: SampleRange,
  { isLong, only }: { readonly isLong: boolean; readonly only?: Only },
): Promise<SampleColumns> => {
  if (isLong) return openLong(sql, range, only);
  const { channels, ...times } = await readSamples(sql, range);
  const wanted = Array.from(channels).filter(([name]) => only?.includes(name) ?? true);
  return { ...times, channels: new Map(wanted.map(([name, column]) => [name, Promise.resolve(column)])) };
};
