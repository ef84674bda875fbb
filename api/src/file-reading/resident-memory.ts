import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'code' in error;

/** What the system says of a process's memory, as text with the kilobytes in it. */
const ask = async (pid: number): Promise<string | undefined> =>
  process.platform === 'linux'
    ? /^VmRSS:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    : (await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout;

/**
 * Resident memory of a process, bytes: its heap, its buffers and everything else. Undefined when the process is gone, and on
 * systems with neither /proc nor `ps`, where the deadline and the heap limit remain.
 */
export const residentBytes = async (pid: number): Promise<number | undefined> => {
  try {
    const kilobytes = Number(await ask(pid));
    return kilobytes > 0 ? kilobytes * 1024 : undefined;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
};
