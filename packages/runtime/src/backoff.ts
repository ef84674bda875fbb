/**
 * Delays that double from `minMs` to `maxMs`, each drawn between half and the whole, so that many boards do not come
 * back in step. `reset()` after a success.
 */
export const createBackoff = (minMs: number, maxMs: number, random: () => number = Math.random) => {
  let next = minMs;
  return {
    nextMs(): number {
      const delay = next * (0.5 + random() / 2);
      next = Math.min(maxMs, next * 2);
      return Math.round(delay);
    },
    reset(): void {
      next = minMs;
    },
  };
};
export type Backoff = ReturnType<typeof createBackoff>;

/** Resolves after `ms`, or at once (without throwing) when the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
