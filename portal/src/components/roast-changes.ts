import { listMachines } from '@roastery/contract/machines';
import { getRoast, getRoastCurveColumns, listRoasts } from '@roastery/contract/roasts';
import { discardRoast, getTimeline, restoreRoast } from '@roastery/contract/timeline';
import { sentenceFor } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { logError } from '../api/error-log.ts';
import { refresh } from '../api/use-api.ts';
import { t } from '../language/t.ts';
import { toast } from '../ui/toast.ts';

/** Endpoints that show many roasts, and those that show one. */
const many = [getTimeline, listRoasts, listMachines];
const one = [getRoast, getRoastCurveColumns];

/** Runs a change and shows the result as a toast; undefined when it failed. */
export const attempt = async <Made>(
  change: () => Promise<Made>,
  failed: string,
  said?: (made: Made) => void,
  /** After the roast was removed: its own page is not read again. */
  isGone = false,
): Promise<Made | undefined> => {
  try {
    const made = await change();
    await refresh(...many, ...(isGone ? [] : one));
    said?.(made);
    return made;
  } catch (error) {
    logError(failed, error);
    toast(sentenceFor(error, failed), { tone: 'danger' });
    return undefined;
  }
};

/** Restores a discarded roast. Undefined when it failed. */
export const restore = (
  roast: { readonly id: string; readonly said_number: string },
  onRestored: (id: string) => void,
): Promise<unknown> =>
  attempt(
    () => call(restoreRoast, { params: { id: roast.id } }),
    t`The roast could not be restored`,
    () => {
      toast(t`Roast ${roast.said_number} restored`);
      onRestored(roast.id);
    },
  );

/** Discards a false roast and offers Undo; its samples stay. Undefined when it failed. */
export const discard = (
  roast: { readonly id: string; readonly said_number: string },
  onRestored: (id: string) => void,
  /** Leaves the roast's own page, before it reads more of a roast that is gone. */
  leave?: () => void | Promise<void>,
): Promise<{ message: string } | undefined> =>
  attempt(
    async () => {
      const made = await call(discardRoast, { params: { id: roast.id } });
      await leave?.();
      return made;
    },
    t`The roast could not be discarded`,
    () =>
      toast(t`Roast ${roast.said_number} discarded`, {
        detail: t`Its readings stay on the timeline.`,
        action: { label: t`Undo`, run: () => void restore(roast, onRestored) },
        stays: 20_000,
      }),
    true,
  );
