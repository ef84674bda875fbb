import type { SWRConfiguration } from 'swr';
import { ApiError } from '../api/api-error.ts';
import { logError } from '../api/error-log.ts';

const longestRetryMs = 30_000;

/** Errors worth a retry; a refusal or a missing record would only repeat. */
const passes = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** All reads: log failures, retry transient ones with backoff. */
export const swrConfig: SWRConfiguration = {
  onError: (error: unknown, key: string) => logError(`Could not read ${key}`, error),
  onErrorRetry: (error: unknown, _key, _config, revalidate, { retryCount }) => {
    if (!passes(error)) return;
    const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    setTimeout(
      () => void revalidate({ retryCount }),
      Math.max(asked, Math.min(longestRetryMs, 1000 * 2 ** retryCount)),
    );
  },
};
