import { maxPacketBytes } from '@roastery/contract/mqtt';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { type FollowedPlan, followedPlanShape, maxPlansOnBoard, type RoastPlan } from '@roastery/contract/roast-plan';
import { rpmToPercent } from '@roastery/roasting/recipe/control-profile';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { roastAccess } from '../../identity/access.ts';

interface PlanRow extends Omit<FollowedPlan, 'recipe' | 'points' | 'interpolated'> {
  readonly profile_id: string | null;
  readonly profile_revision: number | null;
  readonly profile_name: string | null;
  readonly control_profile: readonly { time: number; burner: number; exhaust: number; drum: number }[] | null;
  readonly auto_interpolate: boolean | null;
}

/** Columns of `PlanRow` from a recipe `f` and a machine `m`. */
const recipeColumns = (sql: Sql) => sql`
  f.id AS profile_id, f.revision AS profile_revision, f.name AS profile_name, f.target_drop_temp, f.target_roast_time,
  f.target_development_time, f.control_profile, f.auto_interpolate, coalesce(m.max_drum_rpm, 100) AS max_drum_rpm`;

const planOf = (row: PlanRow): FollowedPlan => {
  const { profile_id: id, profile_revision: revision, profile_name: name } = row;
  return {
    id: row.id,
    roast_id: row.roast_id,
    recipe: id === null || revision === null || name === null ? null : { id, revision, name },
    coffee_name: row.coffee_name,
    batch_size_kg: row.batch_size_kg,
    target_drop_temp: row.target_drop_temp,
    target_roast_time: row.target_roast_time,
    target_development_time: row.target_development_time,
    points: (row.control_profile ?? []).map((point) => ({
      ...point,
      drum_percent: Math.round(rpmToPercent(point.drum, row.max_drum_rpm) * 10) / 10,
    })),
    interpolated: row.auto_interpolate ?? false,
    max_drum_rpm: row.max_drum_rpm,
  };
};

const plannedColumns = (sql: Sql) => sql`
  p.id, p.roast_id, coalesce(p.coffee_name, l.coffee_name) AS coffee_name, p.batch_size_kg, ${recipeColumns(sql)}`;
const plannedSource = (sql: Sql) => sql`
  planned_roasts p JOIN machines m ON m.id = p.machine_id LEFT JOIN lots l ON l.id = p.lot_id
  LEFT JOIN profiles f ON f.id = p.profile_id`;

/** The size of a retained message without its topic and the fields around the plans. */
const maxPlanBytes = maxPacketBytes - 4096;

/** The first plans that fit one message: those of 1,800 points fill it. One always fits. */
const thatFit = (plans: readonly RoastPlan[]): RoastPlan[] => {
  let bytes = 0;
  const end = plans.findIndex((plan) => {
    bytes += Buffer.byteLength(JSON.stringify(plan)) + 1;
    return bytes > maxPlanBytes;
  });
  return plans.slice(0, end === -1 ? plans.length : Math.max(1, end));
};

/** The plans for the board of a machine: the plan of the running roast, then the waiting ones, in order. */
export const readPlansOfMachine = async (sql: Sql, machineId: string): Promise<RoastPlan[]> => {
  const rows = await sql<(PlanRow & { id: string; plan: RoastPlan | null })[]>`
    SELECT ${plannedColumns(sql)}, p.plan FROM ${plannedSource(sql)}
    LEFT JOIN roasts r ON r.id = p.roast_id
    WHERE p.machine_id = ${machineId} AND m.archived_at IS NULL
      AND (p.bound_at IS NULL AND p.cancelled_at IS NULL OR r.status = 'in_progress')
    ORDER BY p.bound_at NULLS LAST, p.queue_place, p.created_at, p.id LIMIT ${maxPlansOnBoard}`;
  return thatFit(rows.map((row) => ({ ...(row.plan ?? planOf(row)), id: row.id, roast_id: row.roast_id })));
};

/** Stores the present state of a plan for the roast that has just taken it. */
export const keepPlan = async (tx: Sql, planId: string): Promise<void> => {
  const [row] = await tx<PlanRow[]>`
    SELECT ${plannedColumns(tx)} FROM ${plannedSource(tx)} WHERE p.id = ${planId}`;
  if (row !== undefined) await tx`UPDATE planned_roasts SET plan = ${tx.json(planOf(row))} WHERE id = ${planId}`;
};

/**
 * The plan with which a roast is compared: the one that its charge took; else the recipe that it was given; null
 * without either. Throws `not_found` for a roast that does not exist or is another user's.
 */
export const readRoastPlan = async (sql: Sql, user: SignedInUser, roastId: string): Promise<FollowedPlan | null> => {
  const [row] = await sql<(PlanRow & { kept: unknown; planned_recipe: string | null })[]>`
    SELECT NULL AS id, r.id AS roast_id, r.coffee_name, r.batch_size_kg, ${recipeColumns(sql)}, p.plan AS kept,
      p.profile_id AS planned_recipe
    FROM roasts r LEFT JOIN machines m ON m.id = r.machine_id LEFT JOIN profiles f ON f.id = r.profile_id
      LEFT JOIN planned_roasts p ON p.roast_id = r.id
    WHERE r.id = ${roastId} AND ${roastAccess(sql, user)}`;
  if (row === undefined) throw notFound('Roast');
  const kept = row.kept === null ? null : parseOrThrow(followedPlanShape, row.kept);
  // A person may set another recipe afterwards: then the roast is compared with that one.
  const isStillIt = kept !== null && (row.profile_id === null || row.profile_id === kept.recipe?.id);
  if (isStillIt) return { ...kept, roast_id: roastId, coffee_name: row.coffee_name, batch_size_kg: row.batch_size_kg };
  return row.profile_id === null ? null : planOf(row);
};
