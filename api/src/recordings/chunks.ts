import type { SampleBatch } from '@roastery/contract/mqtt';
import type { SeqRange } from '../db/seq-ranges.ts';
import type { Sql, Statement } from '../db/sql.ts';

/** Samples of one boot and one layout without a gap: they become one chunk. */
export interface SamplePiece {
  readonly firstSeq: number;
  readonly bootNo: number;
  readonly layoutNo: number;
  /** ms since boot of the first sample. */
  readonly monoMs: number;
  /** ms after `monoMs`, one per sample. */
  readonly dtMs: readonly number[];
  /** One column per channel, each as long as `dtMs`. */
  readonly columns: readonly (readonly (number | null)[])[];
}

/** Size of sealed chunks: they compress well, and larger ones would make reading a short curve wasteful. */
export const sealedSamples = 600;
/** Size of chunks of a draining backlog: with 8 channels they stay just below Postgres' compression, which would slow ingest. */
export const arrivingSamples = 200;
/** Smaller chunks of a known stream enter the index by time when they are sealed. */
export const indexedSamples = 20;

/** The part of a batch that has these sequence numbers. */
export const cutPiece = (batch: SampleBatch, part: SeqRange, bootNo: number, layoutNo: number): SamplePiece => {
  const from = part.start - batch.seq;
  const to = part.end - batch.seq;
  if (from === 0 && to === batch.dt.length) {
    const first = batch.dt[0] ?? 0;
    return {
      firstSeq: batch.seq,
      bootNo,
      layoutNo,
      monoMs: batch.mono + first,
      dtMs: first === 0 ? batch.dt : batch.dt.map((dt) => dt - first),
      columns: batch.s,
    };
  }
  const first = batch.dt[from] ?? 0;
  return {
    firstSeq: part.start,
    bootNo,
    layoutNo,
    monoMs: batch.mono + first,
    dtMs: batch.dt.slice(from, to).map((dt) => dt - first),
    columns: batch.s.map((column) => column.slice(from, to)),
  };
};

/** `dt` is an int4 in the database. */
const maxSpanMs = 86_400_000;

/** Whether `next` continues `piece` so that both may be one chunk. */
const continues = (piece: SamplePiece, next: SamplePiece): boolean =>
  next.firstSeq === piece.firstSeq + piece.dtMs.length &&
  next.bootNo === piece.bootNo &&
  next.layoutNo === piece.layoutNo &&
  next.monoMs >= piece.monoMs + (piece.dtMs.at(-1) ?? 0);

/** Consecutive pieces that become one chunk; the first one is its key. */
type Run = readonly [SamplePiece, ...SamplePiece[]];

export const samplesIn = (run: Run): number => run.reduce((sum, piece) => sum + piece.dtMs.length, 0);

/** Joins consecutive pieces: few large chunks take less disk and are read faster than many small ones. */
export const joinNeighbours = (pieces: readonly SamplePiece[], maxSamples: number): Run[] => {
  const runs: [SamplePiece, ...SamplePiece[]][] = [];
  let length = 0;
  for (const piece of pieces.toSorted((a, b) => a.firstSeq - b.firstSeq)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    length += piece.dtMs.length;
    const fits = run !== undefined && piece.monoMs - run[0].monoMs < maxSpanMs && length <= maxSamples;
    if (fits && last !== undefined && continues(last, piece)) {
      run.push(piece);
    } else {
      runs.push([piece]);
      length = piece.dtMs.length;
    }
  }
  return runs;
};

interface Chunk {
  readonly recordingId: string;
  readonly run: Run;
  /** False only for chunks that sealing will read: those at `sealed_seq` or after it. */
  readonly inTimeIndex: boolean;
}

/** Smallest number that a float4 holds with full precision; Postgres refuses smaller ones. */
const minReal = 1.2e-38;

const isTiny = (number: number | null): boolean =>
  number !== null && number !== 0 && number < minReal && number > -minReal;

/** Numbers as text of a Postgres array, inside the quotes of an outer text[]: nothing needs escaping. */
const numbersLiteral = (numbers: readonly (number | null)[]): string => {
  const storable = numbers.some(isTiny) ? numbers.map((number) => (isTiny(number) ? 0 : number)) : numbers;
  const text = JSON.stringify(storable).slice(1, -1);
  return text.includes('n') ? text.replaceAll('null', 'NULL') : text;
};

/** ms after the first sample of the run, also for later pieces. */
const timesLiteral = (run: Run): string =>
  run
    .map((piece) => {
      const later = piece.monoMs - run[0].monoMs;
      return numbersLiteral(later === 0 ? piece.dtMs : piece.dtMs.map((ms) => ms + later));
    })
    .join(',');

/** Column by column, each through all pieces. */
const valuesLiteral = (run: Run): string =>
  run[0].columns
    .map((_, channel) => run.map((piece) => numbersLiteral(piece.columns[channel] ?? [])).join(','))
    .join(',');

/** A Postgres array of numbers, ids or booleans. No element needs quotes, which the driver would look for in each. */
export const bareArray = (values: readonly (number | string | boolean)[]): string => `{${values.join(',')}}`;
const quotedArrays = (arrays: readonly string[]): string => `{${arrays.map((text) => `"{${text}}"`).join(',')}}`;

/**
 * Writes chunks in one statement. Arrays of different lengths can't be unnested, so each is passed as text and cast.
 * The caller has locked the streams' rows and removed the part that is stored, so that no key can collide.
 */
export const insertChunks = async (tx: Sql, chunks: readonly Chunk[], receivedAtMs: number): Promise<void> => {
  if (chunks.length === 0) return;
  const dt = quotedArrays(chunks.map(({ run }) => timesLiteral(run)));
  const values = quotedArrays(chunks.map(({ run }) => valuesLiteral(run)));
  await tx`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, values, received_at,
                                  in_time_index)
    SELECT recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms::integer[], "values"::real[],
           ${new Date(receivedAtMs)}::timestamptz, in_time_index
    FROM unnest(
      ${bareArray(chunks.map(({ recordingId }) => recordingId))}::uuid[],
      ${bareArray(chunks.map(({ run }) => run[0].firstSeq))}::bigint[],
      ${bareArray(chunks.map(({ run }) => run[0].bootNo))}::smallint[],
      ${bareArray(chunks.map(({ run }) => run[0].layoutNo))}::smallint[],
      ${bareArray(chunks.map(({ run }) => run[0].monoMs))}::bigint[],
      ${dt}::text[], ${values}::text[], ${bareArray(chunks.map(({ inTimeIndex }) => inTimeIndex))}::boolean[]
    ) AS chunk (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values", in_time_index)`;
};

/** The number after the last sample of the chunks from a number on; null without such chunks. */
export const endOfChunks = (sql: Sql, recordingId: Statement, fromSeq: Statement) => sql`
  (SELECT c.first_seq + cardinality(c.dt_ms) FROM recording_chunks c
   WHERE c.recording_id = ${recordingId} AND c.first_seq >= ${fromSeq} ORDER BY c.first_seq DESC LIMIT 1)`;

/** The ranges of a part of a recording that its chunks hold. */
export const storedRanges = (tx: Sql, recordingId: string, { start, end }: SeqRange) => tx<SeqRange[]>`
  SELECT first_seq AS start, first_seq + cardinality(dt_ms) AS end FROM recording_chunks
   WHERE recording_id = ${recordingId} AND first_seq < ${end} AND first_seq + cardinality(dt_ms) > ${start}`;

/**
 * Marks samples that arrived after their range was swept for another sweep, so that they are kept no longer than
 * others.
 */
export const sweepLater = async (
  tx: Sql,
  late: readonly { readonly recordingId: string; readonly run: Run }[],
  receivedAtMs: number,
): Promise<void> => {
  if (late.length === 0) return;
  await tx`
    INSERT INTO sample_sweeps (recording_id, from_seq, to_seq, received_at)
    SELECT *, ${new Date(receivedAtMs)}::timestamptz FROM unnest(
      ${late.map(({ recordingId }) => recordingId)}::uuid[], ${late.map(({ run }) => run[0].firstSeq)}::bigint[],
      ${late.map(({ run }) => run[0].firstSeq + samplesIn(run))}::bigint[])`;
};
