// Programs that only need the database: that of DATABASE_URL, or the one of DATA_DIR (default `data`), whether `npm
// start` runs or not.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CannotPrepare, prepare, ROOT } from './prepare.mjs';

const load = (...parts) => import(pathToFileURL(path.join(ROOT, ...parts)).href);

/**
 * Runs a command of the api's build and sets the exit code.
 * @param {string[]} module path of the command below `api/dist`
 * @param {(module: object, databaseUrl: string) => Promise<number>} work answers the exit code
 */
export async function withDatabase(module, work) {
  try {
    await prepare();
    const command = await load('api', 'dist', ...module);
    const { openDataDirDatabase } = await load('packages', 'stack', 'dist', 'data-dir-database.js');
    const given = process.env.DATABASE_URL;
    const database = given === undefined ? await openDataDirDatabase(process.env.DATA_DIR ?? 'data') : undefined;
    try {
      process.exitCode = await work(command, given ?? database.url);
    } finally {
      // Node 20 has no `await using`.
      await database?.[Symbol.asyncDispose]();
    }
  } catch (error) {
    console.error(error instanceof CannotPrepare || error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
