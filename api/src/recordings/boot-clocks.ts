import type { Sql } from '../db/sql.ts';

interface BootClock {
  readonly offsetMs: number;
  /** How it is known: `clockQuality`. */
  readonly quality: number;
}

/** Wall clock of each boot of a recording: wall ms = offset + monotonic ms. */
export interface BootClocks extends ReadonlyMap<number, BootClock> {
  /**
   * A monotonic time of one boot on the monotonic axis of another. Within a boot it is exact; across boots the wall
   * clocks are used, and if one is unknown the answer is undefined.
   */
  onClockOf(toBoot: number, fromBoot: number, monoMs: number): number | undefined;
}

class KnownClocks extends Map<number, BootClock> implements BootClocks {
  onClockOf(toBoot: number, fromBoot: number, monoMs: number): number | undefined {
    if (toBoot === fromBoot) return monoMs;
    const from = this.get(fromBoot);
    const to = this.get(toBoot);
    if (from === undefined || to === undefined) return undefined;
    return monoMs + from.offsetMs - to.offsetMs;
  }
}

/**
 * The clocks of a recording's boots: of these, or of all. A board that is switched off every night has thousands after years,
 * and a roast has one or two.
 */
export const readClocks = async (
  sql: Sql,
  recordingId: string | null,
  boots?: Iterable<number | null>,
): Promise<BootClocks> => {
  const wanted = boots && [...new Set(boots)].filter((boot) => boot !== null);
  if (recordingId === null || wanted?.length === 0) return new KnownClocks();
  const rows = await sql<{ boot_no: number; wall_offset_ms: number; quality: number }[]>`
    SELECT boot_no, wall_offset_ms, quality FROM recording_boots
    WHERE recording_id = ${recordingId} ${wanted === undefined ? sql`` : sql`AND boot_no = ANY(${wanted}::smallint[])`}`;
  return new KnownClocks(
    rows.map((row) => [row.boot_no, { offsetMs: row.wall_offset_ms, quality: row.quality }] as const),
  );
};

/** A time in a recording. */
export interface Place {
  readonly boot_no: number;
  /** Monotonic ms within `boot_no`. */
  readonly mono_ms: number;
  readonly at_seq: number;
}
