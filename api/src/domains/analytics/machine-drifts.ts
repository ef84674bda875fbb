import type { MachineDrift } from '@roastery/contract/machine-drift';
import type { RoastDeparture } from '@roastery/contract/machine-lessons';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { requireMachine, roastAccess } from '../../identity/access.ts';

/** The newest drifts of a machine that its page shows. */
const maxDrifts = 20;

export const readDrifts = (sql: Sql, machineId: string): Promise<MachineDrift[]> => sql<MachineDrift[]>`
  SELECT d.id, d.kind, d.change, d.deviation, d.since FROM machine_drifts d
   WHERE d.machine_id = ${machineId} ORDER BY d.since DESC, d.id DESC LIMIT ${maxDrifts}`;

/** Of the roasts that this person may see, oldest first. */
export const readDepartures = (sql: Sql, user: SignedInUser, machineId: string): Promise<RoastDeparture[]> =>
  sql<RoastDeparture[]>`
    SELECT d.roast_id, r.start_time, d.turn, d.rate
      FROM machine_departures d JOIN roasts r ON r.id = d.roast_id
     WHERE d.machine_id = ${machineId} AND ${roastAccess(sql, user)} ORDER BY r.start_time, r.id`;

/** Condition on `roasts r`: recorded whole, with a batch, so that it can be compared with others of its machine. */
export const isComparable = (sql: Sql) => sql`
  r.status = 'completed' AND r.charge_seq IS NOT NULL AND r.drop_seq IS NOT NULL AND r.batch_size_kg > 0`;

/** Roasts of a machine that can be compared, since its newest drift. */
export const countComparable = async (sql: Sql, machineId: string): Promise<number> => {
  const [row] = await sql<{ roasts: number }[]>`
    SELECT count(*) AS roasts FROM roasts r
     WHERE r.machine_id = ${machineId} AND ${isComparable(sql)}
       AND r.start_time >= coalesce(
             (SELECT max(d.since) FROM machine_drifts d WHERE d.machine_id = ${machineId}), '-infinity')`;
  return row?.roasts ?? 0;
};

/** The newest drift of a machine `m`, as `MachineDrift` of the contract; null without one, or if this person dismissed it. */
export const unreadDrift = (sql: Sql, user: SignedInUser) => sql`
  (SELECT json_build_object(
            'id', d.id, 'kind', d.kind, 'change', d.change, 'deviation', d.deviation,
            'since', to_char(d.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
     FROM (SELECT * FROM machine_drifts n WHERE n.machine_id = m.id ORDER BY n.since DESC, n.id DESC LIMIT 1) d
    WHERE NOT EXISTS (SELECT FROM machine_drift_dismissals g WHERE g.drift_id = d.id AND g.user_id = ${user.id}))`;

/** For this person. Dismissing twice is allowed. */
export const dismissDrift = async (
  { sql, user }: UserContext,
  machineId: string,
  driftId: string,
): Promise<{ message: string }> => {
  await requireMachine(sql, user, machineId, 'see');
  const [drift] = await sql`
    WITH found AS (SELECT d.id FROM machine_drifts d WHERE d.id = ${driftId} AND d.machine_id = ${machineId} FOR KEY SHARE),
    noted AS (
      INSERT INTO machine_drift_dismissals (drift_id, user_id)
      SELECT id, ${user.id} FROM found ON CONFLICT DO NOTHING)
    SELECT id FROM found`;
  if (drift === undefined) throw notFound('Drift');
  return { message: 'It is not shown again.' };
};
