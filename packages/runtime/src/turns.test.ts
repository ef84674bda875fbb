import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nextTurn } from './turns.ts';

it('turns: one per iteration of the event loop, however many wait', async () => {
  let iterations = 0;
  const over = new AbortController();
  const counting = (async () => {
    for (; !over.signal.aborted; iterations++) await nextIteration();
  })();
  await Promise.all(Array.from({ length: 20 }, () => nextTurn()));
  over.abort();
  await counting;
  expect(iterations).toBeGreaterThanOrEqual(19);
});
