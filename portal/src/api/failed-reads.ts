import { useEffect, useSyncExternalStore } from 'react';
import { ApiError } from './api-error.ts';

// Failed reads on screen. A component shows the error in place of the answer; if none does, the page would look empty,
// so the shell shows it.

/** How many components hold each error: reads of one key share theirs. */
const failed = new Map<unknown, number>();
const shown = new Map<unknown, number>();
const listeners = new Set<() => void>();

const hold = (errors: Map<unknown, number>, error: unknown): (() => void) => {
  const add = (step: 1 | -1) => {
    const count = (errors.get(error) ?? 0) + step;
    if (count > 0) errors.set(error, count);
    else errors.delete(error);
    for (const listener of listeners) listener();
  };
  add(1);
  return () => add(-1);
};

/** A refusal and a missing record are answers; without any answer the offline banner is shown. */
const isFailure = (error: unknown): boolean =>
  !(error instanceof ApiError) || (error.code !== 'unreachable' && (error.status === 429 || error.status >= 500));

/** Counts the read as failed while it is on screen. */
export const useFailedRead = (error: unknown): void =>
  useEffect(() => (error !== undefined && isFailure(error) ? hold(failed, error) : undefined), [error]);

/** The component shows this error itself. */
export const useShownError = (error: unknown): void => useEffect(() => hold(shown, error), [error]);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
const hasUnshown = (): boolean => [...failed.keys()].some((error) => !shown.has(error));

/** Whether a read on screen has failed and no component shows it. */
export const useUnshownFailure = (): boolean => useSyncExternalStore(subscribe, hasUnshown);
