import { realClock, type Clock } from './clock.ts';

/** Delays between two attempts, ms. */
export interface BackoffLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/** How an attempt failed, or how a connection ended. */
export interface Failure {
  /** How long the connection lasted, ms; absent where there was none. */
  readonly lastedMs?: number;
  /** The delay in the server's `Retry-After`, ms. */
  readonly retryAfterMs?: number | undefined;
}

/** A connection that ended sooner counts as a failure: it does not reset the delays. */
export const steadyMs = 30_000;
/** The longest wait for a server that requests more. */
const maxRetryAfterMs = 600_000;

/** Reads a `Retry-After` header: seconds, or a date. Undefined where it is neither. */
export const parseRetryAfter = (header: string | undefined, now: number = Date.now()): number | undefined => {
  if (header === undefined || header.trim() === '') return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
};

/**
 * Delays that double from `minMs` to `maxMs`, each drawn between half and the whole, so that many clients do not retry
 * at the same time. They start again after a connection that lasted `steadyMs`, and after `reset()`. A `Retry-After` is
 * a lower bound.
 */
export const createBackoff = (minMs: number, maxMs: number, random: () => number = Math.random) => {
  let next = minMs;
  return {
    nextMs({ lastedMs = 0, retryAfterMs = 0 }: Failure = {}): number {
      if (lastedMs >= steadyMs) next = minMs;
      const delay = next * (0.5 + random() / 2);
      next = Math.min(maxMs, next * 2);
      const asked = Math.min(retryAfterMs, maxRetryAfterMs) * (1 + random() / 10);
      return Math.round(Math.max(delay, asked));
    },
    reset(): void {
      next = minMs;
    },
  };
};
export type Backoff = ReturnType<typeof createBackoff>;

/** Resolves after `ms`, or immediately (without throwing) when the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal, clock: Clock = realClock): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });

export interface RetryOptions {
  readonly limits: BackoffLimits;
  readonly signal?: AbortSignal;
  /** Without it, attempts continue until the signal aborts. */
  readonly maxTries?: number;
  /** Called before each pause. */
  readonly pausing?: (ms: number) => void;
  readonly random?: () => number;
  readonly clock?: Clock;
}

/** A failed attempt; `limits` where this kind of failure has delays of its own. */
export type FailedAttempt = Failure & { readonly limits?: BackoffLimits };

/**
 * Calls `attempt` until it returns `done`, the signal aborts or `maxTries` have failed; undefined in the last two
 * cases. Pauses follow `createBackoff`, with separate delays for each kind of failure. A connection that lasted resets
 * all of them.
 */
export const withBackoff = async <T>(
  attempt: () => Promise<{ readonly done: T } | FailedAttempt>,
  { limits: usual, signal, maxTries = Infinity, pausing, random, clock = realClock }: RetryOptions,
): Promise<T | undefined> => {
  const backoffs = new Map<BackoffLimits, Backoff>();
  const isStopped = (): boolean => signal?.aborted === true;
  for (let tries = 1; !isStopped(); tries++) {
    const ended = await attempt();
    if ('done' in ended) return ended.done;
    if (tries >= maxTries || isStopped()) return undefined;
    const { limits = usual, lastedMs = 0 } = ended;
    if (lastedMs >= steadyMs) for (const backoff of backoffs.values()) backoff.reset();
    const backoff = backoffs.get(limits) ?? createBackoff(limits.minMs, limits.maxMs, random);
    backoffs.set(limits, backoff);
    const delayMs = backoff.nextMs(ended);
    pausing?.(delayMs);
    await pause(delayMs, signal, clock);
  }
  return undefined;
};
