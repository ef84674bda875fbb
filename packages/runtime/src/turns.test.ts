import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nextTurn, serial } from './turns.ts';

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

it('serial: runs one task at a time in the order in which they are given, also after a failed one', async () => {
  const inTurn = serial();
  const done: string[] = [];
  const task = (name: string) => async (): Promise<string> => {
    done.push(`${name} begins`);
    await nextIteration();
    done.push(`${name} ends`);
    return name;
  };
  const failed = inTurn(() => Promise.reject(new Error('no disk')));
  const results = [inTurn(task('first')), inTurn(task('second'))];
  await expect(failed).rejects.toThrow('no disk');
  await inTurn.settled();
  expect(done).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect(await Promise.all(results)).toEqual(['first', 'second']);
});
