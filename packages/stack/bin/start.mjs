// `npm start`: makes this folder ready, then runs the whole roastery. Needs Node and nothing else.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { CannotPrepare, prepare, ROOT } from './prepare.mjs';

const parentPid = process.env.npm_lifecycle_event === undefined ? undefined : process.ppid;
try {
  await prepare();
} catch (error) {
  console.error(error instanceof CannotPrepare ? error.message : error);
  process.exit(1);
}
const { main } = await import(pathToFileURL(path.join(ROOT, 'packages', 'stack', 'dist', 'main.js')).href);
await main(parentPid);
