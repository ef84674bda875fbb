import type { Sql } from '../db/sql.ts';

/** What was wrong with recordings as a whole. */
export type Correction =
  /** Their clocks, by so many ms each. */
  | { readonly kind: 'times'; readonly byMs: readonly number[] }
  /** Bean and exhaust were sent under each other's name: exchanged in these layouts, or restored where they are exchanged. */
  | { readonly kind: 'channels'; readonly layouts: readonly number[] }
  /** They are of an earlier machine with the board's serial number. */
  | { readonly kind: 'machine'; readonly machineId: string };

/** Corrects recordings, without a change of their samples. The caller has locked their rows, and changes their roasts. */
export const correctRecordings = async (
  tx: Sql,
  recordingIds: readonly string[],
  correction: Correction,
): Promise<void> => {
  const ids = tx`${[...recordingIds]}::uuid[]`;
  if (correction.kind === 'times') {
    await tx`
      UPDATE recording_boots b SET wall_offset_ms = b.wall_offset_ms + s.by_ms
      FROM unnest(${ids}, ${[...correction.byMs]}::bigint[]) AS s (recording_id, by_ms) WHERE b.recording_id = s.recording_id`;
  } else if (correction.kind === 'channels') {
    await tx`
      UPDATE recording_layouts l SET
        channels = coalesce(l.sent_channels, array_replace(array_replace(array_replace(
          l.channels, 'bean_temp', ''), 'exhaust_temp', 'bean_temp'), '', 'exhaust_temp')),
        sent_channels = CASE WHEN l.sent_channels IS NULL THEN l.channels END
      WHERE l.recording_id = ANY(${ids}) AND l.layout_no = ANY(${[...correction.layouts]}::smallint[])`;
    await tx`UPDATE recordings SET layouts_rev = layouts_rev + 1 WHERE id = ANY(${ids})`;
  } else {
    await tx`UPDATE recordings SET machine_id = ${correction.machineId} WHERE id = ANY(${ids})`;
    await tx`UPDATE continuing_streams SET machine_id = ${correction.machineId} WHERE recording_id = ANY(${ids})`;
  }
};
