import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@roastery/runtime/env';
import { isMissing, readFileIfThere } from './atomic-file.ts';

/** Start time of a process in clock ticks since boot: tells a process from a later one with its number. */
const startTimeOf = async (pid: number): Promise<string | undefined> => {
  const stat = await readFileIfThere(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may hold anything; field 22 is the start time.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
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
  return startTime === undefined || startTime === '-' || (await startTimeOf(number)) === startTime;
};

/** Process id of the agent that works on this data folder, undefined when none does. */
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
 * Makes this process the only agent on a data folder; two would interleave their sequence numbers. A lock that a killed
 * process left is taken over. Throws `ConfigError` while another agent lives. Returns how to release it.
 */
export const lockDataDir = async (dataDir: string): Promise<() => Promise<void>> => {
  try {
    await mkdir(dataDir, { recursive: true });
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR ${dataDir} can't be made: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const path = join(dataDir, 'agent.lock');
  const mine = join(dataDir, `agent.lock.${process.pid}`);
  const aside = `${mine}.stale`;
  try {
    await writeFile(mine, `${process.pid} ${(await startTimeOf(process.pid)) ?? '-'}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`DATA_DIR ${dataDir} is not writable: ${reason}`);
  }
  try {
    for (;;) {
      if (await linkIfFree(mine, path)) return () => rm(path, { force: true });
      const holder = await readFileIfThere(path);
      if (holder === undefined) continue;
      if (await isAlive(holder)) {
        throw new ConfigError(`another agent (process ${holder.trim().split(' ')[0]}) works on DATA_DIR ${dataDir}`);
      }
      await takeAside(path, aside, holder);
    }
  } finally {
    await rm(mine, { force: true });
    await rm(aside, { force: true });
  }
};

/** Moves a dead lock away; one that somebody else has renewed in the meantime goes back. */
const takeAside = async (path: string, aside: string, dead: string): Promise<void> => {
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== dead) await linkIfFree(aside, path);
};
