import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Clock } from '@roastery/runtime/clock';
import { createLogger } from '@roastery/runtime/logger';
import { portOf } from '@roastery/runtime/system-errors';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { createApiAccess } from './api-access.ts';
import { waitUntil } from './testing/peers.ts';

/** An api that answers when the test says so; `asked` holds user names in the order of their requests. */
const startApi = async (clock?: Clock) => {
  const asked: string[] = [];
  const unanswered = new Map<string, ServerResponse>();
  const server = createServer((request, response) => {
    request.setEncoding('utf8');
    let text = '';
    request.on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const { username } = JSON.parse(text) as { username: string };
      asked.push(username);
      unanswered.set(username, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const access = createApiAccess({
    apiUrl: `http://127.0.0.1:${portOf(server)}`,
    brokerSecret: 'secret',
    log: createLogger('test', 'silent'),
    ...(clock && { clock }),
  });
  return {
    asked,
    ask: (username: string, isOpen = () => true) =>
      access.authenticate({ clientid: `board-${username}`, username, password: 'token' }, isOpen),
    answer(username: string): void {
      unanswered.get(username)?.end(JSON.stringify({ result: 'allow', is_superuser: false }));
    },
  };
};

const boards = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, n) => `B${from + n}`);

it('asks the api about 32 boards at a time, then about the one that waits longest, and about none that has left', async () => {
  const api = await startApi();
  const answers = boards(0, 32).map((board) => api.ask(board));
  await waitUntil(() => api.asked.length === 32);
  const queued = [api.ask('left', () => false).catch(String), ...boards(32, 36).map((board) => api.ask(board))];
  expect(api.asked.toSorted()).toEqual(boards(0, 32).toSorted());
  for (const board of ['B7', 'B3']) {
    api.answer(board);
    await answers[Number(board.slice(1))];
  }
  await waitUntil(() => api.asked.length === 34);
  expect(api.asked.slice(32)).toEqual(['B32', 'B33']);
  for (const board of boards(0, 34)) api.answer(board);
  await waitUntil(() => api.asked.length === 36);
  for (const board of boards(34, 36)) api.answer(board);
  expect(await Promise.all(queued)).toEqual([
    'ApiAwayError: the connection closed',
    ...boards(32, 36).map(() => ({ allow: true, superuser: false })),
  ]);
});

it('fails only the request whose answer is late, while others are answered', async () => {
  const clock = createVirtualClock();
  const api = await startApi(clock);
  const late = api.ask('late').catch(String);
  await waitUntil(() => api.asked.length === 1);
  // Until after the late one has failed.
  for (let n = 0; n < 8; n += 1) {
    const board = `B${n}`;
    const verdict = api.ask(board);
    await waitUntil(() => api.asked.includes(board));
    api.answer(board);
    expect(await verdict).toEqual({ allow: true, superuser: false });
    await clock.advance(500);
  }
  expect(await late).toBe('ApiAwayError: no answer in time');
  const next = api.ask('next');
  await waitUntil(() => api.asked.includes('next'));
  api.answer('next');
  expect(await next).toEqual({ allow: true, superuser: false });
});
