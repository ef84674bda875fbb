import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDeviceProfile } from './device-profile.ts';

let dataDir: string;
let server: Server;
let requests: number;
let answer: { readonly status: number; readonly headers: Record<string, string> };

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'device-profile-'));
  requests = 0;
  server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(answer.status, answer.headers).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(dataDir, { recursive: true });
});

const profileOf = () =>
  createDeviceProfile({
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    machineSerial: 'RM30-1',
    machineToken: 'token',
    dataDir,
    log: createLogger('test', 'silent'),
  });

it('device profile: does not ask the api again before its Retry-After', async () => {
  answer = { status: 503, headers: { 'retry-after': '1' } };
  const profile = profileOf();
  for (let asked = 0; asked < 5; asked++) expect(await profile.ask()).toBeUndefined();
  expect(requests).toBe(1);
  await expect
    .poll(async () => {
      await profile.ask();
      return requests;
    })
    .toBe(2);
});

it('device profile: asks at once again without a Retry-After', async () => {
  answer = { status: 503, headers: {} };
  const profile = profileOf();
  for (let asked = 0; asked < 3; asked++) await profile.ask();
  expect(requests).toBe(3);
});
