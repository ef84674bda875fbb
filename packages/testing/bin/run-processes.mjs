// The processes and the temporary folder of one run of tests: what they cost, and their end.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts the time of processes in hundredths of a second, regardless of its tick rate. */
const TICKS_PER_SECOND = 100;
/** How often processes are noted; a cgroup knows those that are missed in between. */
const lookEveryMs = { inCgroup: 5000, without: 500 };
/** Programs may end properly until then. */
const graceMs = 5000;
const killedWithinMs = 30_000;
/** Where tests keep Postgres in memory; see `memoryFolder` of src/shared-data.ts. */
const MEMORY = '/dev/shm';

const readIfThere = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(error.code)) return '';
    throw error;
  }
};

/** All processes by their id: parent, start (an id may be used again), and CPU time with that of their ended children. */
function readProcesses() {
  const found = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = readIfThere(`/proc/${pid}/stat`);
    // "pid (name) state ppid …": the name may hold spaces and brackets.
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (stat === '' || state === 'Z') continue;
    const ticks = rest.slice(9, 13).reduce((sum, each) => sum + Number(each), 0);
    found.set(Number(pid), { parent: Number(parent), startedAt: rest[17], cpuSeconds: ticks / TICKS_PER_SECOND });
  }
  return found;
}

/**
 * The processes below this one, also those whose parent ended, and their CPU time. Where cgroups are writable (version 1
 * or 2) both are read from a cgroup of their own and complete. Elsewhere they are read from /proc twice a second, and a
 * process is missed that outlives its parent and was not seen before.
 * @param {{ inCgroup?: boolean }} [options]
 */
export function openRunProcesses({ inCgroup = true } = {}) {
  const group = inCgroup ? openCgroup() : undefined;
  const known = new Map();
  const look = () => {
    if (process.platform !== 'linux') return [];
    const all = readProcesses();
    const isOurs = (pid) => pid === process.pid || (known.has(pid) && known.get(pid) === all.get(pid)?.startedAt);
    for (const pid of group?.pids() ?? []) if (all.has(pid)) known.set(pid, all.get(pid).startedAt);
    let isGrowing = true;
    while (isGrowing) {
      isGrowing = false;
      for (const [pid, { parent, startedAt }] of all) {
        if (isOurs(pid) || !isOurs(parent)) continue;
        known.set(pid, startedAt);
        isGrowing = true;
      }
    }
    return [...all].filter(([pid]) => pid !== process.pid && isOurs(pid)).map(([pid, one]) => ({ pid, ...one }));
  };
  const timer = setInterval(look, group === undefined ? lookEveryMs.without : lookEveryMs.inCgroup).unref();
  return {
    /** Those that run now, without this one. */
    look,
    /** Whether a process of this id was among them. */
    had: (pid) => known.has(pid),
    how: group?.usage.how ?? '/proc',
    /** Where the CPU time can be read by another process; undefined without a cgroup. */
    usage: group?.usage,
    cpuSeconds: () =>
      group === undefined ? look().reduce((sum, one) => sum + one.cpuSeconds, ownCpuSeconds()) : readUsage(group.usage),
    close: async () => {
      clearInterval(timer);
      await group?.close();
    },
  };
}

/** With that of children that ended. */
const ownCpuSeconds = () =>
  process.platform === 'linux' ? readProcesses().get(process.pid).cpuSeconds : process.cpuUsage().user / 1e6;

/** Sends a signal to processes that may have ended, or belong to another user. */
export function send(signal, targets) {
  for (const { pid } of targets) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error;
    }
  }
}

/** Ends all as Ctrl-C in a terminal does, and kills those that stay, until none is left. */
export async function endProcesses(processes) {
  send('SIGINT', processes.look());
  const beganAt = performance.now();
  for (;;) {
    const left = processes.look();
    const waitedMs = performance.now() - beganAt;
    if (left.length === 0) return;
    if (waitedMs > killedWithinMs) {
      console.error(`can't be ended: ${left.map(commandOf).join(', ')}`);
      return;
    }
    // A stopped process acts on no other signal.
    send(waitedMs > graceMs ? 'SIGKILL' : 'SIGCONT', left);
    await sleep(50);
  }
}

/** What a process is, for a person. */
export const commandOf = ({ pid }) => readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

/** A temporary folder for everything below this process, short because paths of sockets are. */
export function openRunFolder() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'roastery-'));
  // As the folder above: Postgres runs under another account.
  chmodSync(folder, 0o1777);
  return folder;
}

/** Removes the folder, and what processes of the run left in memory. */
export function removeRunFolder(folder, processes) {
  if (readIfThere('/proc/self/mounts').includes(` ${folder}/`)) {
    console.error(`${folder} is kept: something is mounted in it`);
    return;
  }
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    console.error(`${folder} is kept: ${error.message}`);
  }
  const inMemory = existsSync(MEMORY) ? readdirSync(MEMORY) : [];
  for (const name of inMemory) {
    const [, pid] = /^roastery-test-postgres-(\d+)-/.exec(name) ?? [];
    if (processes.had(Number(pid))) rmSync(path.join(MEMORY, name), { recursive: true, force: true });
  }
}

/** CPU seconds of a cgroup. */
export const readUsage = ({ file, perSecond }) => Number(/\d+/.exec(readFileSync(file, 'utf8'))?.[0]) / perSecond;

/** Moves this process into a cgroup of its own; undefined where it may not. */
function openCgroup() {
  for (const { how, parent, file, perSecond } of cgroupsHere()) {
    const folder = path.join(parent, `roastery-test-${process.pid}`);
    try {
      mkdirSync(folder);
      writeFileSync(path.join(folder, 'cgroup.procs'), String(process.pid));
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EBUSY', 'EOPNOTSUPP'].includes(error.code)) throw error;
      continue;
    }
    return {
      usage: { how, file: path.join(folder, file), perSecond },
      pids: () => readFileSync(path.join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number),
      close: async () => {
        writeFileSync(path.join(parent, 'cgroup.procs'), String(process.pid));
        // An ended process is in it until its parent has read its exit code.
        for (let attempt = 0; attempt < 20; attempt++) {
          try {
            rmdirSync(folder);
            return;
          } catch (error) {
            if (error.code !== 'EBUSY') throw error;
            await sleep(50);
          }
        }
        console.error(`${folder} is kept: a process in it has not ended`);
      },
    };
  }
  return undefined;
}

const cgroupsHere = () => {
  const own = readIfThere('/proc/self/cgroup');
  const [, first] = /^\d+:[^:]*\bcpuacct\b[^:]*:(.*)$/m.exec(own) ?? [];
  const [, second] = /^0::(.*)$/m.exec(own) ?? [];
  return [
    { how: 'cgroup v1', place: first, below: '/sys/fs/cgroup/cpuacct', file: 'cpuacct.usage', perSecond: 1e9 },
    // Its first line is "usage_usec N".
    { how: 'cgroup v2', place: second, below: '/sys/fs/cgroup', file: 'cpu.stat', perSecond: 1e6 },
  ].flatMap(({ place, below, ...rest }) => (place === undefined ? [] : [{ parent: path.join(below, place), ...rest }]));
};
