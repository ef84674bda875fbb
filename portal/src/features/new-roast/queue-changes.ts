import { listBatchNumbers } from '@roastery/contract/batch-numbers';
import {
  cancelPlannedRoast,
  clearQueue,
  getPlannedRoast,
  listPlannedRoasts,
  orderQueue,
  planRoast,
  type PlannedRoast,
} from '@roastery/contract/planned';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { plannedName } from '../../components/PlannedRoast.tsx';
import { attempt } from '../../components/attempt.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';

/** Makes a change of the queue and reads it again. */
const changeQueue = (change: () => Promise<unknown>, failed: string): Promise<unknown> =>
  attempt(change, (error) => sentenceWithFields(error, failed), [listPlannedRoasts, getPlannedRoast, listBatchNumbers]);

/** Removes a roast from the queue; its batch number stays listed. */
export const removeFromQueue = (plan: PlannedRoast, onRemoved?: () => void): Promise<unknown> =>
  changeQueue(
    async () => {
      await call(cancelPlannedRoast, { params: { id: plan.id } });
      onRemoved?.();
      toast(t`${plannedName(plan)} was removed from the queue`);
    },
    t`The roast could not be removed from the queue`,
  );

/** Adds the same roast behind the others of its day. */
export const copyPlan = (plan: PlannedRoast): Promise<unknown> =>
  changeQueue(
    async () => {
      const { machine_id, lot_id, profile_id, coffee_name, batch_size_kg, roasted_by, notes, day } = plan;
      const own = lot_id === null ? coffee_name : null;
      const body = { machine_id, lot_id, profile_id, coffee_name: own, batch_size_kg, roasted_by, notes, day };
      await call(planRoast, { body });
      toast(t`${plannedName(plan)} was added again`);
    },
    t`The roast could not be added to the queue`,
  );

/** Plans that were moved to another day. */
export interface MovedPlans {
  readonly plan_ids: readonly string[];
  readonly day: string;
}

export const saveOrder = async (
  machineId: string,
  plans: readonly PlannedRoast[],
  before: readonly PlannedRoast[],
  moved?: MovedPlans,
): Promise<void> => {
  const body = {
    plan_ids: plans.map(({ id }) => id),
    order_before: before.map(({ id }) => id),
    ...(moved === undefined ? {} : { moved: { plan_ids: [...moved.plan_ids], day: moved.day } }),
  };
  await changeQueue(
    () => call(orderQueue, { params: { id: machineId }, body }),
    t`The order of the queue could not be saved`,
  );
};

export const clear = (machineId: string): Promise<unknown> =>
  changeQueue(
    async () => {
      toast((await call(clearQueue, { params: { id: machineId } })).message);
    },
    t`The queue could not be cleared`,
  );
