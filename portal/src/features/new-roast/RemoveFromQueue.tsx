import type { PlannedRoast } from '@roastery/contract/planned';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { plannedName } from '../../components/PlannedRoast.tsx';
import { t } from '../../language/t.ts';
import { removeFromQueue } from './queue-changes.ts';

interface RemoveFromQueueProps {
  /** Null while nothing is asked. */
  plan: PlannedRoast | null;
  onClose: () => void;
  onRemoved?: () => void;
}

/** Asks before a roast leaves the queue: planned again, it has another number and the last place. */
export const RemoveFromQueue = ({ plan, onClose, onRemoved }: RemoveFromQueueProps) => (
  <ConfirmDialog
    thing={plan}
    onClose={onClose}
    title={() => t`Remove from queue`}
    question={(one) =>
      t`Remove ${plannedName(one)} from the queue of ${one.machine_name}? Its batch number stays listed.`
    }
    confirmLabel={t`Remove`}
    onConfirm={async (one) => {
      if (await removeFromQueue(one)) onRemoved?.();
    }}
  />
);
