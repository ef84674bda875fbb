// `npm run quarantine -- list|replay`: journal messages that were refused, in the database of DATABASE_URL, or in the one of
// DATA_DIR (default `data`) whether `npm start` runs or not.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CannotPrepare, prepare, ROOT } from './prepare.mjs';

const load = (...parts) => import(pathToFileURL(path.join(ROOT, ...parts)).href);

try {
  await prepare();
  const { runQuarantineCommand } = await load('api', 'dist', 'ingest', 'quarantine-command.js');
  const { openDataDirDatabase } = await load('packages', 'stack', 'dist', 'data-dir-database.js');
  const given = process.env.DATABASE_URL;
  const database = given === undefined ? await openDataDirDatabase(process.env.DATA_DIR ?? 'data') : undefined;
  try {
    const url = given ?? database.url;
    process.exitCode = await runQuarantineCommand(process.argv.slice(2), url, (line) => console.log(line));
  } finally {
    // Node 20 has no `await using`.
    await database?.[Symbol.asyncDispose]();
  }
} catch (error) {
  console.error(error instanceof CannotPrepare || error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
