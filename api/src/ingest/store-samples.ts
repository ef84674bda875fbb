import type { Sql } from '../db/sql.ts';
import type { Run } from './sample-pieces.ts';
import { formatMultirange } from './seq-ranges.ts';
import type { Recording } from './streams.ts';
import type { WallClock } from './wall-clock.ts';

export interface Chunk {
  readonly recordingId: string;
  readonly run: Run;
}

/** Smallest number a float4 holds with full precision; Postgres refuses what is nearer to zero. */
const smallestReal = 1.2e-38;

const isTiny = (number: number | null): boolean =>
  number !== null && number !== 0 && number < smallestReal && number > -smallestReal;

/** Numbers as they stand in an array of Postgres, inside the quotes of an outer text[]: nothing needs escaping. */
const numbersLiteral = (numbers: readonly (number | null)[]): string => {
  const storable = numbers.some(isTiny) ? numbers.map((number) => (isTiny(number) ? 0 : number)) : numbers;
  const text = JSON.stringify(storable).slice(1, -1);
  return text.includes('n') ? text.replaceAll('null', 'NULL') : text;
};

/** ms after the run's first sample; later pieces count from there too. */
const timesLiteral = (run: Run): string =>
  run
    .map((piece) => {
      const later = piece.monoMs - run[0].monoMs;
      return numbersLiteral(later === 0 ? piece.dtMs : piece.dtMs.map((ms) => ms + later));
    })
    .join(',');

/** One column after the other, each through all pieces. */
const valuesLiteral = (run: Run): string =>
  run[0].columns
    .map((_, channel) => run.map((piece) => numbersLiteral(piece.columns[channel] ?? [])).join(','))
    .join(',');

const quotedTexts = (texts: readonly string[]): string => `{${texts.map((text) => `"${text}"`).join(',')}}`;
const quotedArrays = (arrays: readonly string[]): string => `{${arrays.map((text) => `"{${text}}"`).join(',')}}`;

/**
 * Writes chunks, one statement for all of them. Arrays of different lengths can't be unnested, so each travels as text and is
 * cast. The caller holds the streams' rows and has cut away what is there, so that no key can collide.
 */
export const insertChunks = async (tx: Sql, chunks: readonly Chunk[], receivedAtMs: number): Promise<void> => {
  if (chunks.length === 0) return;
  const dt = quotedArrays(chunks.map(({ run }) => timesLiteral(run)));
  const values = quotedArrays(chunks.map(({ run }) => valuesLiteral(run)));
  await tx`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, values, received_at)
    SELECT recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms::integer[], "values"::real[],
           ${new Date(receivedAtMs)}::timestamptz
    FROM unnest(
      ${chunks.map(({ recordingId }) => recordingId)}::uuid[],
      ${chunks.map(({ run }) => run[0].firstSeq)}::bigint[],
      ${chunks.map(({ run }) => run[0].bootNo)}::smallint[],
      ${chunks.map(({ run }) => run[0].layoutNo)}::smallint[],
      ${chunks.map(({ run }) => run[0].monoMs)}::bigint[],
      ${dt}::text[], ${values}::text[]
    ) AS chunk (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values")`;
};

export const updateCommitted = async (
  tx: Sql,
  recordings: readonly Recording[],
  receivedAtMs: number,
): Promise<void> => {
  const committed = quotedTexts(recordings.map((recording) => formatMultirange(recording.committed)));
  await tx`
    UPDATE recordings r
    SET committed = seen.committed::int8multirange, last_received_at = ${new Date(receivedAtMs)}::timestamptz
    FROM unnest(${recordings.map((recording) => recording.recordingId)}::uuid[], ${committed}::text[]) AS seen (id, committed)
    WHERE r.id = seen.id`;
};

export interface BootRow {
  readonly recordingId: string;
  readonly bootNo: number;
  readonly bootId: string;
  readonly clock: WallClock;
}

/** New boots, and better knowledge of the wall clock of known ones; roasts of those boots move their start with it. */
export const writeBoots = async (tx: Sql, boots: readonly BootRow[]): Promise<void> => {
  if (boots.length === 0) return;
  await tx`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    SELECT * FROM unnest(
      ${boots.map((boot) => boot.recordingId)}::uuid[], ${boots.map((boot) => boot.bootNo)}::smallint[],
      ${boots.map((boot) => boot.bootId)}::text[], ${boots.map((boot) => Math.round(boot.clock.offsetMs))}::bigint[],
      ${boots.map((boot) => boot.clock.quality)}::smallint[])
    ON CONFLICT (recording_id, boot_no)
      DO UPDATE SET wall_offset_ms = excluded.wall_offset_ms, quality = excluded.quality`;
};

export interface LayoutRow {
  readonly recordingId: string;
  readonly layoutNo: number;
  readonly map: { readonly id: string; readonly rev: number };
  readonly channels: readonly string[];
}

export const writeLayouts = async (tx: Sql, layouts: readonly LayoutRow[]): Promise<void> => {
  for (const { recordingId, layoutNo, map, channels } of layouts) {
    await tx`
      INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
      VALUES (${recordingId}, ${layoutNo}, ${map.id}, ${map.rev}, ${[...channels]}::text[])`;
  }
};
