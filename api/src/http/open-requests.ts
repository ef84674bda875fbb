/** Longer than a page takes. One piece of bulk work waits no longer, where requests never cease. */
export const maxYieldMs = 50;

/**
 * Counts the requests that a person waits for. Bulk work (imports, uploads of many files) pauses between two statements while
 * there are any: otherwise it takes the event loop, the cores and Postgres from them, and the slowest pages get slower.
 */
export const createOpenRequests = () => {
  let open = 0;
  const waiting = new Set<() => void>();

  /** Resolves when no request is open, after `maxMs` at the latest. */
  const untilQuiet = (maxMs: number): Promise<void> =>
    new Promise((resolve) => {
      const resume = (): void => {
        clearTimeout(timer);
        waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, maxMs);
      waiting.add(resume);
    });

  return {
    /** Counts a request until its answer is complete. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      open += 1;
      try {
        return await work();
      } finally {
        open -= 1;
        if (open === 0) for (const resume of waiting) resume();
      }
    },
    /**
     * The turns of one piece of bulk work: each resolves when no request is open. All of them together wait for `maxMs` at most:
     * where requests never cease, the work continues, and no lock that it holds keeps a request waiting for longer.
     */
    turns(maxMs: number): () => Promise<void> {
      let leftMs = maxMs;
      return async () => {
        const from = performance.now();
        if (open === 0 || leftMs <= 0) return;
        await untilQuiet(leftMs);
        leftMs -= performance.now() - from;
      };
    },
  };
};
export type OpenRequests = ReturnType<typeof createOpenRequests>;
