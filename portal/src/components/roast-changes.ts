import { listMachines } from '@roastery/contract/machines';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { discardRoast, getTimeline, restoreRoast } from '@roastery/contract/timeline';
import { call } from '../api/call.ts';
import { refresh } from '../api/use-api.ts';
import { t } from '../language/t.ts';
import { toast } from '../ui/toast.ts';
import { attempt } from './attempt.ts';

/** Endpoints that show many roasts, and those that show one. */
const many = [getTimeline, listRoasts, listMachines];
const one = [getRoast, getRoastCurveColumns];

/** Makes a change, then reads everything that shows the roast again. */
export const changeRoast = async <Made>(change: Promise<Made>): Promise<Made> => {
  const made = await change;
  await refresh(...many, ...one);
  return made;
};

interface DiscardedRoast {
  readonly id: string;
  readonly said_number: string;
}

export const restoreFailed = t`The roast could not be restored`;

export const restore = async (roast: DiscardedRoast, onRestored: (id: string) => void): Promise<void> => {
  await changeRoast(call(restoreRoast, { params: { id: roast.id } }));
  toast(t`Roast ${roast.said_number} restored`);
  onRestored(roast.id);
};

/**
 * Discards a false roast and offers Undo; its samples stay.
 * @param leave before more is read of a roast that is gone: leaves its page, or its selection
 */
export const discard = (
  roast: DiscardedRoast,
  onRestored: (id: string) => void,
  leave?: () => void | Promise<void>,
): Promise<void> =>
  attempt(
    async () => {
      await call(discardRoast, { params: { id: roast.id } });
      await leave?.();
      await refresh(...many);
      toast(t`Roast ${roast.said_number} discarded`, {
        detail: t`Its readings stay on the timeline.`,
        action: { label: t`Undo`, run: () => void attempt(() => restore(roast, onRestored), restoreFailed) },
        stays: 20_000,
      });
    },
    t`The roast could not be discarded`,
  );
