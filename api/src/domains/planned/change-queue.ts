import type {
  orderQueue as orderEndpoint,
  PlannedRoast,
  updatePlannedRoast as endpoint,
} from '@roastery/contract/planned';
import type { ParsedBody } from '@roastery/contract/endpoint';
import { actorOf, recordAudit, recordAudits } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { requireMachine, requirePlan } from '../../identity/access.ts';
import { checkPlan } from './check-plan.ts';
import { readPlan, readWaitingPlans } from './planned-row.ts';
import { lockQueue, orderByDay, refuseEarlierDay } from './queue-order.ts';

const begun = () => new AppError('conflict', 'The roast has started or was cancelled, so it can no longer be changed.');

/** Behind the plans of its day: the others of the queue keep their order. */
const moveToEndOfDay = async (tx: Sql, machineId: string, id: string): Promise<void> => {
  await tx`
    UPDATE planned_roasts SET queue_place = (SELECT max(queue_place) + 1 FROM planned_roasts
      WHERE machine_id = ${machineId} AND bound_at IS NULL AND cancelled_at IS NULL) WHERE id = ${id}`;
  await orderByDay(tx, machineId);
};

/** Changes a plan while it waits. */
export const updatePlan = async (
  context: UserContext,
  id: string,
  edit: ParsedBody<typeof endpoint>,
): Promise<PlannedRoast> => {
  // An empty text removes the value.
  const given = Object.fromEntries(
    Object.entries(edit).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, value === '' ? null : value]],
    ),
  );
  await context.sql.begin(async (tx) => {
    await requirePlan(tx, context.user, id, 'roast');
    await refuseEarlierDay(tx, edit.day);
    const [plan] = await tx<{ machine_id: string }[]>`SELECT machine_id FROM planned_roasts WHERE id = ${id}`;
    const machineId = plan?.machine_id ?? '';
    if (edit.day !== undefined) await lockQueue(tx, machineId);
    const [before] = await tx<
      { machine_id: string; lot_id: string | null; profile_id: string | null; batch_size_kg: number | null }[]
    >`
      SELECT machine_id, lot_id, profile_id, batch_size_kg FROM planned_roasts
      WHERE id = ${id} AND bound_at IS NULL AND cancelled_at IS NULL FOR UPDATE`;
    if (before === undefined) throw begun();
    await checkPlan(tx, { ...before, ...given });
    if (Object.keys(given).length > 0) await tx`UPDATE planned_roasts SET ${tx(given)} WHERE id = ${id}`;
    if (edit.day !== undefined) await moveToEndOfDay(tx, machineId, id);
    await recordAudit(tx, actorOf(context), {
      action: 'plan.updated',
      subject: id,
      detail: { fields: Object.keys(given) },
    });
  });
  const changed = await readPlan(context.sql, context.user, id);
  if (changed === undefined) throw notFound('Queued roast');
  return changed;
};

/** Cancels a waiting plan. Cancelling twice is allowed. */
export const cancelPlan = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await requirePlan(context.sql, context.user, id, 'roast');
  const isCancelled = await context.sql.begin(async (tx) => {
    const done = await tx`
      UPDATE planned_roasts SET cancelled_at = coalesce(cancelled_at, now()) WHERE id = ${id} AND bound_at IS NULL`;
    if (done.count > 0) await recordAudit(tx, actorOf(context), { action: 'plan.cancelled', subject: id });
    return done.count > 0;
  });
  if (!isCancelled) throw new AppError('conflict', 'The roast has started, so it can no longer be cancelled.');
  return { message: 'The queued roast was cancelled.' };
};

/** Changes the order of the queue. */
export const orderQueue = async (
  context: UserContext,
  machineId: string,
  { plan_ids: planIds, order_before: before, moved }: ParsedBody<typeof orderEndpoint>,
): Promise<{ planned: PlannedRoast[] }> => {
  await context.sql.begin(async (tx) => {
    await requireMachine(tx, context.user, machineId, 'roast');
    await refuseEarlierDay(tx, moved?.day);
    const waiting = await lockQueue(tx, machineId);
    const named = new Set(planIds);
    const isOther = before !== undefined && waiting.some(({ id }, place) => id !== before[place]);
    if (isOther || named.size !== waiting.length || waiting.some(({ id }) => !named.has(id))) {
      throw new AppError('changed_meanwhile', 'The queue has changed. Reload it, then reorder it.');
    }
    await tx`
      UPDATE planned_roasts p SET queue_place = o.place
      FROM unnest(${[...planIds]}::uuid[]) WITH ORDINALITY AS o (id, place) WHERE p.id = o.id`;
    if (moved !== undefined) {
      const those = moved.plan_ids.filter((id) => named.has(id));
      await tx`UPDATE planned_roasts SET day = ${moved.day} WHERE id = ANY(${those}::uuid[])`;
    }
    await orderByDay(tx, machineId);
    await recordAudit(tx, actorOf(context), {
      action: 'queue.ordered',
      subject: machineId,
      detail: { plans: [...planIds], ...(moved === undefined ? {} : { moved: [...moved.plan_ids], day: moved.day }) },
    });
  });
  return { planned: await readWaitingPlans(context.sql, context.user, machineId) };
};

/** Cancels every waiting plan of a machine. */
export const clearQueue = async (context: UserContext, machineId: string): Promise<{ message: string }> => {
  const cancelled = await context.sql.begin(async (tx) => {
    await requireMachine(tx, context.user, machineId, 'roast');
    const waiting = (await lockQueue(tx, machineId)).map(({ id }) => id);
    await tx`UPDATE planned_roasts SET cancelled_at = now() WHERE id = ANY(${waiting}::uuid[])`;
    await recordAudits(tx, actorOf(context), [
      { action: 'queue.cleared', subject: machineId, detail: { plans: waiting.length } },
      ...waiting.map((id) => ({ action: 'plan.cancelled', subject: id })),
    ]);
    return waiting.length;
  });
  return {
    message: cancelled === 1 ? '1 queued roast was cancelled.' : `${cancelled} queued roasts were cancelled.`,
  };
};
