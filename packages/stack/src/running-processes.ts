import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process of this machine, told apart from a later one that got the same id by the time it started. */
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
  // "pid (name) state ppid …": the name may hold spaces and brackets, so count from its last bracket.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : { pid, startedAt: Number(fields[19]) };
}

/** Whether that very process still runs. */
export async function stillRuns(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startedAt === identity.startedAt;
}

/**
 * Ids of the processes that work in `folder`. Only those we may look at: our own, or everybody's for root. Empty where
 * there is no /proc.
 */
export async function processesWorkingIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => ((await readlink(`/proc/${pid}/cwd`).catch(gone)) === folder ? Number(pid) : undefined)),
  );
  return found.filter((pid) => pid !== undefined && pid !== process.pid) as number[];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Looking at a process that ends meanwhile, or at somebody else's, answers nothing. */
function gone(error: NodeJS.ErrnoException): undefined {
  if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code ?? '')) return undefined;
  throw error;
}
