import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { login } from '@roastery/contract/auth';
import { listMachines, registerMachine, updateMachine } from '@roastery/contract/machines';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { addressOf, beginSession, call, onSignedOut } from './call.ts';
import { reachability } from './reachability.ts';

interface Received {
  method: string | undefined;
  url: string | undefined;
  type: string | undefined;
  body: string;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

let server: Server;
let received: Received[];
let answer: { status: number; body: string; headers?: Record<string, string> };

beforeEach(async () => {
  received = [];
  server = createServer((request, response) => {
    void (async () => {
      const { method, url, headers } = request;
      received.push({ method, url, type: headers['content-type'], body: await bodyOf(request) });
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A browser resolves paths against the page; Node's fetch wants the origin.
  const fetchInNode = globalThis.fetch;
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => fetchInNode(`${origin}${path}`, init));
});

afterEach(() => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  server.close();
});

const failure = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => expect.fail('the call should have failed'),
    (error: unknown) => (error instanceof ApiError ? error : expect.fail(`not an ApiError: ${String(error)}`)),
  );

describe('addresses', () => {
  it('contain escaped parameters, without absent ones', () => {
    expect(addressOf(updateMachine, { id: 'a/b c' }, undefined)).toBe('/api/v1/machines/a%2Fb%20c');
    expect(addressOf(listMachines, undefined, { q: 'Größe & co', sort: undefined, offset: 0 })).toBe(
      '/api/v1/machines?q=Gr%C3%B6%C3%9Fe+%26+co&offset=0',
    );
  });

  it('throw without a required parameter', () => {
    expect(() => addressOf(updateMachine, {}, undefined)).toThrow(/updateMachine needs the parameter id/);
  });
});

describe('call', () => {
  it('sends method, path, query and JSON, and returns the response', async () => {
    answer = { status: 201, body: '{"id":"m1"}' };
    const body = { serial_number: 'S1', display_name: 'One', machine_type: 'RM30', max_capacity_kg: 30 };
    expect(await call(registerMachine, { body })).toEqual({ id: 'm1' });
    expect(received).toMatchObject([{ method: 'POST', url: '/api/v1/machines', type: 'application/json' }]);
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(body);
  });

  it('turns the server’s refusal into code, sentence, fields and request id', async () => {
    answer = {
      status: 422,
      body: JSON.stringify({
        detail: [{ field: 'max_capacity_kg', message: 'too small' }],
        code: 'validation',
        request_id: 'r-7',
      }),
    };
    expect(await failure(call(listMachines, {}))).toMatchObject({
      status: 422,
      code: 'validation',
      detail: undefined,
      fields: [{ field: 'max_capacity_kg', message: 'too small' }],
      requestId: 'r-7',
    });
  });

  it.each([
    [409, '{"detail":"The lot is reserved"}', { code: 'conflict', message: 'The lot is reserved' }],
    [400, '{"detail":"Not like this"}', { code: 'internal', message: 'Not like this' }],
    [500, '{"detail":"The disk is full"}', { code: 'internal', message: 'The disk is full' }],
    [502, '{"detail":"The api restarts"}', { code: 'unreachable', message: 'The api restarts' }],
    [409, '{"detail":"New rule","code":"of_a_newer_server"}', { code: 'conflict', message: 'New rule' }],
    [
      422,
      '{"detail":[{"field":"kg","message":"too small"},null]}',
      { fields: [{ field: 'kg', message: 'too small' }] },
    ],
    [403, '{"detail":null}', { message: 'Something went wrong on the server.' }],
    [403, '{"code":"toString"}', { message: 'Something went wrong on the server.' }],
    [403, 'null', { message: 'Something went wrong on the server.' }],
  ])('shows the detail of a %i without a code: %s', async (status, body, shown) => {
    answer = { status, body };
    expect(await failure(call(listMachines, {}))).toMatchObject(shown);
  });

  it('treats a 401 without a code as the end of the session, except at signing in', async () => {
    answer = { status: 401, body: '{"detail":"Incorrect email or password"}' };
    const ended = vi.fn<() => void>();
    const stop = onSignedOut(ended);
    const body = { email: 'a@b.example', password: 'x' };
    expect(await failure(call(login, { body }))).toMatchObject({
      code: 'wrong_credentials',
      message: 'Incorrect email or password',
    });
    expect(ended).not.toHaveBeenCalled();
    await failure(call(listMachines, {}));
    stop();
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('reads Retry-After', async () => {
    answer = {
      status: 429,
      body: JSON.stringify({ detail: 'Too many attempts', code: 'too_many_requests', request_id: 'r' }),
      headers: { 'retry-after': '40' },
    };
    expect(await failure(call(listMachines, {}))).toMatchObject({ detail: 'Too many attempts', retryAfterSeconds: 40 });
  });

  it('throws an ApiError for a response that is not the api’s', async () => {
    answer = { status: 500, body: '<html>nginx</html>' };
    expect(await failure(call(listMachines, {}))).toMatchObject({ code: 'internal', requestId: undefined });
    answer = { status: 502, body: 'Bad Gateway' };
    expect(await failure(call(listMachines, {}))).toMatchObject({ code: 'unreachable' });
    answer = { status: 200, body: '<html>Sign in to this network</html>' };
    expect(await failure(call(listMachines, {}))).toMatchObject({ code: 'unreachable' });
  });

  it.each([200, 409])('throws an ApiError for a response %i that breaks off', async (status) => {
    answer = { status, body: '{"code":"conflict"', headers: { 'content-length': '1000' } };
    const cut = failure(call(listMachines, {}));
    await expect.poll(() => received.length).toBe(1);
    server.closeAllConnections();
    expect(await cut).toMatchObject({ status: 0, code: 'unreachable' });
    expect(reachability().reachable).toBe(false);
  });

  it('notifies subscribers when the session ends', async () => {
    answer = { status: 401, body: JSON.stringify({ detail: 'Sign in', code: 'not_signed_in', request_id: 'r' }) };
    const ended = vi.fn<() => void>();
    const stop = onSignedOut(ended);
    await failure(call(listMachines, {}));
    stop();
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('ignores the 401 to a request of the previous session', async () => {
    const late = new EventTarget();
    vi.stubGlobal('fetch', async () => {
      await once(late, 'now');
      return new Response('{"detail":"Sign in","code":"not_signed_in"}', { status: 401 });
    });
    const ended = vi.fn<() => void>();
    const stop = onSignedOut(ended);
    const answered = failure(call(listMachines, {}));
    beginSession();
    late.dispatchEvent(new Event('now'));
    expect(await answered).toMatchObject({ code: 'not_signed_in' });
    stop();
    expect(ended).not.toHaveBeenCalled();
  });

  it('detects that the server is unreachable, and that it is back', async () => {
    answer = { status: 200, body: '[]' };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')));
    expect(await failure(call(listMachines, {}))).toMatchObject({ status: 0, code: 'unreachable' });
    expect(reachability().reachable).toBe(false);
    // A starting server listens before its database is available: a form saved now would be refused.
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 503 })));
    await vi.advanceTimersByTimeAsync(5000);
    expect(reachability().reachable).toBe(false);
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')));
    await vi.advanceTimersByTimeAsync(5000);
    expect(reachability().reachable).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('rethrows an abort unchanged', async () => {
    const gone = AbortSignal.abort();
    await expect(call(listMachines, { signal: gone })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
