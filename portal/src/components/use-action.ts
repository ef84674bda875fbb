import { useCallback, useRef, useState } from 'react';
import type { AnyEndpoint } from '../api/call.ts';
import { attempt, explain, none, settle, type Failed } from './attempt.ts';

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
