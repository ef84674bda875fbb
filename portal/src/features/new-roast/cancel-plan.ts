import { cancelPlannedRoast, getPlannedRoast, listPlannedRoasts, type PlannedRoast } from '@roastery/contract/planned';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { refresh } from '../../api/use-api.ts';
import { plannedName } from '../../components/planned-texts.ts';
import { toast } from '../../ui/toast.ts';

/** Takes a planned roast back; answers whether it is gone. */
export const cancelPlan = async (plan: PlannedRoast): Promise<boolean> => {
  try {
    await call(cancelPlannedRoast, { params: { id: plan.id } });
    toast(`${plannedName(plan)} was removed from the queue`);
    return true;
  } catch (error) {
    logError('The roast could not be removed from the queue', error);
    toast(sentenceFor(error, 'The roast could not be removed from the queue'), { tone: 'danger' });
    return false;
  } finally {
    await refresh(listPlannedRoasts, getPlannedRoast);
  }
};
