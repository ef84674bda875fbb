import type { betweenBatches, NextBatch } from '@roastery/contract/between-batches';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { requireMachine } from '../../identity/access.ts';
import { readWaitingPlans } from '../planned/planned-row.ts';
import { listRoasts, type RoastListQuery } from './list-roasts.ts';

const readNext = async (sql: Sql, user: SignedInUser, machineId: string): Promise<NextBatch | null> => {
  const [plan] = await readWaitingPlans(sql, user, machineId);
  if (plan === undefined) return null;
  const [recipe] =
    plan.profile_id === null
      ? []
      : await sql<Pick<NextBatch, 'target_charge_temp'>[]>`
          SELECT target_charge_temp FROM profiles WHERE id = ${plan.profile_id}`;
  return { ...plan, target_charge_temp: recipe?.target_charge_temp ?? null };
};

/** What a live view shows of a machine that does not roast. */
export const readBetweenBatches = async (
  sql: Sql,
  user: SignedInUser,
  machineId: string,
): Promise<ResponseOf<typeof betweenBatches>> => {
  await requireMachine(sql, user, machineId, 'see');
  const newest: RoastListQuery = { machine_id: machineId, sort: '-start_time', limit: 1, offset: 0 };
  const [next, all, unweighed] = await Promise.all([
    readNext(sql, user, machineId),
    listRoasts(sql, user, newest),
    listRoasts(sql, user, { ...newest, without: 'weight' }),
  ]);
  return {
    next,
    newest_roast: all.roasts[0] ?? null,
    not_weighed: { total: unweighed.total, newest: unweighed.roasts[0] ?? null },
  };
};
