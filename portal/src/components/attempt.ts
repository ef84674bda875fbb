import { ApiError, isTemporary, sentenceFor } from '../api/api-error.ts';
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
export type Failed = string | ((error: unknown) => string | Shown);

export const none: readonly AnyEndpoint[] = [];

/** Logged unless the server's own sentence says it all. */
export const explain = (error: unknown, failed: Failed): Shown => {
  const shown = typeof failed === 'string' ? sentenceFor(error, failed) : failed(error);
  const { text, detail } = typeof shown === 'string' ? { text: shown } : shown;
  if (!(error instanceof ApiError) || error.detail === undefined) logError(text, error);
  return { text, detail };
};

/** After a sign-in another person may be at the device: they must not repeat the change of the one before. */
const mayRepeat = (error: unknown): boolean => isTemporary(error) && error.code !== 'not_signed_in';

/** Runs the work, and repeats the reads after it in both cases. */
export const settle = async <Made>(
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
