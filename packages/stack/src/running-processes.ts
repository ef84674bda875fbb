import { readdir, readFile, readlink } from 'node:fs/promises';
import { codeOf } from './private-file.ts';

/** A process of this machine; its start time distinguishes it from a later one with the same id. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot (field 22 of /proc/<pid>/stat); 0 where there is no /proc. */
  startedAt: number;
}

/** The identity of a running process, or `undefined` when it is gone (a zombie is gone). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform !== 'linux') return isAlive(pid) ? { pid, startedAt: 0 } : undefined;
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(gone);
  if (line === undefined) return undefined;
  // "pid (name) state ppid …": the name may hold spaces and brackets, so parse after its last bracket.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : { pid, startedAt: Number(fields[19]) };
}

/** Whether that process still runs. */
export async function stillRuns(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startedAt === identity.startedAt;
}

/**
 * Ids of the processes whose working directory is in `folder`: of our own processes, or for root of all. Empty without /proc.
 */
export async function processesWorkingIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => ((await readlink(`/proc/${pid}/cwd`).catch(gone)) === folder ? Number(pid) : undefined)),
  );
  return found.flatMap((pid) => (pid === undefined || pid === process.pid ? [] : [pid]));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Errors of a process that has just ended or belongs to another user; it is skipped. */
function gone(error: NodeJS.ErrnoException): undefined {
  if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code ?? '')) return undefined;
  throw error;
}
