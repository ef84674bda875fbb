import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineMapInput } from '@roastery/contract/machine-map';
import type { JournalEvent } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startAgent, type Agent } from './agent.ts';
import { startScriptedServer, type ScriptedServer } from './testing/modbus-server.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

const serial = 'NOMAP-1';
const probeId = '0198c0de-0000-7000-8000-0000000000aa';
let time: VirtualClock;
let dataDir: string;
let server: TestServer;
let machine: ScriptedServer;
let agent: Agent;

const link = () => ({ kind: 'tcp', host: '127.0.0.1', port: machine.port }) as const;
const map = (): MachineMapInput => ({
  v: 1,
  id: 'scripted',
  maker: 'Test',
  model: 'Test',
  hz: 10,
  link: link(),
  channels: { bean_temp: { at: 'i:0', as: 'i16', scale: 0.1 } },
});
const start = async (): Promise<void> => {
  agent = await startAgent(
    {
      apiUrl: 'http://127.0.0.1:9/api/v1',
      machineSerial: serial,
      machineToken: 'token',
      firmwareVersion: '1.0.0',
      machineMapPath: undefined,
      dataDir,
      mqttUrl: server.url,
      mqttCa: undefined,
      journalCapBytes: 1e8,
      logLevel: 'silent',
      statusHost: '127.0.0.1',
      statusPort: undefined,
    },
    createLogger('test', 'silent'),
    time,
  );
};
const status = () => server.statuses.at(-1);
const startEvents = () =>
  [...server.committed.values()].filter((value) => (value as Partial<JournalEvent>).type === 'start');
const isOnline = () =>
  expect
    .poll(time.passing(status))
    .toMatchObject({ online: true, machine_link: 'starting', machine_link_detail: 'no machine map' });
const askToLook = (over: object = {}): void =>
  server.tell('probe', {
    v: 1,
    do: 'look',
    id: probeId,
    expires_at: time.now() + 15_000,
    lasts_s: 60,
    wish: { units: [1], tables: ['input'], from: 0, count: 4, usual_places: false },
    ...over,
  });
/** Repeats a message until its effect shows: the board may not have subscribed yet. */
const after = <T>(send: () => void, effect: () => T) =>
  expect.poll(
    time.passing(() => {
      const seen = effect();
      if (seen === undefined) send();
      return seen;
    }),
  );
const pushMap = (): void => server.tell('config', { v: 1, rev: 2, map: map() });
const words = () => server.probed.find((message) => message.k === 'words' && message.round === 1);
const ended = () => server.probed.find((message) => message.k === 'ended');

beforeEach(async () => {
  time = createVirtualClock();
  dataDir = await mkdtemp(join(tmpdir(), 'agent-'));
  machine = await startScriptedServer(
    'tcp',
    () => ({}),
    (address) => 2000 + address,
    time,
  );
  server = await startTestServer(serial);
  await start();
});
afterEach(async () => {
  await time.run(agent.close());
  await machine.hangUp();
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

it('agent without a machine map: is online, reports it, and records its start', async () => {
  await isOnline();
  expect(status()).not.toHaveProperty('map');
  await expect.poll(time.passing(startEvents)).toHaveLength(1);
  expect(machine.requests).toEqual([]);
  // Settings without a map change nothing.
  const settings = { v: 1, rev: 1, map: null, hz: 1 };
  await after(
    () => server.tell('config', settings),
    () => status()?.config,
  ).toEqual({ rev: 1, state: 'running', trial: false });
  expect(status()).not.toHaveProperty('map');
});

it('agent without a machine map: keeps running with settings that it does not understand, and says so', async () => {
  await isOnline();
  await after(
    () => server.tell('config', { v: 1, rev: 3, hz: 'often' }),
    () => status()?.config,
  ).toMatchObject({ rev: 3, state: 'refused', reason: expect.stringMatching(/^this agent does not understand it: /) });
});

it('agent without a machine map: reads with a map that arrives, without a restart', async () => {
  await isOnline();
  await after(pushMap, () => server.live.at(-1)?.values).toEqual({ bean_temp: 200 });
  await expect.poll(time.passing(() => [...server.committed.values()].at(-1))).toMatchObject({ values: [200] });
  await expect.poll(time.passing(status)).toMatchObject({
    machine_link: 'ok',
    map: { id: 'scripted', rev: 1 },
    config: { rev: 2, state: 'running' },
  });
  expect(status()).not.toHaveProperty('machine_link_detail');
  expect(startEvents()).toHaveLength(1);
  expect(JSON.parse(await readFile(join(dataDir, 'machine-map.json'), 'utf8'))).toMatchObject({ id: 'scripted' });
  await time.run(agent.close());
  const shown = server.live.length;
  await start();
  await expect.poll(time.passing(() => server.live.length)).toBeGreaterThan(shown);
});

it('agent without a machine map: probes the line that the request names', async () => {
  await isOnline();
  await after(() => askToLook({ link: link() }), words).toMatchObject({
    blocks: [{ table: 'input', words: [2000, 2001, 2002, 2003] }],
  });
  // The line has one master, so a new map ends the probe.
  pushMap();
  await expect.poll(time.passing(ended)).toMatchObject({ reason: 'stopped' });
  await expect.poll(time.passing(() => server.live.at(-1)?.values)).toEqual({ bean_temp: 200 });
});

it('agent without a machine map: finds the unit on the line that the request names', async () => {
  await isOnline();
  await after(() => askToLook({ do: 'find', unit: 1, link: link() }), ended).toMatchObject({ reason: 'found' });
  expect(server.probed.find((message) => message.k === 'line')).toMatchObject({ link: link() });
  await isOnline();
});

it('agent without a machine map: answers a probe without a line with an instruction', async () => {
  await isOnline();
  await after(askToLook, ended).toMatchObject({
    reason: 'silent',
    says: expect.stringMatching(/^This board has no machine map yet/),
  });
});
