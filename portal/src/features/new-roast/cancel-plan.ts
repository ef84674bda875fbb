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
    toast(`${plannedName(plan)} is no longer planned`);
    return true;
  } catch (error) {
    logError('The planned roast could not be cancelled', error);
    toast(sentenceFor(error, 'The planned roast could not be cancelled'), { tone: 'danger' });
    return false;
  } finally {
    await refresh(listPlannedRoasts, getPlannedRoast);
  }
};
