import { formatDuration } from '@roastery/roasting/units';
import type { Sql } from '../../../db/sql.ts';
import { AppError } from '../../../http/app-error.ts';

/** A window on a recording as sequence numbers; without an end it is open. */
export interface SeqWindow {
  readonly fromSeq: number;
  readonly toSeq: number | null;
}

/**
 * The most sequence numbers between the beginning of a roast and one that it can overlap: four hours at the highest
 * rate.
 */
const maxRoastSeqs = 144_000;

interface OverlappingRow {
  id: string;
  said_number: string;
  duration_seconds: number | null;
}

/** The roasts with a charge whose windows overlap this one, without those named. */
const overlapping = (sql: Sql, recordingId: string, { fromSeq, toSeq }: SeqWindow, without: readonly string[]) =>
  sql<OverlappingRow[]>`
    SELECT r.id, r.said_number, r.duration_seconds FROM roasts r
    WHERE r.recording_id = ${recordingId} AND r.id <> ALL(${[...without]}::uuid[])
      AND r.charge_seq > ${fromSeq - maxRoastSeqs} AND (${toSeq}::bigint IS NULL OR r.charge_seq < ${toSeq})
      AND (r.charge_seq >= ${fromSeq}
        OR coalesce(r.drop_seq, CASE WHEN r.status <> 'in_progress' THEN coalesce(r.status_seq, r.charge_seq) END) > ${fromSeq}
        OR r.drop_seq IS NULL AND r.status = 'in_progress')
    ORDER BY r.charge_seq LIMIT 100`;

/**
 * Refuses a window that overlaps another roast of its recording.
 * @param before the earlier window of the roast: existing overlaps are allowed
 */
export const refuseOverlap = async (
  tx: Sql,
  recordingId: string,
  window: SeqWindow,
  without: readonly string[],
  before?: SeqWindow,
): Promise<void> => {
  const known = before === undefined ? [] : await overlapping(tx, recordingId, before, without);
  const inTheWay = await overlapping(tx, recordingId, window, [...without, ...known.map(({ id }) => id)]);
  const [first] = inTheWay;
  if (first === undefined) return;
  const length = first.duration_seconds === null ? '' : ` (${formatDuration(first.duration_seconds)})`;
  throw new AppError(
    'conflict',
    `Roast ${first.said_number}${length} covers part of this range. Discard it or move its charge or drop first.`,
  );
};
