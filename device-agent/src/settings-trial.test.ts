import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineMapInput } from '@roastery/contract/machine-map';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startAgent, type Agent } from './agent.ts';
import { createSettingsTrial, readKeptSettings } from './settings-trial.ts';
import { startScriptedServer, type ScriptedServer } from './testing/modbus-server.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

vi.setConfig({ testTimeout: 60_000 });
/** For settings that should stay, and for settings that should be reverted. */
const patient = { trialMs: 60_000, steadyMs: 500 };
const hasty = { trialMs: 5000, steadyMs: 2000 };
let dataDir: string;
let server: TestServer;
let machine: ScriptedServer;
let agent: Agent;
/** The answer time of the machine, and its bit of the charge. */
const drum = { delayMs: 0, charge: 0 };

const start = async (times: typeof patient): Promise<void> => {
  const map: MachineMapInput = {
    v: 1,
    id: 'scripted',
    maker: 'Test',
    model: 'Test',
    hz: 5,
    timeoutMs: 1000,
    quietMs: 50,
    link: { kind: 'tcp', host: '127.0.0.1', port: machine.port },
    channels: { bean_temp: { at: 'i:0', as: 'i16', scale: 0.1 } },
    events: { charge: { when: 'd:0' } },
  };
  await writeFile(join(dataDir, 'map.json'), JSON.stringify(map));
  agent = await startAgent(
    {
      apiUrl: 'http://127.0.0.1:9/api/v1',
      machineSerial: 'SETTINGS-1',
      machineToken: 'token',
      firmwareVersion: '1.0.0',
      machineMapPath: join(dataDir, 'map.json'),
      dataDir,
      mqttUrl: server.url,
      mqttCa: undefined,
      journalCapBytes: 1e8,
      logLevel: 'silent',
      statusHost: '127.0.0.1',
      statusPort: undefined,
    },
    createLogger('test', 'silent'),
    times,
  );
};
const restart = async (times: typeof patient): Promise<void> => {
  await agent.close();
  server.statuses.length = 0;
  await start(times);
  await expect.poll(() => server.statuses.at(-1)?.online).toBe(true);
};
const told = () => server.statuses.at(-1)?.config;
const isRead = async (): Promise<void> => {
  const from = server.live.length;
  await expect.poll(() => server.live.length).toBeGreaterThan(from + 2);
};

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settings-trial-'));
  server = await startTestServer('SETTINGS-1');
  Object.assign(drum, { delayMs: 0, charge: 0 });
  machine = await startScriptedServer(
    'tcp',
    () => ({ delayMs: drum.delayMs }),
    (_address, { code }) => (code === 2 ? drum.charge : 2000),
  );
  await start(patient);
  await isRead();
});
afterEach(async () => {
  await agent.close();
  await machine.hangUp();
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

describe('settings from the portal', () => {
  it('stay when server and machine are reached with them, also after a restart and without the server', async () => {
    server.tell('config', { v: 1, rev: 1, map: null, gap_ms: 5, timeout_ms: 800 });
    await expect.poll(told).toEqual({ rev: 1, state: 'running', trial: true });
    await expect.poll(told).toEqual({ rev: 1, state: 'running', trial: false });
    // A log level needs no trial.
    server.tell('config', { v: 1, rev: 2, map: null, gap_ms: 5, timeout_ms: 800, log_level: 'error' });
    await expect.poll(told).toEqual({ rev: 2, state: 'running', trial: false });
    await restart(patient);
    await isRead();
    server.tell('config', { v: 1, rev: 2, map: null, gap_ms: 5, timeout_ms: 800, log_level: 'error' });
    await expect.poll(told).toEqual({ rev: 2, state: 'running', trial: false });
  });

  it('are reverted when the machine does not answer with them, until others are sent', async () => {
    await restart(hasty);
    drum.delayMs = 300;
    await isRead();
    const short = { v: 1, rev: 3, map: null, timeout_ms: 20 };
    server.tell('config', short);
    const reverted = {
      rev: 3,
      state: 'refused',
      reason: 'the machine did not answer reliably with these settings',
      reverted: true,
      trial: false,
    };
    await expect.poll(told, { timeout: 30_000 }).toEqual(reverted);
    await isRead();
    // The retained message arrives again with each connection and each start.
    server.statuses.length = 0;
    server.tell('config', short);
    await expect.poll(told).toEqual(reverted);
    await restart(patient);
    server.tell('config', short);
    await expect.poll(told).toEqual(reverted);
    await isRead();
    server.tell('config', { v: 1, rev: 4, map: null, timeout_ms: 900 });
    await expect.poll(told).toEqual({ rev: 4, state: 'running', trial: false });
  });

  it('are reverted when the server is not reached with them', async () => {
    const taken: unknown[] = [];
    const trial = createSettingsTrial(
      { machine: 'SETTINGS-1', rev: 4, now: { gap_ms: 5 } },
      {
        dataDir,
        log: createLogger('test', 'silent'),
        isMachineRead: () => true,
        reachServer: () => Promise.resolve(false),
        roastRuns: () => false,
        timeServers: () => Promise.resolve({ state: 'answered' }),
        revert: (...words) => taken.push(words),
        changed: () => undefined,
        times: { trialMs: 1500, steadyMs: 0 },
      },
    );
    await trial.begin(5, { gap_ms: 7 });
    trial.applied();
    trial.afterReading();
    const reason = 'the board did not reach the server with these settings';
    await expect.poll(() => taken).toEqual([[5, { gap_ms: 5 }, reason]]);
    const kept = { machine: 'SETTINGS-1', rev: 5, now: { gap_ms: 5 }, reverted: { rev: 5, reason } };
    expect(await readKeptSettings(dataDir, 'SETTINGS-1')).toEqual(kept);
    // Those of another machine do not count.
    expect(await readKeptSettings(dataDir, 'SETTINGS-9')).toMatchObject({ rev: 0, now: {} });
  });

  it('are reverted when no time server answers, also when the machine fails during the wait', async () => {
    const reasons: string[] = [];
    let isMachineRead = true;
    let looks = 0;
    const trial = createSettingsTrial(
      { machine: 'SETTINGS-1', rev: 7, now: {} },
      {
        dataDir,
        log: createLogger('test', 'silent'),
        isMachineRead: () => isMachineRead,
        reachServer: () => Promise.resolve(true),
        roastRuns: () => false,
        timeServers: () => {
          looks += 1;
          return Promise.resolve({ state: 'waiting' });
        },
        revert: (_rev, _to, reason) => reasons.push(reason),
        changed: () => undefined,
        times: { trialMs: 4000, steadyMs: 0 },
      },
    );
    await trial.begin(8, { time_servers: ['time.example.org'] });
    trial.afterReading();
    await expect.poll(() => looks).toBeGreaterThan(0);
    isMachineRead = false;
    await expect.poll(() => reasons, { timeout: 20_000 }).toEqual(['no time server answered']);
  });

  it('are reverted immediately when the agent can’t set time servers', async () => {
    server.tell('config', { v: 1, rev: 5, map: null, gap_ms: 4, time_servers: ['time.example.org'] });
    const reason = 'the agent was not installed as a package, so it cannot set time servers';
    await expect.poll(told, { timeout: 20_000 }).toMatchObject({ rev: 5, state: 'refused', reverted: true, reason });
    await isRead();
  });

  it('are on trial again after a restart during the trial, with its earlier results', async () => {
    await restart({ trialMs: 60_000, steadyMs: 60_000 });
    await isRead();
    drum.delayMs = 300;
    await isRead();
    server.tell('config', { v: 1, rev: 6, map: null, timeout_ms: 20 });
    await expect.poll(told).toMatchObject({ rev: 6, trial: true });
    await restart(hasty);
    server.tell('config', { v: 1, rev: 6, map: null, timeout_ms: 20 });
    await expect.poll(told, { timeout: 30_000 }).toMatchObject({ rev: 6, reverted: true });
    await isRead();
  });

  it('wait for the end of a roast', async () => {
    drum.charge = 1;
    await expect.poll(() => server.live.at(-1)?.roast?.state).toBe('in_progress');
    server.tell('config', { v: 1, rev: 7, map: null, gap_ms: 3 });
    await expect.poll(told).toMatchObject({ rev: 7, state: 'waiting', trial: false });
  });
});
