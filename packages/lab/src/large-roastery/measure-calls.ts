import { setTimeout as sleep } from 'node:timers/promises';
import { endpointUrl } from '@roastery/testing/roastery-client';
import { percentile } from '@roastery/testing/bench';
import type { PageCall } from '@roastery/testing/large-roastery/page-calls';
import { timedGet, type TimedAnswer } from './timed-call.ts';

export interface CallTimes {
  readonly who: string;
  readonly call: PageCall;
  /** The first time it was called since the api started, ms. */
  readonly first: number;
  readonly p50: number;
  readonly p95: number;
  readonly bytes: number;
}

export interface Caller {
  readonly origin: string;
  readonly cookie: string;
}

/** The address of a call, its nth time. Lists' last pages need to know how many there are. */
export const addressOf = async ({ origin, cookie }: Caller, call: PageCall, nth: number): Promise<string> => {
  const params = call.params[nth % call.params.length] ?? {};
  if (!call.isLastPage) return endpointUrl(origin, call.endpoint, params, call.query);
  const { body } = await timedGet(endpointUrl(origin, call.endpoint, params, {}), cookie, { whole: true, plain: true });
  const answer = JSON.parse(body.toString()) as { total?: number } | unknown[];
  const total = Array.isArray(answer) ? answer.length : (answer.total ?? 0);
  return endpointUrl(origin, call.endpoint, params, { offset: String(Math.max(0, total - 10)) });
};

/** Until the api has noticed that a client closed a download, ms: that work belongs to no other call. */
const noticedWithinMs = 60;

/** Sends one call this many times. Files are closed at their first byte; everything else is read to its end. */
export const measureCall = async (who: string, caller: Caller, call: PageCall, times: number): Promise<CallTimes> => {
  const whole = call.endpoint.produces === undefined;
  const taken: number[] = [];
  let bytes = 0;
  const addresses = await Promise.all(
    Array.from({ length: Math.min(times, call.isLastPage ? 1 : call.params.length) }, (_, nth) =>
      addressOf(caller, call, nth),
    ),
  );
  for (let nth = 0; nth < times; nth++) {
    const address = addresses[nth % addresses.length] ?? '';
    const answer = await timedGet(address, caller.cookie, { whole });
    if (answer.status !== 200) throw new Error(`${call.what} for ${who} answered ${answer.status}: ${address}`);
    if (!whole) await sleep(noticedWithinMs);
    taken.push(answer.ms);
    bytes = Math.max(bytes, answer.bytes);
  }
  return { who, call, first: taken[0] ?? 0, p50: percentile(taken, 0.5), p95: percentile(taken, 0.95), bytes };
};

export interface FirstBytes {
  readonly call: PageCall;
  /** When the answer began to arrive and when it was complete, ms. */
  readonly firstByteP95: number;
  readonly wholeP95: number;
}

/** Sends one call this many times for a slow answer, each read to its end. */
export const measureFirstBytes = async (caller: Caller, call: PageCall, times: number): Promise<FirstBytes> => {
  const address = await addressOf(caller, call, 0);
  const answers: Pick<TimedAnswer, 'firstByteMs' | 'ms'>[] = [];
  for (let nth = 0; nth < times; nth++) {
    const { status, firstByteMs, ms } = await timedGet(address, caller.cookie, { whole: true });
    if (status !== 200) throw new Error(`${call.what} answered ${status}: ${address}`);
    answers.push({ firstByteMs, ms });
  }
  return {
    call,
    firstByteP95: percentile(
      answers.map(({ firstByteMs }) => firstByteMs),
      0.95,
    ),
    wholeP95: percentile(
      answers.map(({ ms }) => ms),
      0.95,
    ),
  };
};

/** One line per call, the slowest first. */
export const timesTable = (all: readonly CallTimes[], most: number): string =>
  [
    '   p95 ms   p50 ms    first       KB',
    ...[...all]
      .sort((a, b) => b.p95 - a.p95)
      .slice(0, most)
      .map(
        ({ who, call, first, p50, p95, bytes }) =>
          `${[p95, p50, first].map((ms) => ms.toFixed(1).padStart(9)).join('')}${(bytes / 1024).toFixed(1).padStart(9)}  ${call.what} (${who})`,
      ),
  ].join('\n');
