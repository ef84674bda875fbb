import type { Sql } from '../../../db/sql.ts';

/** Wall clock of each boot of a recording: wall ms = offset + monotonic ms. */
export type BootClocks = ReadonlyMap<number, { readonly offsetMs: number; readonly quality: number }>;

/**
 * The clocks of a recording's boots: of these, or of all. A board that is switched off every night has thousands after years,
 * and a roast has one or two.
 */
export const readBootClocks = async (sql: Sql, recordingId: string, boots?: Iterable<number>): Promise<BootClocks> => {
  const rows = await sql<{ boot_no: number; wall_offset_ms: number; quality: number }[]>`
    SELECT boot_no, wall_offset_ms, quality FROM recording_boots
    WHERE recording_id = ${recordingId} ${boots === undefined ? sql`` : sql`AND boot_no = ANY(${[...new Set(boots)]}::smallint[])`}`;
  return new Map(rows.map((row) => [row.boot_no, { offsetMs: row.wall_offset_ms, quality: row.quality }]));
};

/**
 * A monotonic time of one boot on the monotonic axis of another. Within a boot it is exact; across boots the wall
 * clocks are used, and if one is unknown the answer is undefined.
 */
export const onClockOf = (clocks: BootClocks, toBoot: number, fromBoot: number, monoMs: number): number | undefined => {
  if (toBoot === fromBoot) return monoMs;
  const from = clocks.get(fromBoot);
  const to = clocks.get(toBoot);
  if (from === undefined || to === undefined) return undefined;
  return monoMs + from.offsetMs - to.offsetMs;
};

/** A time in a recording. */
export interface Place {
  readonly boot_no: number;
  /** Monotonic ms within `boot_no`. */
  readonly mono_ms: number;
  readonly at_seq: number;
}

/**
 * The origin of times in a roast without a charge: the first entry about its charge, also a retracted one; else the
 * beginning that its board reported. Undefined for a roast that no board recorded.
 */
export const readOrigin = async (sql: Sql, roastId: string): Promise<Place | undefined> => {
  const [place] = await sql<Place[]>`
    SELECT w.boot_no, w.mono_ms, w.at_seq FROM roast_marks w JOIN board_roasts b ON b.id = w.roast_id
    WHERE w.roast_id = ${roastId} AND w.recording_id = b.recording_id AND w.kind = 'charge' AND w.event_seq IS NOT NULL
      AND w.at_seq IS NOT NULL AND w.mono_ms IS NOT NULL AND w.boot_no IS NOT NULL
    ORDER BY w.event_seq LIMIT 1`;
  if (place !== undefined) return place;
  const [begin] = await sql<Place[]>`
    SELECT begin_boot_no AS boot_no, begin_mono_ms AS mono_ms, begin_seq AS at_seq FROM board_roasts WHERE id = ${roastId}`;
  return begin;
};
