import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a page takes. One piece of bulk work waits no longer, where requests never cease. */
export const maxYieldMs = 50;

const pollMs = 1;

/**
 * Counts the requests that a person waits for. Bulk work (imports, uploads of many files) pauses between two statements while
 * there are any: otherwise it takes the event loop, the cores and Postgres from them, and the slowest pages get slower.
 * @param memory holds the count; a thread that was given it sees the requests of the others
 */
export const createOpenRequests = (memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) => {
  const open = new Int32Array(memory);
  return {
    memory,
    /** Counts a request until its answer is complete. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      Atomics.add(open, 0, 1);
      try {
        return await work();
      } finally {
        Atomics.sub(open, 0, 1);
      }
    },
    /**
     * The turns of one piece of bulk work: each resolves when no request is open. All of them together wait for `maxMs` at most:
     * where requests never cease, the work continues, and no lock that it holds keeps a request waiting for longer.
     */
    turns(maxMs: number): () => Promise<void> {
      let leftMs = maxMs;
      return async () => {
        while (leftMs > 0 && Atomics.load(open, 0) > 0) {
          const from = performance.now();
          // Not `Atomics.waitAsync`: it needs another event to wake this thread.
          await sleep(pollMs);
          leftMs -= performance.now() - from;
        }
      };
    },
  };
};
export type OpenRequests = ReturnType<typeof createOpenRequests>;
