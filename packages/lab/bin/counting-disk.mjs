// Preloaded into a program (`node --import=file:///…/counting-disk.mjs`), prints once a second how much the program has
// used its disk so far: `disk {"atMs":…,"syncs":…,"bytes":…}`. `syncs` counts fsync and fdatasync, `bytes` is what the
// kernel writes for the program. For tests only.
import fs, { readFileSync } from 'node:fs';

let syncs = 0;
const handle = await fs.promises.open('/dev/null');
const prototype = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ['sync', 'datasync']) {
  const real = prototype[name];
  prototype[name] = function counted(...given) {
    syncs += 1;
    return Reflect.apply(real, this, given);
  };
}
const written = () => {
  const io = readFileSync('/proc/self/io', 'utf8');
  const of = (name) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1]);
  return of('write_bytes') - of('cancelled_write_bytes');
};
setInterval(() => {
  console.log(`disk ${JSON.stringify({ atMs: performance.now(), syncs, bytes: written() })}`);
}, 1000).unref();
