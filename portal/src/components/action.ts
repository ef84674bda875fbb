import { useCallback, useRef, useState } from 'react';
import { isTemporary, sentenceFor } from '../api/api-error.ts';
import type { AnyEndpoint } from '../api/call.ts';
import { logError } from '../api/error-log.ts';
import { refresh } from '../api/use-api.ts';
import { t } from '../language/t.ts';
import { toast } from '../ui/toast.ts';

interface Shown {
  text: string;
  /** A second line. */
  detail?: string | undefined;
}
/** The sentence to show when the server sends none, or a function that returns what to show. */
type Failed = string | ((error: unknown) => string | Shown);

const none: readonly AnyEndpoint[] = [];

const explain = (error: unknown, failed: Failed): Shown => {
  const shown = typeof failed === 'string' ? sentenceFor(error, failed) : failed(error);
  const { text, detail } = typeof shown === 'string' ? { text: shown } : shown;
  logError(typeof failed === 'string' ? failed : text, error);
  return { text, detail };
};

/** After a sign-in another person may be at the device: they must not repeat the change of the one before. */
const mayRepeat = (error: unknown): boolean => isTemporary(error) && error.code !== 'not_signed_in';

const settle = async <Made>(
  work: () => Promise<Made>,
  after: readonly AnyEndpoint[],
  fail: (error: unknown) => void,
): Promise<Made | undefined> => {
  try {
    return await work();
  } catch (error) {
    fail(error);
    return undefined;
  } finally {
    if (after.length > 0) await refresh(...after);
  }
};

/**
 * Makes a change. Its failure is a toast, with Retry where the same request may succeed later; everything that follows from its
 * success belongs into `work`, which Retry runs again. Undefined when it failed.
 * @param after reads that are repeated in both cases
 */
export const attempt = <Made>(
  work: () => Promise<Made>,
  failed: Failed,
  after: readonly AnyEndpoint[] = none,
): Promise<Made | undefined> =>
  settle(work, after, (error) => {
    const { text, detail } = explain(error, failed);
    const again = { label: t`Retry`, run: () => void attempt(work, failed, after) };
    toast(text, { tone: 'danger', detail, action: mayRepeat(error) ? again : undefined });
  });

/**
 * The actions of a few buttons, one at a time: their buttons are `disabled` while `isBusy`, and `busy` while the action of that name is `running`.
 * A failure is a toast; with `beside` it is `failure`, for a `FormError` next to the button, which is its own Retry.
 */
export const useAction = ({
  beside = false,
  after = none,
}: { beside?: boolean; after?: readonly AnyEndpoint[] } = {}) => {
  const current = useRef<string>(null);
  const [running, setRunning] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const run = useCallback(
    async (work: () => Promise<unknown>, failed: Failed, name = ''): Promise<void> => {
      // The second tap of a glove comes before the button is disabled.
      if (current.current !== null) return;
      current.current = name;
      setRunning(name);
      setFailure(null);
      await (beside
        ? settle(work, after, (error) => setFailure(explain(error, failed).text))
        : attempt(work, failed, after));
      current.current = null;
      setRunning(null);
    },
    [beside, after],
  );
  return { run, running, isBusy: running !== null, failure, setFailure };
};
