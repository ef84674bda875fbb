import type { Sql } from '../../db/sql.ts';
import { keepPlan } from './roast-plan.ts';

/**
 * A charge counts for a plan that was created before it. Clocks of board and server may differ a little, and a person
 * may have charged while the form was being sent, s.
 */
const toleranceSeconds = 60;

interface Bindable {
  machine_id: string | null;
  charge_mono_ms: number | null;
  start_time: string;
  status: string;
  plan_id: string | null;
  board_plan_id: string | null;
}

/**
 * Binds a plan to this roast once it has a charge: the one that the board names, else the first one in the machine's
 * queue. Releases it when the charge is retracted. Called in the transaction that changed the roast; the caller holds
 * the roast's row. Idempotent.
 */
export const bindPlan = async (tx: Sql, roastId: string): Promise<void> => {
  const [roast] = await tx<Bindable[]>`
    SELECT r.machine_id, r.charge_mono_ms, r.start_time, r.status, r.board_plan_id, p.id AS plan_id
    FROM roasts r LEFT JOIN planned_roasts p ON p.roast_id = r.id WHERE r.id = ${roastId}`;
  if (roast === undefined || roast.machine_id === null) return;
  if (roast.charge_mono_ms === null) {
    if (roast.plan_id !== null && roast.status === 'aborted') await releasePlan(tx, roastId, roast.plan_id);
    return;
  }
  if (roast.plan_id !== null) return;
  // Cancelled after the charge, before the board's message arrived: the charge came first.
  const [named] = await tx<{ id: string }[]>`
    SELECT id FROM planned_roasts
    WHERE id = ${roast.board_plan_id} AND machine_id = ${roast.machine_id} AND bound_at IS NULL
      AND (cancelled_at IS NULL OR cancelled_at > ${roast.start_time}::timestamptz) FOR UPDATE`;
  const plan = named ?? (await firstWaiting(tx, roast.machine_id, roast.start_time));
  if (plan === undefined) return;
  // A late cancellation is stored: if the charge is retracted, it applies.
  await tx`UPDATE planned_roasts SET roast_id = ${roastId}, bound_at = now() WHERE id = ${plan.id}`;
  await keepPlan(tx, plan.id);
  // A user's entries on the roast itself stay.
  await tx`
    UPDATE roasts r SET
      lot_id = coalesce(r.lot_id, p.lot_id),
      profile_id = coalesce(r.profile_id, p.profile_id),
      -- Its end may have been heard before its charge, and been settled without a recipe: this one says anew whether it deducts.
      deducts = CASE WHEN r.profile_id IS NULL AND p.profile_id IS NOT NULL THEN NULL ELSE r.deducts END,
      profile_name = coalesce(r.profile_name, f.name),
      coffee_name = coalesce(r.coffee_name, p.coffee_name, l.coffee_name),
      coffee_origin = coalesce(r.coffee_origin, l.origin),
      coffee_process = coalesce(r.coffee_process, l.process),
      roast_level_target = coalesce(r.roast_level_target, f.roast_level),
      batch_size_kg = coalesce(r.batch_size_kg, p.batch_size_kg),
      roasted_by = coalesce(r.roasted_by, p.roasted_by),
      notes = coalesce(r.notes, p.notes),
      revision = r.revision + 1
    FROM planned_roasts p LEFT JOIN lots l ON l.id = p.lot_id LEFT JOIN profiles f ON f.id = p.profile_id
    WHERE r.id = ${roastId} AND p.id = ${plan.id}`;
};

const firstWaiting = async (tx: Sql, machineId: string, startTime: string): Promise<{ id: string } | undefined> => {
  const [plan] = await tx<{ id: string }[]>`
    SELECT id FROM planned_roasts
    WHERE machine_id = ${machineId} AND bound_at IS NULL AND cancelled_at IS NULL
      AND created_at <= ${startTime}::timestamptz + make_interval(secs => ${toleranceSeconds})
    ORDER BY queue_place, created_at, id LIMIT 1 FOR UPDATE`;
  return plan;
};

/**
 * The charge was retracted: nothing was roasted, so the plan returns to the queue, unless it was cancelled, and the
 * roast uses no coffee.
 */
const releasePlan = async (tx: Sql, roastId: string, planId: string): Promise<void> => {
  await tx`UPDATE planned_roasts SET roast_id = NULL, bound_at = NULL, plan = NULL WHERE id = ${planId}`;
  await tx`
    UPDATE roasts SET lot_id = NULL, profile_id = NULL, profile_name = NULL, batch_size_kg = NULL, batch_number = NULL,
                      revision = revision + 1
    WHERE id = ${roastId}`;
};
