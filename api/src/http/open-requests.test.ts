import { setImmediate as afterEvents } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createOpenRequests } from './open-requests.ts';

/** A request that stays open until it is answered. */
const openOne = (requests: ReturnType<typeof createOpenRequests>) => {
  const held: (() => void)[] = [];
  const answered = requests.during(() => new Promise<void>((resolve) => held.push(resolve)));
  return async () => {
    for (const answer of held) answer();
    await answered;
  };
};

it('open requests: a turn comes when the last request is answered', async () => {
  const requests = createOpenRequests();
  const [first, second] = [openOne(requests), openOne(requests)];
  let hasCome = false;
  const turn = requests
    .turns(60_000)()
    .then(() => (hasCome = true));
  await first();
  await afterEvents();
  expect(hasCome).toBe(false);
  await second();
  await turn;
  expect(hasCome).toBe(true);
});

it('open requests: a failed request ends too', async () => {
  const requests = createOpenRequests();
  await expect(requests.during(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  await requests.turns(60_000)();
});

it('open requests: all turns of one piece of work share its limit', async () => {
  const requests = createOpenRequests();
  const answer = openOne(requests);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turn = requests.turns(50);
  let statements = 0;
  const work = async (): Promise<void> => {
    for (; statements < 20; statements += 1) await turn();
  };
  const done = work();
  await vi.advanceTimersByTimeAsync(49);
  expect(statements).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(statements).toBe(20);
  await answer();
});
