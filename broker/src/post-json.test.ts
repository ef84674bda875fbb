import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { portOf } from '@roastery/runtime/system-errors';
import { afterEach, describe, expect, it } from 'vitest';
import { createPoster } from './post-json.ts';

describe('createPoster', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  const open = async (listener: RequestListener, timeoutMs = 60_000) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, 'listening');
    const base = `http://127.0.0.1:${portOf(server)}/mqtt/`;
    return createPoster({ base, headers: { 'x-broker-secret': 's' }, timeoutMs, maxAtOnce: 2 });
  };

  it('reuses a connection, and returns status and text', async () => {
    const sockets = new Set<Socket>();
    const post = await open((request, response) => {
      sockets.add(request.socket);
      response.statusCode = 503;
      response.end(`${request.url} ${String(request.headers['x-broker-secret'])}`);
    });
    for (let n = 0; n < 3; n++) expect(await post('auth', '{}')).toEqual({ status: 503, text: '/mqtt/auth s' });
    expect(sockets.size).toBe(1);
  });

  it('repeats a request when a reused connection is closed at the same moment', async () => {
    const seen = new Set<Socket>();
    const post = await open((request, response) => {
      if (seen.has(request.socket)) request.socket.resetAndDestroy();
      else response.end('answered');
      seen.add(request.socket);
    });
    expect((await post('auth', '{}')).text).toBe('answered');
    expect((await post('auth', '{}')).text).toBe('answered');
    expect(seen.size).toBe(2);
  });

  it('leaves all persistent connections after a timeout of one, and repeats the request on a new one', async () => {
    const seen = new Set<Socket>();
    let hung = new Set<Socket>();
    const held: (() => void)[] = [];
    const post = await open(({ socket }, response) => {
      if (hung.has(socket)) return;
      seen.add(socket);
      held.push(() => response.end('answered'));
      // Two connections, since both requests wait.
      if (seen.size >= 2) for (const answer of held.splice(0)) answer();
    }, 300);
    await Promise.all([post('auth', '{}'), post('auth', '{}')]);
    hung = new Set(seen);
    expect((await post('auth', '{}')).text).toBe('answered');
    expect((await post('auth', '{}')).text).toBe('answered');
    expect(seen.size).toBe(3);
  });

  it('rejects without a code after a timeout, and with the system error code when there is no server', async () => {
    const post = await open(() => undefined, 300);
    await expect(post('auth', '{}')).rejects.not.toHaveProperty('code');
    for (const close of closing.splice(0)) close();
    await expect(post('auth', '{}')).rejects.toHaveProperty('code', 'ECONNREFUSED');
  });
});
