import type { Sql } from '../db/sql.ts';

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

interface Boot {
  readonly recordingId: string;
  readonly bootNo: number;
}

/** The clocks of boots of several recordings, by recording. */
export const readClocksOf = async (sql: Sql, boots: readonly Boot[]): Promise<ReadonlyMap<string, BootClocks>> => {
  if (boots.length === 0) return new Map();
  const rows = await sql<{ recording_id: string; boot_no: number; wall_offset_ms: number; quality: number }[]>`
    SELECT DISTINCT b.recording_id, b.boot_no, b.wall_offset_ms, b.quality
      FROM unnest(${boots.map(({ recordingId }) => recordingId)}::uuid[], ${boots.map(({ bootNo }) => bootNo)}::smallint[])
             AS w (recording_id, boot_no)
      JOIN recording_boots b ON b.recording_id = w.recording_id AND b.boot_no = w.boot_no`;
  const clocks = new Map<string, Map<number, { offsetMs: number; quality: number }>>();
  for (const { recording_id: id, boot_no: boot, wall_offset_ms: offsetMs, quality } of rows) {
    clocks.set(id, (clocks.get(id) ?? new Map<number, never>()).set(boot, { offsetMs, quality }));
  }
  return clocks;
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
