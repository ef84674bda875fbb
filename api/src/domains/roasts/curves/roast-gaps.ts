import type { CurveGap } from '@roastery/contract/roast-curves';
import { samplingHoles } from '@roastery/roasting/curves/sampling-holes';
import type { Sql } from '../../../db/sql.ts';

interface GapRow {
  from_seconds: number;
  to_seconds: number;
  reported: 'disk_full' | 'damaged' | 'cap_reached' | null;
  skipped: boolean;
  started: boolean;
  arrived: boolean;
}

/**
 * The most reliable first: the board's own report, then a new recording, then entries in transit. A board that was not
 * shut down also reports the numbers that it skips, though none of them may have been used.
 */
const reasonOf = (row: GapRow, otherBoot: boolean): CurveGap['reason'] => {
  if (row.reported !== null && !row.skipped) return row.reported;
  if (otherBoot) return 'board_off';
  if (row.started) return 'agent_stopped';
  if (row.reported !== null) return row.reported;
  return row.arrived ? 'machine_silent' : 'not_arrived';
};

/** A pause between two samples, with the facts that explain it. */
export interface SampleHole {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly otherBoot: boolean;
}

/** Samples of a roast in order, with the facts that explain pauses. */
export interface TimedSamples {
  readonly timeSeconds: readonly number[];
  readonly seq: readonly number[];
  readonly bootNo: readonly number[];
}

/** The pauses of a roast that are longer than usual. */
export const holesOf = (samples: TimedSamples): SampleHole[] =>
  samplingHoles(samples.timeSeconds).map(({ index, fromSeconds, toSeconds }) => ({
    fromSeconds,
    toSeconds,
    fromSeq: samples.seq[index] ?? 0,
    toSeq: samples.seq[index + 1] ?? 0,
    otherBoot: samples.bootNo[index] !== samples.bootNo[index + 1],
  }));

/**
 * Why there are no samples in these pauses. Only a board's own recording has reasons; a file's pauses are not
 * explained. One statement, and none without a pause.
 */
export const readGaps = async (sql: Sql, recordingId: string, holes: readonly SampleHole[]): Promise<CurveGap[]> => {
  if (holes.length === 0) return [];
  const rows = await sql<GapRow[]>`
    SELECT h.from_seconds, h.to_seconds, e.*
    FROM unnest(
      ${holes.map(({ fromSeconds }) => fromSeconds)}::float8[], ${holes.map(({ toSeconds }) => toSeconds)}::float8[],
      ${holes.map(({ fromSeq }) => fromSeq)}::bigint[], ${holes.map(({ toSeq }) => toSeq)}::bigint[]
    ) WITH ORDINALITY AS h (from_seconds, to_seconds, before, after, place)
    JOIN recordings c ON c.id = ${recordingId} AND c.source = 'agent'
    CROSS JOIN LATERAL explain_hole(c, h.before, h.after) e
    ORDER BY h.place`;
  return rows.map((row, place) => ({
    from_seconds: row.from_seconds,
    to_seconds: row.to_seconds,
    reason: reasonOf(row, holes[place]?.otherBoot ?? false),
  }));
};
