import * as batchNumbers from '@roastery/contract/batch-numbers';
import * as contract from '@roastery/contract/planned';
import { getRoastPlan } from '@roastery/contract/roast-plan';
import type { Domain } from '../../app.ts';
import { readToday } from '../../db/roastery-time-zone.ts';
import { notFound } from '../../http/app-error.ts';
import { cancelPlan, clearQueue, orderQueue, updatePlan } from './change-queue.ts';
import { listBatchNumbers } from './list-batch-numbers.ts';
import { planRoast } from './plan-roast.ts';
import { readPlannedDays } from './planned-days.ts';
import { readPlan, readWaitingPlans } from './planned-row.ts';
import { readRoastPlan } from './roast-plan.ts';

/** Mounted before the roasts: `planned` is not an id. */
export const plannedRoutes: Domain = (routes) => {
  routes.forUser(contract.listPlannedRoasts, async ({ sql, user }, { query }) => {
    const planned = await readWaitingPlans(sql, user, query.machine_id);
    return { planned, days: await readPlannedDays(sql, planned, Date.now()), today: await readToday(sql) };
  });
  routes.forUser(contract.planRoast, (context, { body }) => planRoast(context, body));
  routes.forUser(contract.getPlannedRoast, async ({ sql, user }, { params }) => {
    const plan = await readPlan(sql, user, params.id);
    if (plan === undefined) throw notFound('Queued roast');
    return plan;
  });
  routes.forUser(getRoastPlan, async ({ sql, user }, { params }) => ({
    plan: await readRoastPlan(sql, user, params.id),
  }));
  routes.forUser(contract.updatePlannedRoast, (context, { params, body }) => updatePlan(context, params.id, body));
  routes.forUser(contract.cancelPlannedRoast, (context, { params }) => cancelPlan(context, params.id));
  routes.forUser(contract.orderQueue, (context, { params, body }) => orderQueue(context, params.id, body));
  routes.forUser(contract.clearQueue, (context, { params }) => clearQueue(context, params.id));
  routes.forUser(batchNumbers.listBatchNumbers, ({ sql, user }, { query }) => listBatchNumbers(sql, user, query));
};
