import path from 'node:path';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { readIfPresent } from './private-file.ts';

/** Of `postmaster.pid`: process id, data directory, start time, port. */
const portLine = 3;

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
};

/**
 * The database of a data folder of `npm start`: of the running Postgres, else of one that runs until it is disposed.
 */
export const openDataDirDatabase = async (dataDir: string): Promise<{ url: string } & AsyncDisposable> => {
  const home = path.join(dataDir, 'postgres');
  const password = await readIfPresent(path.join(home, 'superuser-password'));
  if (password === undefined) throw new Error(`There is no database in ${dataDir}. Choose its folder with DATA_DIR=…`);
  const lock = (await readIfPresent(path.join(home, 'cluster', 'postmaster.pid')))?.split('\n');
  const port = Number(lock?.[portLine]);
  if (lock !== undefined && Number.isInteger(port) && isRunning(Number(lock[0]))) {
    const url = `postgres://postgres:${encodeURIComponent(password.trim())}@127.0.0.1:${port}/roastery`;
    return { url, [Symbol.asyncDispose]: async () => undefined };
  }
  const quiet = { info: () => undefined, debug: () => undefined };
  return startEmbeddedPostgres({ dataDir, log: quiet });
};
