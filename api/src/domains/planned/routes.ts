import * as contract from '@roastery/contract/planned';
import type { PlannedRoast, planRoast as endpoint } from '@roastery/contract/planned';
import { getRoastPlan } from '@roastery/contract/roast-plan';
import type { ParsedBody } from '@roastery/contract/endpoint';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Domain } from '../../app.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { machineAccess, requireMachine, requirePlan } from '../../identity/access.ts';
import { readPlan, readWaitingPlans } from './planned-row.ts';
import { readRoastPlan } from './roast-plan.ts';

/** Mounted before the roasts: `planned` is no id. */
export const plannedRoutes: Domain = (routes) => {
  routes.forUser(contract.listPlannedRoasts, async ({ sql, user }, { query }) => ({
    planned: await readWaitingPlans(sql, user, query.machine_id),
  }));
  routes.forUser(contract.planRoast, (context, { body }) => planRoast(context, body));
  routes.forUser(contract.getPlannedRoast, async ({ sql, user }, { params }) => {
    const plan = await readPlan(sql, user, params.id);
    if (plan === undefined) throw notFound('Planned roast');
    return plan;
  });
  routes.forUser(getRoastPlan, async ({ sql, user }, { params }) => ({
    plan: await readRoastPlan(sql, user, params.id),
  }));
  routes.forUser(contract.cancelPlannedRoast, (context, { params }) => cancelPlan(context, params.id));
};

/** More than a day's work of one machine: a list that grows beyond it is a mistake. */
const maxWaiting = 50;

/** Plans a roast for a machine: its next charge that no earlier plan waits for will be it. */
export const planRoast = async (context: UserContext, body: ParsedBody<typeof endpoint>): Promise<PlannedRoast> => {
  const id = uuidV7();
  const { user } = context;
  await context.sql.begin(async (tx) => {
    const [machine] = await tx<{ waiting: number }[]>`
      SELECT (SELECT count(*) FROM planned_roasts p
              WHERE p.machine_id = m.id AND p.bound_at IS NULL AND p.cancelled_at IS NULL) AS waiting
      FROM machines m
      WHERE m.id = ${body.machine_id} AND m.archived_at IS NULL AND ${machineAccess(tx, user)}`;
    if (machine === undefined) throw invalid('machine_id', 'There is no such machine');
    await requireMachine(tx, user, body.machine_id, 'roast');
    if (machine.waiting >= maxWaiting) throw invalid('machine_id', 'Too many roasts wait for this machine already');
    const [lot] =
      typeof body.lot_id === 'string' ? await tx`SELECT 1 FROM lots WHERE id = ${body.lot_id}` : [undefined];
    if (typeof body.lot_id === 'string' && !lot) throw invalid('lot_id', 'There is no such lot');
    const [profile] =
      typeof body.profile_id === 'string'
        ? await tx`SELECT 1 FROM profiles WHERE id = ${body.profile_id}`
        : [undefined];
    if (typeof body.profile_id === 'string' && !profile) throw invalid('profile_id', 'There is no such recipe');
    const row = {
      id,
      machine_id: body.machine_id,
      created_by: user.id,
      lot_id: body.lot_id ?? null,
      profile_id: body.profile_id ?? null,
      coffee_name: body.coffee_name || null,
      batch_size_kg: body.batch_size_kg ?? null,
      roasted_by: body.roasted_by || null,
      notes: body.notes || null,
    };
    await tx`INSERT INTO planned_roasts ${tx(row)}`;
    await recordAudit(tx, actorOf(context), {
      action: 'plan.created',
      subject: id,
      detail: { machine_id: row.machine_id, coffee_name: row.coffee_name, batch_size_kg: row.batch_size_kg },
    });
  });
  const made = await readPlan(context.sql, user, id);
  if (made === undefined) throw notFound('Planned roast');
  return made;
};

/** Takes a plan back while it waits. Cancelling twice is fine. */
export const cancelPlan = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await requirePlan(context.sql, context.user, id, 'roast');
  const isCancelled = await context.sql.begin(async (tx) => {
    const done = await tx`
      UPDATE planned_roasts SET cancelled_at = coalesce(cancelled_at, now()) WHERE id = ${id} AND bound_at IS NULL`;
    if (done.count > 0) await recordAudit(tx, actorOf(context), { action: 'plan.cancelled', subject: id });
    return done.count > 0;
  });
  if (!isCancelled) throw new AppError('conflict', 'The roast has begun: it can’t be cancelled any more');
  return { message: 'The planned roast was cancelled' };
};
