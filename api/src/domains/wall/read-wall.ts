import { maxWallMachines, type WallMachine, type WallRoast } from '@roastery/contract/wall';
import type { Database, Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { machineAccess } from '../../identity/access.ts';
import { connectionOf, lacksMapOf, silenceOf } from '../../identity/machines.ts';
import { readRoastPlan } from '../planned/roast-plan.ts';
import { openCurve } from '../roasts/curves/roast-curve.ts';

/** A small curve has a few hundred pixels. */
const referenceStepSeconds = 5;

/** A screen of a wall link sees every machine, as the admin does who created the link. It can only open the wall. */
const screenOfWall: SignedInUser = {
  id: '00000000-0000-0000-0000-000000000000',
  full_name: '',
  email: '',
  is_active: true,
  is_admin: true,
  created_at: '',
  preferences: {},
  shared: { see: [], roast: [], all: false },
};

export const viewerOf = (user: SignedInUser | null): SignedInUser => user ?? screenOfWall;

/** Ids of the machines of a wall, in the order of their names. */
export const wallMachineIds = async (sql: Sql, viewer: SignedInUser): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    SELECT m.id FROM machines m WHERE m.archived_at IS NULL AND ${machineAccess(sql, viewer)}
     ORDER BY lower(m.display_name), m.id LIMIT ${maxWallMachines}`;
  return rows.map(({ id }) => id);
};

interface MachineRow extends Omit<WallMachine, 'roast' | 'next'> {
  readonly roast_id: string | null;
  readonly batch_number: string | null;
  readonly coffee_name: string | null;
  readonly reference_roast_id: string | null;
  readonly next_id: string | null;
  readonly next_number: string | null;
  readonly next_coffee: string | null;
  readonly next_kg: number | null;
  readonly next_charge: number | null;
}

const readMachines = (sql: Sql, viewer: SignedInUser) => sql<MachineRow[]>`
  SELECT m.id, m.display_name, ${connectionOf(sql)} AS connection, m.last_seen_at,
         ${lacksMapOf(sql)} AS lacks_map, ${silenceOf(sql)},
         r.id AS roast_id, r.batch_number, r.coffee_name,
         coalesce(f.reference_roast_id, best.id) AS reference_roast_id,
         n.id AS next_id, n.batch_number AS next_number, n.coffee_name AS next_coffee, n.batch_size_kg AS next_kg,
         n.target_charge_temp AS next_charge
    FROM machines m
    LEFT JOIN LATERAL (SELECT id, batch_number, coffee_name, profile_id FROM roasts
                        WHERE machine_id = m.id AND status = 'in_progress' ORDER BY start_time DESC LIMIT 1) r ON true
    LEFT JOIN profiles f ON f.id = r.profile_id
    LEFT JOIN LATERAL (SELECT id FROM roasts
                        WHERE profile_id = f.id AND status = 'completed' AND cupping_score IS NOT NULL
                        ORDER BY cupping_score DESC, start_time DESC LIMIT 1) best ON true
    LEFT JOIN LATERAL (SELECT p.id, coalesce(p.coffee_name, l.coffee_name, q.name) AS coffee_name, p.batch_size_kg, p.batch_number,
                              q.target_charge_temp
                         FROM planned_roasts p LEFT JOIN lots l ON l.id = p.lot_id LEFT JOIN profiles q ON q.id = p.profile_id
                        WHERE p.machine_id = m.id AND p.bound_at IS NULL AND p.cancelled_at IS NULL
                        ORDER BY p.queue_place, p.created_at, p.id LIMIT 1) n ON true
   WHERE m.archived_at IS NULL AND ${machineAccess(sql, viewer)}
   ORDER BY lower(m.display_name), m.id LIMIT ${maxWallMachines}`;

/** The bean temperature of a roast in steps; null where the viewer may not see it, or nothing was recorded. */
const readReference = async (sql: Database, viewer: SignedInUser, roastId: string): Promise<WallRoast['reference']> => {
  const curve = await openCurve(sql, viewer, roastId, { before: 0, after: 0 }, ['bean_temp']);
  const bean = await curve?.channels.get('bean_temp');
  if (curve === undefined || bean === undefined) return null;
  const times: number[] = [];
  const temps: (number | null)[] = [];
  for (const [index, time] of curve.timeSeconds.entries()) {
    if (time - (times.at(-1) ?? Number.NEGATIVE_INFINITY) < referenceStepSeconds) continue;
    times.push(time);
    temps.push(bean[index] ?? null);
  }
  return { time_seconds: times, bean_temp: temps };
};

const readRunning = async (sql: Database, viewer: SignedInUser, row: MachineRow): Promise<WallRoast | null> => {
  const { roast_id: id, batch_number, coffee_name, reference_roast_id: referenceId } = row;
  if (id === null) return null;
  const plan = await readRoastPlan(sql, viewer, id);
  return {
    id,
    batch_number,
    coffee_name,
    points: plan?.points ?? [],
    interpolated: plan?.interpolated ?? false,
    target_drop_temp: plan?.target_drop_temp ?? null,
    reference: referenceId === null || referenceId === id ? null : await readReference(sql, viewer, referenceId),
  };
};

/** `Drum 2` before `Drum 10`. */
const byName = ({ display_name: one }: WallMachine, { display_name: other }: WallMachine): number =>
  one.localeCompare(other, 'en', { numeric: true });

/** Number of machines for a wall, including those beyond its limit. */
export const countWallMachines = async (sql: Sql, viewer: SignedInUser): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM machines m WHERE m.archived_at IS NULL AND ${machineAccess(sql, viewer)}`;
  return row?.count ?? 0;
};

/** The wall's data of each machine besides the live readings. */
export const readWall = async (sql: Database, viewer: SignedInUser): Promise<WallMachine[]> => {
  const machines: WallMachine[] = [];
  // One after the other: a wall is read again with every roast, and must not occupy every database connection.
  for (const row of await readMachines(sql, viewer)) {
    const { id, display_name, connection, last_seen_at, silent_since, address, lacks_map } = row;
    const next =
      row.next_id === null
        ? null
        : {
            batch_number: row.next_number,
            coffee_name: row.next_coffee,
            batch_size_kg: row.next_kg,
            target_charge_temp: row.next_charge,
          };
    const roast = await readRunning(sql, viewer, row);
    machines.push({ id, display_name, connection, last_seen_at, silent_since, address, lacks_map, roast, next });
  }
  return machines.toSorted(byName);
};
