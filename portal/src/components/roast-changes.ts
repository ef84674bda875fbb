import { listMachines } from '@roastery/contract/machines';
import { getRoast, getRoastCurveColumns, listRoasts } from '@roastery/contract/roasts';
import { discardRoast, getTimeline, restoreRoast } from '@roastery/contract/timeline';
import { sentenceFor } from '../api/api-error.ts';
import { call } from '../api/call.ts';
import { logError } from '../api/error-log.ts';
import { refresh } from '../api/use-api.ts';
import { toast } from '../ui/toast.ts';

/** What shows many roasts, and what shows one. */
const many = [getTimeline, listRoasts, listMachines];
const one = [getRoast, getRoastCurveColumns];

/** Runs a change and says how it went; undefined when it was refused. */
export const attempt = async <Made>(
  change: () => Promise<Made>,
  failed: string,
  said?: (made: Made) => void,
  /** The roast is gone: its own page has nothing to read again. */
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

/** One click, with Undo: a false roast goes, its samples stay. Undefined when it was refused. */
export const discard = (
  roast: { readonly id: string; readonly roast_number: string },
  onRestored: (id: string) => void,
): Promise<{ message: string } | undefined> =>
  attempt(
    () => call(discardRoast, { params: { id: roast.id } }),
    'The roast could not be discarded',
    () =>
      toast(`Roast ${roast.roast_number} discarded`, {
        detail: 'Its readings stay on the timeline.',
        action: {
          label: 'Undo',
          run: () =>
            void attempt(
              () => call(restoreRoast, { params: { id: roast.id } }),
              'The roast could not be restored',
              () => {
                toast(`Roast ${roast.roast_number} restored`);
                onRestored(roast.id);
              },
            ),
        },
        stays: 20_000,
      }),
    true,
  );
