import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nextTurn } from './turns.ts';

it('turns: an iteration of the event loop has one, however many wait', async () => {
  let iterations = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; iterations++) await nextIteration();
  })();
  await Promise.all(Array.from({ length: 20 }, () => nextTurn()));
  isOver = true;
  await counting;
  expect(iterations).toBeGreaterThanOrEqual(19);
});
