// Preloaded into a program (`node --import=file:///…/jumping-clock.mjs?file=/tmp/offset`), shifts its wall clock: the
// file contains the offset in milliseconds and may be rewritten at any time. The monotonic clock is not changed. For
// tests only.
import { readFileSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('file');
if (!file) throw new TypeError('say where the offset is: ?file=/tmp/offset');

const now = Date.now;
let offset = 0;
let lookedAt = 0;
Date.now = () => {
  const real = now();
  if (real - lookedAt >= 100) {
    lookedAt = real;
    offset = Number(readFileSync(file, 'utf8'));
  }
  return real + offset;
};
