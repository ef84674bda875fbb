import { systemActor } from '../../../db/audit.ts';
import type { Sql } from '../../../db/sql.ts';
import { endRoast } from '../../roasts/life/end-roast.ts';
import { beganMs, beginsBeforeFileMs } from '../../roasts/boards/board-roasts.ts';
import type { SentFile } from './file-roast.ts';

type Span = Pick<SentFile, 'chargeAtMs' | 'dropAtMs'>;

/**
 * The roasts of this machine that were recorded live and are of the same beans as a file, earliest first: those that
 * begin while its beans were in the drum, and one with a drop that covers half of that time. A roast without its board
 * has no end to compare.
 */
export const liveRoastsOf = async (tx: Sql, machineId: string, { chargeAtMs, dropAtMs }: Span): Promise<string[]> => {
  const [charge, drop] = [new Date(chargeAtMs), new Date(dropAtMs)];
  const rows = await tx<{ id: string }[]>`
    SELECT r.id FROM roasts r JOIN recordings c ON c.id = r.recording_id AND c.source = 'agent'
    WHERE r.machine_id = ${machineId} AND r.start_time < ${drop}
      AND r.start_time > ${charge}::timestamptz - interval '4 hours'
      AND (r.start_time >= ${new Date(chargeAtMs - beginsBeforeFileMs)}
        OR least(${drop}::timestamptz, r.start_time + make_interval(secs => r.duration_seconds)) - ${charge}::timestamptz
           >= (${drop}::timestamptz - ${charge}::timestamptz) / 2)
    ORDER BY r.start_time, r.id`;
  return rows.map(({ id }) => id);
};

/** Whether such a roast was deleted or discarded: its file does not restore it. */
export const hasDeletedRoast = async (tx: Sql, machineId: string, { chargeAtMs, dropAtMs }: Span): Promise<boolean> => {
  const [row] = await tx`
    SELECT 1 FROM board_roasts b
    JOIN roast_tombstones t ON t.roast_id = b.id
    WHERE b.machine_id = ${machineId}
      AND ${beganMs(tx)} BETWEEN ${chargeAtMs - beginsBeforeFileMs} AND ${dropAtMs - 1} LIMIT 1`;
  return row !== undefined;
};

/** Merges the later parts of an interrupted roast into its first one; later reports of their board create no roast. */
export const joinPieces = async (tx: Sql, first: string, others: readonly string[]): Promise<void> => {
  for (const id of others) {
    await tx`
      INSERT INTO roast_sources (roast_id, board_roast_id, is_merged, is_manual)
      SELECT ${first}::uuid, id, true, true FROM board_roasts WHERE id = ${id}
      ON CONFLICT (roast_id, board_roast_id) DO UPDATE SET is_merged = true, is_manual = true`;
    await endRoast(tx, id, { how: 'merged', into: first }, systemActor);
  }
};
