// Preloaded into a program (`node --import=file:///…/hurried-clock.mjs?factor=8`), makes every clock and timer of the
// process run faster by this factor. With a simulator at the same factor, an agent runs through a recorded roast,
// including sampling and detection, in a fraction of the time. For tests only.
const factor = Number(new URL(import.meta.url).searchParams.get('factor'));
if (!(factor >= 1)) throw new RangeError('say how many times as fast: ?factor=8');

const bigint = process.hrtime.bigint.bind(process.hrtime);
// Counted from the boot, not from the start of this process: two processes of one board must agree.
process.hrtime.bigint = () => (bigint() * BigInt(Math.round(factor * 1000))) / 1000n;

const now = performance.now.bind(performance);
performance.now = () => now() * factor;

const wallNow = Date.now;
const startedAt = wallNow();
Date.now = () => Math.round(startedAt + (wallNow() - startedAt) * factor);

for (const name of ['setTimeout', 'setInterval']) {
  const original = globalThis[name];
  const hurried = (callback, ms = 0, ...rest) => original(callback, ms / factor, ...rest);
  globalThis[name] = Object.assign(hurried, original);
}
