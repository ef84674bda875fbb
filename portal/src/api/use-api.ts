import type { ResponseOf } from '@roastery/contract/endpoint';
import { useCallback, useDeferredValue, useEffect, useRef, useState } from 'react';
import useSWR, { mutate, type SWRConfiguration, type SWRResponse } from 'swr';
import type { ApiError } from './api-error.ts';
import { isBegunEarly, keyOf, readOnce } from './answers.ts';
import type { AnyEndpoint, ReadInput } from './call.ts';
import { useFailedRead } from './failed-reads.ts';
import { showRead } from './read-times.ts';

/** An answer that is not rendered in slices by then is rendered at once. */
const slicedForMs = 2000;

/**
 * Reads an endpoint and keeps it fresh. Pass `null` to wait (an id isn't known yet).
 *
 *     const { data, error, isLoading, mutate } = useApi(listRoasts, { query: { limit: 25, q } });
 *
 * Lists pass `{ keepPreviousData: true }`, so that the old page stays until the new one arrives.
 */
export const useApi = <E extends AnyEndpoint>(
  endpoint: E,
  input: ReadInput<E> | null,
  options?: SWRConfiguration<ResponseOf<E>, ApiError>,
): SWRResponse<ResponseOf<E>, ApiError> => {
  const key = input === null ? null : keyOf(endpoint, input);
  const keyText = key === null ? null : JSON.stringify(key);
  useEffect(() => (keyText === null ? undefined : showRead(keyText)), [keyText]);
  const read = useSWR<ResponseOf<E>, ApiError>(key, () => readOnce(endpoint, input as ReadInput<E>), options);
  useFailedRead(read.error);
  // The first answer is rendered in slices between which touches are handled: a long list takes a phone 300 ms. A cached
  // one needs none: it must not flicker.
  const isKnown = read.data !== undefined || keyText === null || isBegunEarly(keyText);
  const isDrawn = useDeferredValue(isKnown);
  // Each live reading starts the slices again: on a slow device they would never end.
  const [isOverdue, setOverdue] = useState(false);
  useEffect(() => {
    if (!isKnown || isDrawn) return undefined;
    const timer = setTimeout(() => setOverdue(true), slicedForMs);
    return () => clearTimeout(timer);
  }, [isKnown, isDrawn]);
  const mustWait = read.data !== undefined && !isDrawn && !isOverdue;
  return mustWait ? { ...unanswered, mutate: read.mutate } : read;
};

const unanswered = { data: undefined, error: undefined, isLoading: true, isValidating: true };

/** Reads these endpoints again where they are on screen, after a change that affects them. */
export const refresh = async (...endpoints: AnyEndpoint[]): Promise<void> => {
  const names = new Set(endpoints.map(({ name }) => name));
  await mutate((key) => Array.isArray(key) && typeof key[0] === 'string' && names.has(key[0]));
};

/**
 * Saves quick changes one after the other: the last one counts, and its answer arrives last. A failure does not stop
 * later ones. `isSaving` until the last one is answered.
 */
export const useInOrder = () => {
  const earlier = useRef<Promise<unknown>>(Promise.resolve());
  const [unsaved, setUnsaved] = useState(0);
  const inOrder = useCallback(async <Answer>(save: () => Promise<Answer>): Promise<Answer> => {
    setUnsaved((count) => count + 1);
    const saved = earlier.current.then(save);
    earlier.current = saved.catch(() => undefined);
    try {
      return await saved;
    } finally {
      setUnsaved((count) => count - 1);
    }
  }, []);
  return { inOrder, isSaving: unsaved > 0 };
};
export type InOrder = ReturnType<typeof useInOrder>['inOrder'];

/** False until a while after the page was shown: later reads do not slow the page down. */
export const useSettled = (afterMs: number): boolean => {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  return isSettled;
};
