import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** Give up after this many milliseconds (default 30,000). */
  timeoutMs?: number;
  /** Retry after this many milliseconds (default 50), or after a tenth of the time waited so far if that is longer. */
  everyMs?: number;
}

/** A wait of half a minute asks the servers a hundred times, not a thousand. */
const longestPauseMs = 400;

/**
 * Calls `probe` until it returns something other than `undefined`, `null` or `false`, and returns that.
 * @param awaited the awaited condition, in words: it is in the error when the time is up, with the last failure
 */
export async function until<T>(
  awaited: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 50 }: WaitOptions = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const began = Date.now();
  const deadline = began + timeoutMs;
  let lastFailure: unknown;
  do {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== null && answer !== false) return answer as NonNullable<Exclude<T, false>>;
      lastFailure = undefined;
    } catch (error) {
      lastFailure = error;
    }
    await sleep(Math.max(everyMs, Math.min((Date.now() - began) / 10, longestPauseMs)));
  } while (Date.now() < deadline);
  const because = lastFailure instanceof Error ? `: ${lastFailure.message}` : '';
  throw new Error(`Waited ${timeoutMs} ms in vain for ${awaited}${because}`, { cause: lastFailure });
}

/** Waits until a GET answers 2xx, and returns the response. */
export function untilHttpOk(url: string, options: WaitOptions = {}): Promise<Response> {
  return until(
    `${url} to answer 2xx`,
    async () => {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      if (response.ok) return response;
      await response.body?.cancel();
      throw new Error(`answered ${response.status}`);
    },
    options,
  );
}

/** Waits until something accepts TCP connections at the port. */
export function untilListening(port: number, host = '127.0.0.1', options: WaitOptions = {}): Promise<true> {
  return until(`port ${port} to listen`, () => accepts(port, host), options);
}

/** Waits until the port is free again. */
export async function untilPortFree(port: number, host = '127.0.0.1', options: WaitOptions = {}): Promise<void> {
  await until(`port ${port} to be free`, () => canListen(port, host), options);
}

/** Waits until no process has this id (a zombie counts as gone). */
export async function untilProcessGone(pid: number, options: WaitOptions = {}): Promise<void> {
  await until(`process ${pid} to be gone`, async () => !(await processAlive(pid)), options);
}

async function processAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // "pid (name) state …"; the name may itself hold brackets and spaces.
  return status.slice(status.lastIndexOf(')') + 2, status.lastIndexOf(')') + 3) !== 'Z';
}

function accepts(port: number, host: string): Promise<true> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', reject);
  });
}

function canListen(port: number, host: string): Promise<true> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });
}
