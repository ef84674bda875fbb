import type { Sql } from '../db/sql.ts';
import type { SamplePiece } from './sample-pieces.ts';
import { formatMultirange } from './seq-ranges.ts';
import type { Stream } from './streams.ts';
import type { WallClock } from './wall-clock.ts';

export interface StoredPiece {
  readonly recordingId: string;
  readonly piece: SamplePiece;
}

/** Smallest number a float4 holds with full precision; Postgres refuses what is nearer to zero. */
const smallestReal = 1.2e-38;

/** An array as Postgres writes one, inside the quotes of an outer text[]: numbers and NULL need no escaping. */
const numbersLiteral = (numbers: readonly (number | null)[]): string => {
  let text = '';
  for (const number of numbers) {
    if (number === null) text += ',NULL';
    else text += number < smallestReal && number > -smallestReal ? ',0' : `,${number}`;
  }
  return text.slice(1);
};

const quotedArrays = (arrays: readonly string[]): string => `{${arrays.map((text) => `"{${text}}"`).join(',')}}`;

/**
 * Writes pieces as chunks, one statement for all of them. Arrays of different lengths can't be unnested, so each travels as
 * text and is cast. The caller holds the streams' rows and has cut away what is there, so that no key can collide.
 */
export const insertChunks = async (tx: Sql, stored: readonly StoredPiece[], receivedAtMs: number): Promise<void> => {
  if (stored.length === 0) return;
  const dt = quotedArrays(stored.map(({ piece }) => numbersLiteral(piece.dtMs)));
  const values = quotedArrays(stored.map(({ piece }) => piece.columns.map(numbersLiteral).join(',')));
  await tx`
    INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, values, received_at)
    SELECT recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms::integer[], "values"::real[],
           ${new Date(receivedAtMs)}::timestamptz
    FROM unnest(
      ${stored.map(({ recordingId }) => recordingId)}::uuid[],
      ${stored.map(({ piece }) => piece.firstSeq)}::bigint[],
      ${stored.map(({ piece }) => piece.bootNo)}::smallint[],
      ${stored.map(({ piece }) => piece.layoutNo)}::smallint[],
      ${stored.map(({ piece }) => piece.monoMs)}::bigint[],
      ${dt}::text[], ${values}::text[]
    ) AS piece (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values")`;
};

export const updateCommitted = async (tx: Sql, streams: readonly Stream[], receivedAtMs: number): Promise<void> => {
  const committed = quotedTexts(streams.map((stream) => formatMultirange(stream.committed)));
  await tx`
    UPDATE recordings r
    SET committed = seen.committed::int8multirange, last_received_at = ${new Date(receivedAtMs)}::timestamptz
    FROM unnest(${streams.map((stream) => stream.recordingId)}::uuid[], ${committed}::text[]) AS seen (id, committed)
    WHERE r.id = seen.id`;
};

const quotedTexts = (texts: readonly string[]): string => `{${texts.map((text) => `"${text}"`).join(',')}}`;

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
