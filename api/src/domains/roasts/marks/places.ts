import type { Sql } from '../../../db/sql.ts';
import type { Place } from '../../../recordings/recordings.ts';

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
