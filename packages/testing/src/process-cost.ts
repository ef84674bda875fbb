import { readFile } from 'node:fs/promises';

/** Linux counts the time of processes in hundredths of a second, regardless of its tick rate. */
const ticksPerSecond = 100;

/** CPU time of a process so far, user and system, in seconds. */
export const cpuSeconds = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // "pid (name) state …": the name may hold spaces and brackets. The 14th and 15th fields are utime and stime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

/** Resident memory of a process, MB (10⁶ bytes): now, and at most since it began. */
export const residentMegabytes = async (pid: number): Promise<{ now: number; most: number }> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  return { now: field('VmRSS'), most: field('VmHWM') };
};

/** Memory of processes, MB (10⁶ bytes); pages that several share are divided among them. Ended processes count as 0. */
export const sharedOutMegabytes = async (pids: readonly number[]): Promise<number> => {
  const sizes = pids.map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  });
  return (await Promise.all(sizes)).reduce((all, bytes) => all + bytes, 0) / 1e6;
};
