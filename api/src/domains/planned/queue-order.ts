import type { Sql } from '../../db/sql.ts';
import { invalid } from '../../http/app-error.ts';
import { today } from '../../db/roastery-time-zone.ts';
import { dayOf } from './planned-row.ts';

/**
 * The waiting plans of a machine in their order, locked: a charge that takes one of them waits. They are locked by id,
 * since two concurrent changes of the order would deadlock by their positions, and read by a second statement, which
 * sees the changes it waited for.
 */
export const lockQueue = async (tx: Sql, machineId: string): Promise<{ id: string }[]> => {
  const waiting = tx`machine_id = ${machineId} AND bound_at IS NULL AND cancelled_at IS NULL`;
  await tx`SELECT 1 FROM planned_roasts WHERE ${waiting} ORDER BY id FOR UPDATE`;
  return tx<{ id: string }[]>`
    SELECT id FROM planned_roasts WHERE ${waiting} ORDER BY queue_place, created_at, id`;
};

/** Puts a locked queue into the order of its days, within a day into that of its places. */
export const orderByDay = (tx: Sql, machineId: string) => tx`
  UPDATE planned_roasts q SET queue_place = o.place
  FROM (SELECT p.id, row_number() OVER (ORDER BY ${dayOf(tx)}, p.queue_place, p.created_at, p.id) AS place FROM planned_roasts p
         WHERE p.machine_id = ${machineId} AND p.bound_at IS NULL AND p.cancelled_at IS NULL) o
  WHERE q.id = o.id AND q.queue_place <> o.place`;

/** What was planned for a day before today could never be roasted then. */
export const refuseEarlierDay = async (tx: Sql, day: string | undefined): Promise<void> => {
  if (day === undefined) return;
  const [row] = await tx<{ is_over: boolean }[]>`SELECT ${day}::date < ${today(tx)} AS is_over`;
  if (row?.is_over === true) throw invalid('day', 'Choose today or a later day');
};
