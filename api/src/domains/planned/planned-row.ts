import type { PlannedRoast } from '@roastery/contract/planned';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { today } from '../../db/roastery-time-zone.ts';
import { machineAccess } from '../../identity/access.ts';

/** What was not roasted on its day is left for today. */
export const dayOf = (sql: Sql) => sql`greatest(p.day, ${today(sql)})`;

const columns = (sql: Sql) => sql`
  p.id, p.batch_number, p.machine_id, m.display_name AS machine_name, p.lot_id, l.lot_number, p.profile_id, f.name AS profile_name,
  coalesce(p.coffee_name, l.coffee_name) AS coffee_name, p.batch_size_kg, p.roasted_by, p.notes, p.created_at,
  u.full_name AS created_by, p.roast_id, p.origin,
  CASE WHEN p.bound_at IS NULL AND p.cancelled_at IS NULL THEN ${dayOf(sql)} ELSE p.day END AS day,
  CASE WHEN p.bound_at IS NOT NULL THEN 'bound' WHEN p.cancelled_at IS NOT NULL THEN 'cancelled' ELSE 'waiting' END
    AS status,
  CASE WHEN p.bound_at IS NULL AND p.cancelled_at IS NULL THEN (
    SELECT count(*) FROM planned_roasts b
    WHERE b.machine_id = p.machine_id AND b.bound_at IS NULL AND b.cancelled_at IS NULL
      AND (b.queue_place, b.created_at, b.id) < (p.queue_place, p.created_at, p.id)) ELSE 0 END AS ahead`;

const source = (sql: Sql) => sql`
  planned_roasts p JOIN machines m ON m.id = p.machine_id JOIN users u ON u.id = p.created_by
  LEFT JOIN lots l ON l.id = p.lot_id LEFT JOIN profiles f ON f.id = p.profile_id`;

export const readPlan = async (sql: Sql, user: SignedInUser, id: string): Promise<PlannedRoast | undefined> => {
  const [row] = await sql<PlannedRoast[]>`
    SELECT ${columns(sql)} FROM ${source(sql)} WHERE p.id = ${id} AND ${machineAccess(sql, user)}`;
  return row;
};

/** Waiting plans, in the order in which charges will take them. */
export const readWaitingPlans = async (
  sql: Sql,
  user: SignedInUser,
  machineId: string | undefined,
): Promise<PlannedRoast[]> => {
  const rows = await sql<PlannedRoast[]>`
    SELECT ${columns(sql)} FROM ${source(sql)}
    WHERE p.bound_at IS NULL AND p.cancelled_at IS NULL AND ${machineAccess(sql, user)}
      ${machineId === undefined ? sql`` : sql`AND p.machine_id = ${machineId}`}
    ORDER BY m.display_name, p.machine_id, p.queue_place, p.created_at, p.id LIMIT 500`;
  return [...rows];
};
