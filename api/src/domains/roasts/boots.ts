import type { Sql } from '../../db/sql.ts';

/** Wall clock of each boot of a recording: wall ms = offset + monotonic ms. */
export type BootClocks = ReadonlyMap<number, { readonly offsetMs: number; readonly quality: number }>;

export const readBootClocks = async (sql: Sql, recordingId: string): Promise<BootClocks> => {
  const rows = await sql<{ boot_no: number; wall_offset_ms: number; quality: number }[]>`
    SELECT boot_no, wall_offset_ms, quality FROM recording_boots WHERE recording_id = ${recordingId}`;
  return new Map(rows.map((row) => [row.boot_no, { offsetMs: row.wall_offset_ms, quality: row.quality }]));
};

/**
 * A monotonic time of one boot on the monotonic axis of another. Within a boot it is exact; across boots the wall clocks
 * have to serve, and where one is unknown the answer is undefined.
 */
export const onClockOf = (clocks: BootClocks, toBoot: number, fromBoot: number, monoMs: number): number | undefined => {
  if (toBoot === fromBoot) return monoMs;
  const from = clocks.get(fromBoot);
  const to = clocks.get(toBoot);
  if (from === undefined || to === undefined) return undefined;
  return monoMs + from.offsetMs - to.offsetMs;
};
