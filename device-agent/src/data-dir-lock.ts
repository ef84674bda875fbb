import { createHash } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError } from '@roastery/runtime/env';
import type { Logger } from '@roastery/runtime/logger';
import { isMissing, readFileIfThere } from './atomic-file.ts';

/** Without /proc: identifies the boot by its time, s. A lock from an earlier boot has no process any more. */
const bootTag = (): string => `boot:${Math.round(Date.now() / 1000 - uptime())}`;
/** The wall clock may have been set by this much since, s. */
const bootTolerance = 60;
const isSameStart = (held: string, now: string | undefined): boolean => {
  if (!held.startsWith('boot:') || now?.startsWith('boot:') !== true) return held === now;
  return Math.abs(Number(held.slice(5)) - Number(now.slice(5))) <= bootTolerance;
};

/** Start time of a process in clock ticks since boot: distinguishes a process from a later one with its number. */
const startTimeOf = async (pid: number): Promise<string | undefined> => {
  if (process.platform !== 'linux') return bootTag();
  const stat = await readFileIfThere(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may hold anything; field 22 is the start time.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
};

/** Ticks of `/proc` per second, the same on every Linux. */
const ticksPerSecond = 100;

/** How long a process has been running, ms; undefined when it is gone. */
export const runningForMs = async (pid: number): Promise<number | undefined> => {
  const started = await startTimeOf(pid);
  return started === undefined || started.startsWith('boot:')
    ? undefined
    : Math.max(0, uptime() - Number(started) / ticksPerSecond) * 1000;
};

const isAlive = async (holder: string): Promise<boolean> => {
  const [pid, startTime] = holder.trim().split(' ');
  const number = Number(pid);
  if (!Number.isInteger(number) || number <= 0) return false;
  try {
    process.kill(number, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
  }
  return startTime === undefined || startTime === '-' || isSameStart(startTime, await startTimeOf(number));
};

/** Process id of the agent that uses this data folder, undefined when none does. */
export const agentOn = async (dataDir: string): Promise<number | undefined> => {
  const holder = await readFileIfThere(join(dataDir, 'agent.lock'));
  return holder !== undefined && (await isAlive(holder)) ? Number(holder.trim().split(' ')[0]) : undefined;
};

const linkIfFree = async (from: string, to: string): Promise<boolean> => {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
};

/**
 * A disk that refuses writes, or refuses this user, does not stop recording: the lock is then in the temporary folder.
 */
const diskTrouble: readonly (string | undefined)[] = ['EROFS', 'ENOSPC', 'EDQUOT', 'EIO', 'EACCES', 'EPERM'];
const elsewhere = (dataDir: string): string =>
  join(tmpdir(), `roastery-agent-${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16)}`);

/**
 * Makes this process the only agent on a data folder; two would interleave their sequence numbers. The lock of a killed
 * process is replaced. Throws `ConfigError` while another agent runs. Returns a function that releases it.
 */
export const lockDataDir = async (dataDir: string, log?: Logger): Promise<() => Promise<void>> => {
  const inTheWay = await agentOn(dataDir).catch(() => undefined);
  if (inTheWay !== undefined) throw anotherAgent(inTheWay, dataDir);
  try {
    return await lockIn(dataDir, dataDir);
  } catch (error) {
    if (!diskTrouble.includes(codeOf(error))) throw asConfigError(error, dataDir);
    log?.error({ reason: String(error) }, 'lock: data folder not writable, locked elsewhere');
  }
  try {
    return await lockIn(elsewhere(dataDir), dataDir);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    log?.error({ reason: String(error) }, 'lock: unavailable');
    return () => Promise.resolve();
  }
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
const anotherAgent = (holder: string | number | undefined, dataDir: string): ConfigError =>
  new ConfigError(`another agent (process ${holder}) uses DATA_DIR ${dataDir}`);
const asConfigError = (error: unknown, dataDir: string): ConfigError => {
  if (error instanceof ConfigError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(`DATA_DIR ${dataDir} is not writable: ${reason}`);
};

const lockIn = async (folder: string, dataDir: string): Promise<() => Promise<void>> => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'agent.lock');
  const mine = join(folder, `agent.lock.${process.pid}`);
  const aside = `${mine}.stale`;
  try {
    await writeFile(mine, `${process.pid} ${(await startTimeOf(process.pid)) ?? '-'}\n`);
    for (;;) {
      if (await linkIfFree(mine, path)) return () => rm(path, { force: true });
      const holder = await readFileIfThere(path);
      if (holder === undefined) continue;
      if (await isAlive(holder)) throw anotherAgent(holder.trim().split(' ')[0], dataDir);
      await takeAside(path, aside, holder);
    }
  } finally {
    for (const own of [mine, aside]) await rm(own, { force: true }).catch(() => undefined);
  }
};

/** Moves a stale lock away; one that another process has renewed is moved back. */
const takeAside = async (path: string, aside: string, dead: string): Promise<void> => {
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== dead) await linkIfFree(aside, path);
};
