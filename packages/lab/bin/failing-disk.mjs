// Preloaded into a program (`node --import=file:///…/failing-disk.mjs?file=/tmp/fault&folder=/data/journal`), makes
// writes to the folder fail: the file contains `EIO`, `EROFS`, `ENOSPC` or nothing, and may be rewritten at any time.
// For tests only.
import fs, { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { searchParams } = new URL(import.meta.url);
const [file, folder] = [searchParams.get('file'), searchParams.get('folder')];
if (!file || !folder)
  throw new TypeError('say where the fault is described, and where it counts: ?file=/tmp/fault&folder=/data');

let fault = '';
let lookedAt = Number.NEGATIVE_INFINITY;
const faultNow = () => {
  if (performance.now() - lookedAt >= 50) {
    lookedAt = performance.now();
    fault = readFileSync(file, 'utf8').trim();
  }
  return fault;
};
const writing = new Set(['mkdir', 'writeFile', 'write', 'datasync', 'sync']);
/** A full disk refuses new files and more bytes, but still renames and deletes. */
const worksWhenFull = new Set(['rename', 'truncate', 'rm']);
const meet = (name, opensToWrite) => {
  const kind = faultNow();
  if (kind === '' || name === 'close') return;
  const writes = writing.has(name) || opensToWrite || (kind !== 'ENOSPC' && worksWhenFull.has(name));
  if (kind !== 'EIO' && !writes) return;
  throw Object.assign(new Error(`${kind}: made by the test, ${name}`), { code: kind });
};
const wrapHandle = (handle) =>
  new Proxy(handle, {
    get(of, key) {
      const value = Reflect.get(of, key, of);
      if (typeof value !== 'function') return value;
      return async (...given) => {
        meet(String(key), false);
        return await Reflect.apply(value, of, given);
      };
    },
  });
for (const name of ['mkdir', 'open', 'readFile', 'readdir', 'rename', 'rm', 'stat', 'truncate', 'writeFile']) {
  const real = fs.promises[name];
  fs.promises[name] = async (...given) => {
    const concerns = String(given[0]).startsWith(folder);
    if (concerns) meet(name, name === 'open' && given[1] !== 'r');
    const result = await Reflect.apply(real, fs.promises, given);
    return name === 'open' && concerns ? wrapHandle(result) : result;
  };
}
syncBuiltinESMExports();
