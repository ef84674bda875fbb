import type { ResponseOf } from '@roastery/contract/endpoint';
import { useCallback, useDeferredValue, useEffect, useRef, useState } from 'react';
import useSWR, { mutate, type SWRConfiguration, type SWRResponse } from 'swr';
import type { ApiError } from './api-error.ts';
import { callWithTime, type AnyEndpoint, type CallInput, type ReadInput } from './call.ts';
import { useFailedRead } from './failed-reads.ts';
import { forgetReadTimes, noteRead, showRead, wasRead } from './read-times.ts';

/** The cache key of an answer: same endpoint, same params and query, same answer. */
const keyOf = (endpoint: AnyEndpoint, { params, query }: { params?: unknown; query?: unknown }) => {
  return [endpoint.name, params ?? null, query ?? null] as const;
};

const readNow = async <E extends AnyEndpoint>(endpoint: E, input: ReadInput<E>): Promise<ResponseOf<E>> => {
  const { answer, answeredAt } = await callWithTime(endpoint, input as CallInput<E>);
  noteRead(JSON.stringify(keyOf(endpoint, input)), answeredAt);
  return answer;
};

/** Answers of reads that were started before their page was loaded. */
const early = new Map<string, Promise<unknown>>();
/** Their keys: these answers are rendered as soon as they arrive. */
const begunEarly = new Set<string>();
/** A page that appears later than this reads again. */
const earlyForMs = 10_000;

/**
 * Starts a read while the code of its page is loading; `useApi` with the same endpoint and input uses the answer.
 * Earlier answers are shown from the cache, and the page decides whether to read again.
 */
export const readEarly = <E extends AnyEndpoint>(endpoint: E, input: ReadInput<E>): void => {
  const key = JSON.stringify(keyOf(endpoint, input));
  if (wasRead(key) || early.has(key)) return;
  const answer = readNow(endpoint, input);
  early.set(key, answer);
  begunEarly.add(key);
  setTimeout(() => {
    if (early.get(key) === answer) early.delete(key);
    begunEarly.delete(key);
  }, earlyForMs);
  // A failure is shown by the page that uses the answer.
  answer.catch(() => undefined);
};

/** Whether the reads of the first page are started with its code: it is rendered as soon as possible. */
export const isReadEarly = (): boolean => early.size > 0;

/** The answer of a read that was started early, once. */
const takeEarly = (key: string): Promise<unknown> | undefined => {
  const answer = early.get(key);
  early.delete(key);
  return answer;
};

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
  const read = useSWR<ResponseOf<E>, ApiError>(
    key,
    () => (takeEarly(keyText ?? '') as Promise<ResponseOf<E>> | undefined) ?? readNow(endpoint, input as ReadInput<E>),
    options,
  );
  useFailedRead(read.error);
  // The first answer is rendered in slices between which touches are handled: a long list takes a phone 300 ms. A cached
  // one needs none: it must not flicker.
  const isKnown = read.data !== undefined || keyText === null || begunEarly.has(keyText);
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

/** Reads everything on screen again, after a time in which reads may have failed. */
export const readAllAgain = (): Promise<unknown> => mutate(() => true);

/** Deletes every answer, also those stored on the device: another person may sign in next. */
export const forgetAll = async (): Promise<void> => {
  forgetReadTimes();
  early.clear();
  await Promise.all([forgetKeptAnswers(), mutate(() => true, undefined, { revalidate: false })]);
};

/** The cache of build/offline-worker.js for the last answers, used while the server is unreachable. */
const answersName = 'answers';

/** Deletes the cached answers from the device. Browsers have no cache storage except over HTTPS and on localhost. */
export const forgetKeptAnswers = async (): Promise<void> => {
  if ('caches' in globalThis) await caches.delete(answersName);
};

/** False until a while after the page was shown: later reads do not slow the page down. */
export const useSettled = (afterMs: number): boolean => {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  return isSettled;
};
