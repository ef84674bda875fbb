import { deleteMachine, listMachines, machineTotals, type Machine } from '@roastery/contract/machines';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { toast } from '../../ui/toast.ts';

/** Deletes a machine, or archives it when it has roasts, and says which of the two happened. */
export const removeMachine = async (machine: Machine): Promise<void> => {
  try {
    const { archived, message } = await call(deleteMachine, { params: { id: machine.id } });
    toast(
      message,
      archived
        ? { tone: 'info', detail: 'Machine archived instead of deleted to preserve roast history.', stays: 12_000 }
        : {},
    );
  } catch (error) {
    toast(sentenceFor(error, 'Failed to delete machine'), { tone: 'danger' });
  }
  await refresh(listMachines, machineTotals);
};
