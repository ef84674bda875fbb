import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDeviceProfile } from './device-profile.ts';

let dataDir: string;
let server: Server;
let requests: number;
let answer: { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object };

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'device-profile-'));
  requests = 0;
  server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body ?? {}));
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

it('device profile: sends no request to the api before its Retry-After', async () => {
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

it('device profile: repeats the request immediately without a Retry-After', async () => {
  answer = { status: 503 };
  const profile = profileOf();
  for (let asked = 0; asked < 3; asked++) await profile.ask();
  expect(requests).toBe(3);
});

it('device profile: stores broker and login for a start without the api, readable for the agent only', async () => {
  const login = { username: 'RM30-1', password: 'derived by the api' };
  const self = {
    machine_id: '0199aaaa-0000-7000-8000-000000000000',
    serial_number: 'RM30-1',
    display_name: 'Drum',
    mqtt_url: 'mqtts://broker.example',
    server_time: '2026-11-21T07:40:00.000Z',
    map: null,
  };
  answer = { status: 200, body: { ...self, mqtt_login: login } };
  expect(await profileOf().brokers()).toEqual({ urls: [self.mqtt_url], login });
  answer = { status: 503 };
  expect(await profileOf().brokers()).toEqual({ urls: [self.mqtt_url], login });
  expect((await stat(join(dataDir, 'device.json'))).mode & 0o777).toBe(0o600);
  answer = { status: 200, body: self };
  expect(await profileOf().brokers()).toEqual({ urls: [self.mqtt_url], login: undefined });
  answer = { status: 503 };
  expect(await profileOf().brokers()).toEqual({ urls: [self.mqtt_url], login: undefined });
});
