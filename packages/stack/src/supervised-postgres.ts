import { createBackoff, pause } from '@roastery/runtime/backoff';
import { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.ts';
import type { SupervisedProcess } from './supervised-process.ts';

export interface SupervisedPostgres extends SupervisedProcess {
  url: string;
}

/**
 * Embedded Postgres that is restarted, on the same port, when its postmaster dies.
 * @param onRestart called when it has died and will be restarted
 */
export async function supervisePostgres(
  options: EmbeddedPostgresOptions,
  onRestart: (reason: string) => void,
): Promise<SupervisedPostgres> {
  let current: EmbeddedPostgres | undefined = await startEmbeddedPostgres(options);
  const { url, port } = current;
  const stopping = new AbortController();
  const backoff = createBackoff(100, 5_000);
  let restarts = 0;

  const startAgain = async () => {
    while (!stopping.signal.aborted) {
      try {
        // Account and folder were logged at the first start.
        const log = { info: options.log.debug, debug: options.log.debug };
        current = await startEmbeddedPostgres({ ...options, port, log });
        backoff.reset();
        return;
      } catch (error) {
        onRestart(error instanceof Error ? error.message : String(error));
        await pause(backoff.nextMs(), stopping.signal);
      }
    }
  };
  const watch = async () => {
    while (current !== undefined) {
      await current.exited;
      current = undefined;
      if (stopping.signal.aborted) return;
      restarts += 1;
      onRestart('the postmaster ended');
      await startAgain();
    }
  };
  const watched = watch();

  return {
    name: 'postgres',
    url,
    get pid() {
      return current?.pid;
    },
    get restarts() {
      return restarts;
    },
    kill: (signal) => {
      if (current !== undefined) process.kill(current.pid, signal);
    },
    send: () => {
      throw new Error('Postgres accepts no input');
    },
    restart: async () => {
      const before = current;
      if (before !== undefined) process.kill(before.pid, 'SIGINT');
      await before?.exited;
    },
    stop: async (graceMs) => {
      stopping.abort();
      await current?.close(graceMs);
      await watched;
      // A start that was in progress when `stop` was called.
      await current?.close(graceMs);
    },
  };
}
