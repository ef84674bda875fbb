import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { lowerPriority } from '@roastery/runtime/turns';
import { readerSocketAt } from './file-job.ts';
import type { LauncherOrder, LauncherReport } from './reader-launcher.ts';

/**
 * The launcher: a small process that starts and ends the readers. Starting a process copies the page tables of its
 * parent and waits for the copy: 40-250 ms of the api's event loop on a busy server. And a reader in an endless loop
 * can't detect that the api has ended; the launcher does.
 */

const maxStderrLength = 2000;

/** A reader fills about 50 MB in this time. */
const watchEveryMs = 50;

interface Reader {
  readonly child: ChildProcess;
  readonly maxResidentBytes: number;
  isTooLarge: boolean;
}
const readers = new Map<number, Reader>();

const report = (message: LauncherReport, socket?: Socket): void => {
  if (!process.connected) return;
  // A report that can't be sent means that the api is gone: `disconnect` follows.
  process.send?.(message, socket, undefined, () => undefined);
};

const watchMemory = async (): Promise<void> => {
  for (const reader of readers.values()) {
    const bytes = await residentBytes(reader.child.pid ?? 0);
    if (bytes === undefined || bytes <= reader.maxResidentBytes) continue;
    reader.isTooLarge = true;
    reader.child.kill('SIGKILL');
  }
};

const start = ({ id, program, nodeArgs, maxResidentBytes }: Extract<LauncherOrder, { kind: 'start' }>): void => {
  const child = spawn(process.execPath, [...nodeArgs, program], {
    // A file must have the same meaning in every time zone of a server.
    env: { TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // Linux with autogroups divides the cores among sessions first, and niceness counts within one: so a reader has a session of its
    // own, as Postgres has, and enough of a busy computer to meet its deadline.
    detached: true,
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  const reader: Reader = { child, maxResidentBytes, isTooLarge: false };
  readers.set(id, reader);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-maxStderrLength);
  });
  const ended = (isStarted: boolean): void => {
    if (!readers.delete(id)) return;
    // V8 aborts a process whose heap is full.
    const isTooLarge = reader.isTooLarge || child.signalCode === 'SIGABRT';
    report({ kind: 'ended', id, isStarted, isTooLarge, stderr });
  };
  child.once('exit', () => ended(true));
  child.once('error', (error) => {
    stderr = error.message;
    ended(child.pid !== undefined);
  });
  const socket = child.stdio[readerSocketAt];
  if (child.pid !== undefined && socket instanceof Socket) report({ kind: 'started', id, pid: child.pid }, socket);
};

const endAll = (): void => {
  for (const { child } of readers.values()) child.kill('SIGKILL');
  process.exit(0);
};

/**
 * An api that is killed while it passes a reader's socket can leave the channel closed without a `disconnect`: then
 * only another parent process shows that it is gone.
 */
const apiPid = process.ppid;
const watch = (): void => {
  if (!process.connected || process.ppid !== apiPid) endAll();
  void watchMemory();
};
setInterval(watch, watchEveryMs).unref();
// A signal for the whole group of processes stops the api; the launcher ends with it.
process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);
process.on('disconnect', endAll);
process.on('message', (message) => {
  const order = message as LauncherOrder;
  if (order.kind === 'start') start(order);
  else readers.get(order.id)?.child.kill('SIGKILL');
});

const run = promisify(execFile);
const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'code' in error;

/**
 * The system's text about a process's memory, with the kilobytes in it. /proc answers at once: a request to another thread
 * costs ten times as much.
 */
const ask = async (pid: number): Promise<string | undefined> =>
  process.platform === 'linux'
    ? /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
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
