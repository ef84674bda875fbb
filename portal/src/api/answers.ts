import type { ResponseOf } from '@roastery/contract/endpoint';
import { mutate, unload } from 'swr';
import { callWithTime, type AnyEndpoint, type CallInput, type ReadInput } from './call.ts';
import { forgetReadTimes, noteRead, wasRead } from './read-times.ts';

// The answers that this browser holds: started early, on screen, and stored on the device.

/** The cache key of an answer: same endpoint, same params and query, same answer. */
export const keyOf = (endpoint: AnyEndpoint, { params, query }: { params?: unknown; query?: unknown }) => {
  return [endpoint.name, params ?? null, query ?? null] as const;
};

const readNow = async <E extends AnyEndpoint>(endpoint: E, input: ReadInput<E>): Promise<ResponseOf<E>> => {
  const { answer, answeredAt } = await callWithTime(endpoint, input as CallInput<E>);
  noteRead(JSON.stringify(keyOf(endpoint, input)), answeredAt);
  return answer;
};

/** Answers of reads that were started before their page was loaded. */
const early = new Map<string, Promise<unknown>>();
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

/** Whether a read was: its answer is rendered as soon as it arrives. */
export const isBegunEarly = (key: string): boolean => begunEarly.has(key);

/** Reads, or takes the answer of the same read that was started early. */
export const readOnce = <E extends AnyEndpoint>(endpoint: E, input: ReadInput<E>): Promise<ResponseOf<E>> => {
  const key = JSON.stringify(keyOf(endpoint, input));
  const answer = early.get(key) as Promise<ResponseOf<E>> | undefined;
  early.delete(key);
  return answer ?? readNow(endpoint, input);
};

/** Reads everything on screen again, after a time in which reads may have failed. */
export const readAllAgain = (): Promise<unknown> => mutate(() => true);

/** The cache of build/offline-worker.js for the last answers, used while the server is unreachable. */
const answersName = 'answers';

/** Deletes the cached answers from the device. Browsers have no cache storage except over HTTPS and on localhost. */
export const forgetKeptAnswers = async (): Promise<void> => {
  if ('caches' in globalThis) await caches.delete(answersName);
};

/**
 * Deletes every answer, also those on the way and those stored on the device: another person may sign in next. Within the
 * time in which SWR joins equal reads, theirs would join those on the way, whose answers are discarded.
 */
export const forgetAll = async (): Promise<void> => {
  forgetReadTimes();
  early.clear();
  unload({ revalidate: false });
  await forgetKeptAnswers();
};
