import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { apiBasePath } from '@roastery/contract/endpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, testAdmin, type OpenedTestApi } from '../testing/test-api.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
/** A fiftieth of the usual ones. */
const bodyLimits = { total: 4 * megabyte, perCaller: megabyte };
const fileBytes = 400 * kilobyte;

const isRefused = (status: number) => new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, 'i');

describe('memory that bodies hold', () => {
  let opened: OpenedTestApi;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    opened = await openTestApi({ trustedProxies: 1, bodyLimits });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await opened.close();
  });
  const held = () => opened.test.api.context.bodies.heldBytes();

  /** Announces a body, sends none of it, and collects the answer. */
  const announce = async (path: string, bytes: number, headers: Record<string, string>) => {
    const socket = connect(opened.test.api.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += String(chunk)));
    const lines = Object.entries({ host: 'roastery', 'content-length': String(bytes), ...headers });
    socket.write(`POST ${apiBasePath}${path} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}`).join('\r\n')}\r\n\r\n`);
    return { answer: () => answer, socket };
  };
  const uploadBy = (cookie: string) =>
    announce('/roasts/uploads?file_name=a.csv', fileBytes, {
      cookie,
      'content-type': 'application/octet-stream',
      'x-forwarded-for': '203.0.113.9',
    });
  const personal = async (name: string): Promise<string> => {
    const person = { email: `${name}@roastery.example`, password: 'half uploads of a person' };
    await opened.admin.send('POST', '/admin/users', { ...person, full_name: name });
    return (await opened.test.signedIn(person.email, person.password)).cookie ?? '';
  };

  it('before a sign-in: a body of 1 MB is refused when it is announced, and a sign-in fits', async () => {
    const { answer } = await announce('/auth/login', megabyte, { 'content-type': 'application/json' });
    await expect.poll(answer).toMatch(isRefused(413));
    expect(held()).toBe(0);
    await opened.test.signedIn(testAdmin.email, testAdmin.password);
  });

  it('half uploads of one person: are refused above the person’s share, and those of others are not', async () => {
    const ana = await personal('ana');
    const first = [await uploadBy(ana), await uploadBy(ana)];
    await expect.poll(held).toBe(2 * fileBytes);
    const third = await uploadBy(ana);
    await expect.poll(third.answer).toMatch(isRefused(429));
    expect(third.answer()).toMatch(/retry-after: 5/i);
    const tomo = await uploadBy(await personal('tomo'));
    await expect.poll(held).toBe(3 * fileBytes);
    // What ends gives its memory back, also unfinished.
    for (const { socket } of [...first, tomo]) socket.destroy();
    await expect.poll(held).toBe(0);
  });

  it('connections of one address that has not signed in: hold no more than its share, and a person behind it signs in', async () => {
    const pairing = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' };
    const bytes = 4 * kilobyte;
    const all = await Promise.all(
      Array.from({ length: bodyLimits.perCaller / bytes + 20 }, () => announce('/devices/pair', bytes, pairing)),
    );
    await expect.poll(() => all.filter(({ answer }) => isRefused(429).test(answer())).length).toBe(20);
    expect(held()).toBe(bodyLimits.perCaller);
    expect((await opened.test.visitor().send('GET', '/auth/me')).status).toBe(401);
    for (const { socket } of all) socket.destroy();
    await expect.poll(held).toBe(0);
  });
});
