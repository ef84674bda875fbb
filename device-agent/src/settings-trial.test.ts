import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineMapShape, type MachineMapInput } from '@roastery/contract/machine-map';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgent, type Agent } from './agent.ts';
import {
  createSettingsTrial,
  readKeptSettings,
  settingsFile,
  type Earlier,
  type SettingsTrialParts,
} from './settings-trial.ts';
import { startScriptedServer, type ScriptedServer } from './testing/modbus-server.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

const log = createLogger('test', 'silent');
let time: VirtualClock;
let dataDir: string;
let server: TestServer;
let machine: ScriptedServer;
let agent: Agent;
/** The answer time of the machine, its bit of the charge, and an address that it refuses. */
const drum = { delayMs: 0, charge: 0, refused: 9 };

/** A map of the machine: its bean temperature at this address. */
const mapWith = (rev: number, bean: number): MachineMapInput => ({
  v: 1,
  id: 'scripted',
  rev,
  maker: 'Test',
  model: 'Test',
  hz: 2,
  timeoutMs: 1000,
  quietMs: 50,
  link: { kind: 'tcp', host: '127.0.0.1', port: machine.port },
  channels: { bean_temp: { at: `i:${bean}`, as: 'i16', scale: 0.1 } },
  events: { charge: { when: 'd:0' } },
});
const start = async (): Promise<void> => {
  await writeFile(join(dataDir, 'map.json'), JSON.stringify(mapWith(1, 0)));
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
    log,
    time,
  );
};
const restart = async (): Promise<void> => {
  await time.run(agent.close());
  server.statuses.length = 0;
  await start();
  await expect.poll(time.passing(() => server.statuses.at(-1)?.online)).toBe(true);
};
const told = () => server.statuses.at(-1)?.config;
const usedRev = () => server.statuses.at(-1)?.map?.rev;
const isRead = async (): Promise<void> => {
  const from = server.live.length;
  await time.until('three readings', () => server.live.length > from + 2, 10_000);
};
/** The end of a trial, good or bad. */
const isOver = (rev: number): Promise<number> =>
  time.until('the end of the trial', () => told()?.rev === rev && told()?.trial === false, 150_000);
/** A trial without an agent: what its parts answer. */
const trialOf = (rev: number, now: object, over: Partial<SettingsTrialParts>): ReturnType<typeof createSettingsTrial> =>
  createSettingsTrial(
    { machine: 'SETTINGS-1', rev, now },
    {
      dataDir,
      log,
      time,
      isMachineRead: () => true,
      reachServer: () => Promise.resolve(true),
      roastRuns: () => false,
      timeServers: () => Promise.resolve({ state: 'answered' }),
      revert: ({ store }) => store(),
      changed: () => undefined,
      ...over,
    },
  );

beforeEach(async () => {
  time = createVirtualClock();
  dataDir = await mkdtemp(join(tmpdir(), 'settings-trial-'));
  server = await startTestServer('SETTINGS-1');
  Object.assign(drum, { delayMs: 0, charge: 0, refused: 9 });
  machine = await startScriptedServer(
    'tcp',
    ({ code, start: from }) => ({
      delayMs: drum.delayMs,
      ...(code === 4 && from === drum.refused && { exception: 2 }),
    }),
    (_address, { code }) => (code === 2 ? drum.charge : 2000),
    time,
  );
  await start();
  await isRead();
});
afterEach(async () => {
  await time.run(agent.close());
  await machine.hangUp();
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

describe('settings from the portal', () => {
  it('stay when server and machine are reached with them, also after a restart and without the server', async () => {
    server.tell('config', { v: 1, rev: 1, map: null, gap_ms: 5, timeout_ms: 800 });
    await expect.poll(time.passing(told)).toEqual({ rev: 1, state: 'running', trial: true });
    await isOver(1);
    expect(told()).toEqual({ rev: 1, state: 'running', trial: false });
    // A log level needs no trial.
    server.tell('config', { v: 1, rev: 2, map: null, gap_ms: 5, timeout_ms: 800, log_level: 'error' });
    await isOver(2);
    expect(told()).toEqual({ rev: 2, state: 'running', trial: false });
    await restart();
    await isRead();
    server.tell('config', { v: 1, rev: 2, map: null, gap_ms: 5, timeout_ms: 800, log_level: 'error' });
    await isOver(2);
    expect(told()).toEqual({ rev: 2, state: 'running', trial: false });
  });

  it('are reverted when the machine does not answer with them, until others are sent', async () => {
    drum.delayMs = 300;
    await restart();
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
    await isOver(reverted.rev);
    expect(told()).toEqual(reverted);
    await isRead();
    // The retained message arrives again with each connection and each start.
    server.statuses.length = 0;
    server.tell('config', short);
    await isOver(reverted.rev);
    expect(told()).toEqual(reverted);
    await restart();
    server.tell('config', short);
    await isOver(reverted.rev);
    expect(told()).toEqual(reverted);
    await isRead();
    server.tell('config', { v: 1, rev: 4, map: null, timeout_ms: 900 });
    await isOver(4);
    expect(told()).toEqual({ rev: 4, state: 'running', trial: false });
  });

  it('are reverted when the server is not reached with them', async () => {
    const taken: Earlier[] = [];
    const trial = trialOf(
      4,
      { gap_ms: 5 },
      {
        reachServer: () => Promise.resolve(false),
        revert: async (earlier) => {
          await earlier.store();
          taken.push(earlier);
        },
      },
    );
    await trial.begin(5, { gap_ms: 7 });
    trial.applied();
    trial.afterReading(true);
    const reason = 'the board did not reach the server with these settings';
    await time.until('the earlier settings', () => taken.length > 0, 150_000);
    expect(taken).toMatchObject([{ rev: 5, settings: { gap_ms: 5 }, map: undefined, reason }]);
    const kept = { machine: 'SETTINGS-1', rev: 5, now: { gap_ms: 5 }, reverted: { rev: 5, reason } };
    expect(await readKeptSettings(dataDir, 'SETTINGS-1')).toEqual(kept);
    // Those of another machine do not count.
    expect(await readKeptSettings(dataDir, 'SETTINGS-9')).toMatchObject({ rev: 0, now: {} });
  });

  it('are reverted when no time server answers, also when the machine fails during the wait', async () => {
    const reasons: string[] = [];
    let isMachineRead = true;
    let looks = 0;
    const trial = trialOf(
      7,
      {},
      {
        isMachineRead: () => isMachineRead,
        timeServers: () => {
          looks += 1;
          return Promise.resolve({ state: 'waiting' });
        },
        revert: ({ reason, store }) => {
          reasons.push(reason);
          return store();
        },
      },
    );
    await trial.begin(8, { time_servers: ['time.example.org'] });
    trial.afterReading(true);
    // The machine has been read long enough.
    await time.advance(20_000);
    expect(looks).toBeGreaterThan(10);
    isMachineRead = false;
    await time.until('the earlier settings', () => reasons.length > 0, 150_000);
    expect(reasons).toEqual(['no time server answered']);
  });

  it('are reverted immediately when the agent can’t set time servers', async () => {
    server.tell('config', { v: 1, rev: 5, map: null, gap_ms: 4, time_servers: ['time.example.org'] });
    const reason = 'the agent was not installed as a package, so it cannot set time servers';
    await isOver(5);
    expect(told()).toMatchObject({ rev: 5, state: 'refused', reverted: true, reason });
    await isRead();
  });

  it('are on trial again after a restart during the trial, with its earlier results', async () => {
    drum.delayMs = 300;
    await restart();
    await isRead();
    server.tell('config', { v: 1, rev: 6, map: null, timeout_ms: 20 });
    await expect.poll(time.passing(told)).toMatchObject({ rev: 6, trial: true });
    await restart();
    server.tell('config', { v: 1, rev: 6, map: null, timeout_ms: 20 });
    await isOver(6);
    expect(told()).toMatchObject({ rev: 6, reverted: true });
    await isRead();
  });

  it('wait for the end of a roast', async () => {
    drum.charge = 1;
    await expect.poll(time.passing(() => server.live.at(-1)?.roast?.state)).toBe('in_progress');
    server.tell('config', { v: 1, rev: 7, map: null, gap_ms: 3 });
    await expect.poll(time.passing(told)).toMatchObject({ rev: 7, state: 'waiting', trial: false });
  });
});

describe('a map from the portal', () => {
  it('stays when the machine is read with it', async () => {
    server.tell('config', { v: 1, rev: 1, map: mapWith(2, 1) });
    await expect.poll(time.passing(told)).toEqual({ rev: 1, state: 'running', trial: true });
    await isOver(1);
    expect(told()).toEqual({ rev: 1, state: 'running', trial: false });
    expect(usedRev()).toBe(2);
  });

  it('is reverted with its settings when it does not read the bean temperature, until another is sent', async () => {
    await restart();
    await isRead();
    const wrong = { v: 1, rev: 2, map: mapWith(2, drum.refused), gap_ms: 3 };
    server.tell('config', wrong);
    await expect.poll(time.passing(told)).toMatchObject({ rev: 2, trial: true });
    expect(usedRev()).toBe(2);
    const reason = 'the machine did not answer reliably with these settings';
    const reverted = { rev: 2, state: 'refused', reason, reverted: true, trial: false };
    await isOver(reverted.rev);
    expect(told()).toEqual(reverted);
    await expect.poll(time.passing(usedRev)).toBe(1);
    // The retained message arrives again with each connection and each start.
    await restart();
    server.tell('config', wrong);
    await isOver(reverted.rev);
    expect(told()).toEqual(reverted);
    expect(usedRev()).toBe(1);
    await isRead();
    server.tell('config', { v: 1, rev: 3, map: mapWith(3, 1) });
    await isOver(3);
    expect(told()).toEqual({ rev: 3, state: 'running', trial: false });
    expect(usedRev()).toBe(3);
    // The next one is compared with the map in use.
    await restart();
    await isRead();
    server.tell('config', { v: 1, rev: 4, map: mapWith(4, drum.refused) });
    await isOver(4);
    expect(told()).toMatchObject({
      rev: 4,
      reverted: true,
      reason: 'the machine did not answer reliably with this map',
    });
    await expect.poll(time.passing(usedRev)).toBe(3);
  });

  it('is on trial again after a restart during the trial', async () => {
    await restart();
    await isRead();
    const wrong = { v: 1, rev: 5, map: mapWith(2, drum.refused) };
    server.tell('config', wrong);
    await expect.poll(time.passing(told)).toMatchObject({ rev: 5, trial: true });
    await restart();
    expect(usedRev()).toBe(2);
    // Without the server the board knows by its disk what ran before.
    await time.until('the earlier map', () => usedRev() === 1, 150_000);
    server.tell('config', wrong);
    await expect.poll(time.passing(told)).toMatchObject({ rev: 5, reverted: true });
  });

  it('does not replace the map of a running roast, not even by a restart', async () => {
    drum.charge = 1;
    await expect.poll(time.passing(() => server.live.at(-1)?.roast?.state)).toBe('in_progress');
    server.tell('config', { v: 1, rev: 6, map: mapWith(2, 1) });
    await expect.poll(time.passing(told)).toMatchObject({ rev: 6, state: 'waiting', reason: 'a roast is running' });
    await restart();
    expect(usedRev()).toBe(1);
  });

  it('is not reverted where the machine was silent before, and an unreachable server only prolongs its trial', async () => {
    let isServerReached = false;
    const taken: Earlier[] = [];
    const ends: string[] = [];
    const trial = trialOf(
      1,
      {},
      {
        isMachineRead: () => false,
        reachServer: () => Promise.resolve(isServerReached),
        revert: (earlier) => {
          taken.push(earlier);
          return earlier.store();
        },
        changed: () => ends.push('confirmed'),
      },
    );
    const [from, to] = [machineMapShape.parse(mapWith(1, 0)), machineMapShape.parse(mapWith(2, 1))];
    await trial.begin(2, {}, { from, to });
    trial.applied();
    await time.advance(180_000);
    expect(trial.isOn()).toBe(true);
    expect(await readKeptSettings(dataDir, 'SETTINGS-1')).toMatchObject({ trial: { map: { rev: 1 }, machine: false } });
    isServerReached = true;
    await time.until('the end of the trial', () => ends.length > 0, 5000);
    expect(ends).toEqual(['confirmed']);
    expect(taken).toEqual([]);
  });

  it('that is unreadable in a stored trial leaves the settings of the trial', async () => {
    await writeFile(
      settingsFile(dataDir),
      JSON.stringify({
        machine: 'SETTINGS-1',
        rev: 2,
        now: { hz: 1 },
        trial: { before: { hz: 2 }, machine: true, map: { v: 2 } },
      }),
    );
    expect(await readKeptSettings(dataDir, 'SETTINGS-1')).toMatchObject({
      now: { hz: 1 },
      trial: { before: { hz: 2 } },
    });
  });
});
