import type { PlannedRoast, planRoast as endpoint } from '@roastery/contract/planned';
import type { ParsedBody } from '@roastery/contract/endpoint';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { readToday } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { invalid, notFound } from '../../http/app-error.ts';
import { machineAccess, requireMachine } from '../../identity/access.ts';
import { checkPlan } from './check-plan.ts';
import { lockQueue, orderByDay, refuseEarlierDay } from './queue-order.ts';
import { readPlan } from './planned-row.ts';

/** More than two weeks' work for one machine: a longer queue is a mistake. */
const maxWaiting = 200;

interface Queue {
  readonly waiting: number;
  readonly last_place: number;
}

const readQueue = async (tx: Sql, { user }: UserContext, machineId: string): Promise<Queue> => {
  const [queue] = await tx<Queue[]>`
    SELECT count(p.id) AS waiting, coalesce(max(p.queue_place), 0) AS last_place
    FROM machines m LEFT JOIN planned_roasts p ON p.machine_id = m.id AND p.bound_at IS NULL AND p.cancelled_at IS NULL
    WHERE m.id = ${machineId} AND m.archived_at IS NULL AND ${machineAccess(tx, user)} GROUP BY m.id`;
  if (queue === undefined) throw invalid('machine_id', 'There is no such machine');
  await requireMachine(tx, user, machineId, 'roast');
  return queue;
};

/**
 * Plans one or several identical roasts for a machine: its next charges after those of earlier plans take them. Each
 * gets its batch number at once. Returns the first.
 */
export const planRoast = async (
  context: UserContext,
  { count, ...body }: ParsedBody<typeof endpoint>,
): Promise<PlannedRoast> => {
  const { user } = context;
  const ids = Array.from({ length: count }, () => uuidV7());
  await context.sql.begin(async (tx) => {
    // One at a time per machine, so that two concurrent ones neither exceed the limit together nor get the same
    // position.
    await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`queue of ${body.machine_id}`}, 0))`;
    const queue = await readQueue(tx, context, body.machine_id);
    if (queue.waiting + count > maxWaiting) throw invalid('machine_id', 'The queue of this machine is full');
    await checkPlan(tx, body);
    await refuseEarlierDay(tx, body.day);
    await lockQueue(tx, body.machine_id);
    const day = body.day ?? (await readToday(tx));
    for (const [index, id] of ids.entries()) {
      const row = {
        id,
        machine_id: body.machine_id,
        created_by: user.id,
        day,
        lot_id: body.lot_id ?? null,
        profile_id: body.profile_id ?? null,
        coffee_name: body.coffee_name || null,
        batch_size_kg: body.batch_size_kg ?? null,
        roasted_by: body.roasted_by || null,
        notes: body.notes || null,
        queue_place: queue.last_place + 1 + index,
      };
      await tx`INSERT INTO planned_roasts ${tx(row)}`;
      const batchNumber = await numberPlan(tx, id);
      await recordAudit(tx, actorOf(context), {
        action: 'plan.created',
        subject: id,
        detail: {
          batch_number: batchNumber,
          machine_id: row.machine_id,
          coffee_name: row.coffee_name,
          batch_size_kg: row.batch_size_kg,
          day: row.day,
        },
      });
    }
    await orderByDay(tx, body.machine_id);
  });
  const made = await readPlan(context.sql, user, ids[0] ?? '');
  if (made === undefined) throw notFound('Queued roast');
  return made;
};

const numberPlan = async (tx: Sql, id: string): Promise<string> => {
  const [given] = await tx<{ batch_number: string }[]>`
    UPDATE planned_roasts SET batch_number = give_batch_number(machine_id) WHERE id = ${id} RETURNING batch_number`;
  if (given === undefined) throw new Error('the plan just made is not there');
  await tx`UPDATE batch_numbers SET plan_id = ${id} WHERE batch_number = ${given.batch_number}`;
  return given.batch_number;
};
