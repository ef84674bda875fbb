import { apiBasePath } from '@roastery/contract/endpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedTestApi, openTestApi } from '../testing/test-api.ts';

describe('answers of JSON', () => {
  let opened: OpenedTestApi;
  beforeAll(async () => {
    opened = await openTestApi();
    for (const name of ['Ada', 'Bo', 'Cem', 'Dina', 'Eve', 'Finn']) {
      const body = { email: `${name}@example.com`, full_name: name, password: 'green beans before breakfast' };
      await opened.admin.send('POST', '/admin/users', body);
    }
  });
  afterAll(() => opened.close());

  const answerOf = async (path: string, encoding: string, method = 'GET') => {
    const headers = { cookie: opened.admin.cookie ?? '', 'accept-encoding': encoding };
    const answer = await fetch(`${opened.test.url}${apiBasePath}${path}`, { method, headers });
    const header = (name: string) => answer.headers.get(name);
    const [text, length] = [await answer.text(), Number(header('content-length'))];
    return { text, length, encoding: header('content-encoding'), vary: header('vary') };
  };

  it('are compressed from 1 KB on for clients that accept gzip, with their length on the wire', async () => {
    const plain = await answerOf('/admin/users', 'identity');
    expect(plain).toMatchObject({ encoding: null, vary: 'Accept-Encoding', length: Buffer.byteLength(plain.text) });
    expect(plain.length).toBeGreaterThan(1024);
    const compressed = await answerOf('/admin/users', 'br, gzip;q=0.8');
    expect(compressed).toMatchObject({ encoding: 'gzip', vary: 'Accept-Encoding', text: plain.text });
    expect(compressed.length).toBeLessThan(plain.length / 2);
    expect(await answerOf('/admin/users', 'br, gzip;q=0')).toEqual(plain);
    expect(await answerOf('/admin/users', 'gzip', 'HEAD')).toEqual({ ...plain, text: '' });
  });

  it('that fit into a packet, errors included, are sent as they are', async () => {
    for (const path of ['/auth/me', '/lots/nothing']) {
      const small = await answerOf(path, 'gzip');
      expect(small, path).toMatchObject({ encoding: null, vary: null, length: Buffer.byteLength(small.text) });
    }
  });
});
