import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:tls';
import { createServer, type AddressInfo } from 'node:net';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAgent } from '../agent.ts';
import { channelFile, registersOf } from '../channel-watch.ts';
import { verdictLines } from '../cli/doctor.ts';
import { readBoardConfig } from '../board-files.ts';
import { canMakeCertificates, makeCertificate } from '../testing/certificates.ts';
import { homeToken, startHomeServer, type HomeServer } from '../testing/home-server.ts';
import { startScriptedServer, type ScriptedServer } from '../testing/modbus-server.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { concernsOf } from '../status-page/concerns.ts';
import { inspectBoard } from './board-under-check.ts';
import { checkAgent } from './check-agent.ts';
import { checkApi, checkCredential } from './check-api.ts';
import { checkBroker } from './check-broker.ts';
import { checkChannels } from './check-channels.ts';
import { checkClock } from './check-clock.ts';
import { checkConfiguration } from './check-configuration.ts';
import { checkDisk } from './check-disk.ts';
import { checkMachineMap } from './check-machine-map.ts';
import { checkMachine } from './check-machine.ts';
import { checkNetwork } from './check-network.ts';
import { checkTls } from './check-tls.ts';
import { checkValues } from './check-values.ts';
import type { Check, Verdict } from './check.ts';
import { examineBoard } from './examination.ts';

const log = createLogger('test', 'silent');
const time = createVirtualClock();
let folder: string;
let home: HomeServer;
let broker: TestServer;
let machine: ScriptedServer;
/** Raw registers of bean and exhaust temperature, in tenths. */
let registers: number[];
let env: Record<string, string>;

beforeAll(async () => {
  home = Object.assign(await startHomeServer(), { clock: time });
  broker = await startTestServer('RM30-7');
  machine = await startScriptedServer(
    'tcp',
    () => ({}),
    (address) => registers[address] ?? 0,
    time,
  );
});
afterAll(async () => {
  await home.close();
  await broker.kill();
  await machine.hangUp();
});
const writeMap = (link: object, more: object = {}): Promise<void> =>
  writeFile(
    join(folder, 'map.json'),
    JSON.stringify({
      v: 1,
      id: 'scripted',
      maker: 'Test',
      model: 'Drum',
      timeoutMs: 150,
      quietMs: 50,
      link,
      channels: {
        bean_temp: { at: 'i:0', as: 'i16', scale: 0.1 },
        exhaust_temp: { at: 'i:1', as: 'i16', scale: 0.1, bad: [32_767] },
      },
      ...more,
    }),
  );
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
  registers = [2013, 2331];
  Object.assign(home, {
    status: 200,
    clockAheadMs: 0,
    mqttUrl: broker.url,
    mqttUrls: undefined,
    body: undefined,
    map: null,
  });
  env = {
    API_URL: home.url,
    MACHINE_SERIAL: 'RM30-7',
    MACHINE_TOKEN: homeToken,
    MACHINE_MAP: join(folder, 'map.json'),
    DATA_DIR: join(folder, 'data'),
    STATUS_PORT: 'off',
  };
  await mkdir(join(folder, 'data'));
  await writeMap({ kind: 'tcp', host: '127.0.0.1', port: machine.port });
  await writeFile(join(folder, 'agent.env'), `MACHINE_TOKEN=${homeToken}\n`, { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const runCheck = (check: Check, over: Record<string, string> = {}): Promise<Verdict> =>
  time.run(check.run(inspectBoard(folder, { ...env, ...over }, time)));
/** Expects this fault, with these words and this instruction. */
const found = (outcome: 'trouble' | 'warning', says: RegExp, todo: RegExp): object => ({
  outcome,
  says: expect.stringMatching(says),
  todo: expect.stringMatching(todo),
});
/** As the agent keeps it after so many roasts that agree. */
const keepExchanged = async (roasts: number): Promise<void> => {
  const board = await inspectBoard(folder, env).map();
  if (board.kind !== 'found') throw new Error('no map');
  const state = { v: 1, read_by: registersOf(board.map), roasts };
  await writeFile(channelFile(join(folder, 'data')), JSON.stringify(state));
};
const closedPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe('doctor on a healthy board', () => {
  it('reports only the stopped agent, and publishes nothing at the broker', async () => {
    const statuses = broker.statuses.length;
    const examination = await time.run(examineBoard(folder, env, undefined, time));
    const outcomes = Object.fromEntries(examination.checks.map(({ check, outcome }) => [check, outcome]));
    expect(outcomes).toMatchObject({
      configuration: 'good',
      agent: 'trouble',
      'machine map': 'good',
      machine: 'good',
      values: 'good',
      channels: 'good',
      network: 'good',
      TLS: 'good',
      api: 'good',
      credential: 'good',
      broker: 'good',
    });
    expect(examination.checks.find(({ check }) => check === 'values')?.says).toBe(
      'bean_temp 201.3 °C, exhaust_temp 233.1 °C',
    );
    expect(broker.statuses.length).toBe(statuses);
    expect(JSON.stringify(examination)).not.toContain(homeToken);
  });

  it('queries the running agent, and uses neither its line nor its session', async () => {
    const port = String(await closedPort());
    const running = { ...env, STATUS_PORT: port };
    const agent = await time.run(startAgent(readBoardConfig(folder, running), log, time));
    try {
      await expect.poll(time.passing(async () => (await runCheck(checkValues, running)).outcome)).toBe('good');
      await expect
        .poll(time.passing(async () => (await runCheck(checkBroker, running)).says))
        .toMatch(/agent is connected/);
      const [lines, connected] = [machine.connections(), broker.statuses.length];
      expect((await runCheck(checkMachine, running)).says).toMatch(/answers the agent at tcp 127\.0\.0\.1/);
      expect((await runCheck(checkAgent, running)).says).toMatch(/is running, no roast now/);
      expect(machine.connections()).toBe(lines);
      expect(broker.statuses.slice(connected).some(({ online }) => !online)).toBe(false);
    } finally {
      await time.run(agent.close());
    }
  });

  it('prints the instruction below the finding', () => {
    const lines = verdictLines('disk', { outcome: 'trouble', says: 'Full.', todo: 'Free some space' }, false);
    expect(lines).toMatch(/^✗ disk +Full\.\n +→ Free some space\n$/);
  });
});

describe('configuration and map', () => {
  it('doctor: reports a board that was never paired', async () => {
    const nowhere = inspectBoard(join(folder, 'none'), {});
    expect(await checkConfiguration.run(nowhere)).toEqual(found('trouble', /not paired/, /device-agent pair PAIR-/));
    expect((await checkBroker.run(nowhere)).outcome).toBe('skipped');
  });
  it('doctor: reports an incomplete configuration', async () =>
    expect(await checkConfiguration.run(inspectBoard(folder, {}))).toEqual(
      found('trouble', /incomplete: .*API_URL/, /pair PAIR-.*agent\.env/),
    ));
  it('doctor: reports an invalid setting', async () =>
    expect(await runCheck(checkConfiguration, { LOG_LEVEL: 'loud' })).toEqual(
      found('trouble', /LOG_LEVEL/, /Correct it in .*settings\.env/),
    ));
  it('doctor: reports a token that other users can read', async () => {
    await chmod(join(folder, 'agent.env'), 0o644);
    expect(await runCheck(checkConfiguration)).toEqual(
      found('warning', /readable by others \(mode 644\)/, /chmod 600/),
    );
  });
  it('doctor: reports a missing machine map', async () => {
    const { MACHINE_MAP: _, ...without } = env;
    expect(await checkMachineMap.run(inspectBoard(folder, without))).toEqual(
      found('trouble', /^No machine map yet: choose one in the portal/, /Map and settings/),
    );
  });
  it('doctor: reports a missing and an invalid map file', async () => {
    expect(await runCheck(checkMachineMap, { MACHINE_MAP: '/nowhere.json' })).toEqual(
      found('trouble', /machine map \/nowhere\.json does not exist/, /check-map/),
    );
    await writeMap({ kind: 'tcp', host: 'x' }, { channels: { bean_temp: { at: '40007' } } });
    expect(await runCheck(checkMachineMap)).toEqual(
      found('trouble', /channels\.bean_temp\.at/, /check-map .*map\.json/),
    );
    await writeMap({ kind: 'rtu', baud: 300 });
    expect(await runCheck(checkMachineMap)).toEqual(
      found('warning', /300 baud carries at most 1\.2 readings a second .* asks for 2/, /higher baud rate/),
    );
  });
});

describe('machine and values', () => {
  it('doctor: reports a closed port of the machine', async () => {
    await writeMap({ kind: 'tcp', host: '127.0.0.1', port: await closedPort() });
    expect(await runCheck(checkMachine)).toEqual(found('trouble', /ECONNREFUSED/, /Enable Modbus TCP/));
    expect((await runCheck(checkValues)).outcome).toBe('skipped');
  });
  it('doctor: reports a machine that accepts connections but does not answer', async () => {
    const mute = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => {
      mute.listen(0, '127.0.0.1', () => resolve());
    });
    await writeMap({ kind: 'tcp', host: '127.0.0.1', port: (mute.address() as AddressInfo).port });
    expect(await runCheck(checkMachine)).toEqual(found('trouble', /no answer within 150 ms/, /unit number/));
    mute.close();
  });
  it('doctor: reports an unknown host name of the machine', async () => {
    await writeMap({ kind: 'tcp', host: 'no-such-roaster.invalid', port: 502 });
    expect(await runCheck(checkMachine)).toEqual(found('trouble', /ENOTFOUND|EAI_AGAIN/, /address in the map/));
  });
  it('doctor: reports a missing serial adapter', async () => {
    await writeMap({ kind: 'rtu', path: '/dev/ttyUSB97' });
    expect(await runCheck(checkMachine)).toEqual(
      found('trouble', /no serial port \/dev\/ttyUSB97/, /Plug in the serial adapter/),
    );
  });
  it('doctor: reports a disconnected probe', async () => {
    registers = [2013, 32_767];
    expect(await runCheck(checkValues)).toEqual(
      found('warning', /No valid value from exhaust_temp: bean_temp 201\.3 °C, exhaust_temp -- \(bad\)/, /plugged in/),
    );
  });
  it('doctor: reports an implausible scale', async () => {
    registers = [8013, 2331];
    expect(await runCheck(checkValues)).toEqual(found('trouble', /bean_temp 801.3 °C can't be/, /word order or scale/));
    registers = [20_130, 2331];
    expect(await runCheck(checkValues)).toEqual(
      found('trouble', /from bean_temp: bean_temp -- \(out of range\)/, /plugged in.*word order or scale/),
    );
  });
  it('doctor: reports bean and exhaust temperature that look exchanged after roasts with this map', async () => {
    await keepExchanged(1);
    expect((await runCheck(checkChannels)).outcome).toBe('good');
    await keepExchanged(2);
    expect(await runCheck(checkChannels)).toEqual(
      found('warning', /look exchanged .*: 2 roasts in a row agree/, /Map and settings/),
    );
    await writeMap({ kind: 'tcp', host: '127.0.0.1', port: machine.port }, { rev: 2 });
    expect((await runCheck(checkChannels)).outcome).toBe('good');
  });
  it('doctor: reports a map of the portal that this agent can’t use', async () => {
    home.map = { v: 1, id: 'of-a-later-server', colour: 'red' };
    const without = { MACHINE_MAP: '' };
    expect(await runCheck(checkMachineMap, without)).toEqual(
      found('trouble', /portal’s map for this machine is invalid: maker/, /in the portal again/),
    );
    // The rest of the server's response is still valid.
    expect(await runCheck(checkCredential, without)).toMatchObject({ outcome: 'good' });
    const running = { ...env, ...without, STATUS_PORT: String(await closedPort()) };
    const agent = await time.run(startAgent(readBoardConfig(folder, running), log, time));
    try {
      const seen = await time.run(inspectBoard(folder, running, time).agent());
      expect(seen.kind === 'seen' && concernsOf(seen.status)[0]?.says).toMatch(/^No machine map yet: .*is invalid/);
    } finally {
      await time.run(agent.close());
    }
  });
  it('doctor: reports an agent without a machine map, with an instruction', async () => {
    const running = { ...env, MACHINE_MAP: '', STATUS_PORT: String(await closedPort()) };
    const agent = await time.run(startAgent(readBoardConfig(folder, running), log, time));
    try {
      const says = found('trouble', /^No machine map yet: choose one in the portal\.$/, /Map and settings/);
      await expect.poll(time.passing(() => runCheck(checkMachineMap, running))).toEqual(says);
      expect(await runCheck(checkAgent, running)).toMatchObject({ outcome: 'good' });
      expect(await runCheck(checkMachine, running)).toMatchObject({ outcome: 'skipped' });
      expect(await runCheck(checkValues, running)).toMatchObject({ outcome: 'skipped' });
      await expect
        .poll(time.passing(async () => (await runCheck(checkBroker, running)).says))
        .toMatch(/agent is connected/);
    } finally {
      await time.run(agent.close());
    }
  });
  it('doctor: reports a machine that refuses every address of the map', async () => {
    await using picky = await startScriptedServer(
      'tcp',
      () => ({ exception: 2 }),
      () => 0,
    );
    await writeMap({ kind: 'tcp', host: '127.0.0.1', port: picky.port });
    const verdict = await runCheck(checkMachine);
    expect(verdict).toEqual(
      found('trouble', /answers at tcp .*, but rejects every address of the map/, /map is for this model/),
    );
    expect(verdict.says).not.toMatch(/does not answer/);
  });
  it('doctor: reports a missing register according to the running agent', async () => {
    await using picky = await startScriptedServer(
      'tcp',
      ({ start }) => (start === 900 ? { exception: 2 } : {}),
      () => 2013,
    );
    await writeMap(
      { kind: 'tcp', host: '127.0.0.1', port: picky.port },
      { channels: { bean_temp: { at: 'i:0', scale: 0.1 }, exhaust_temp: { at: 'i:900' } } },
    );
    const running = { ...env, STATUS_PORT: String(await closedPort()) };
    const agent = await time.run(startAgent(readBoardConfig(folder, running), log, time));
    try {
      await expect
        .poll(time.passing(() => runCheck(checkValues, running)))
        .toEqual(found('warning', /exhaust_temp -- \(refused\)/, /no such register\. Correct the address/));
    } finally {
      await time.run(agent.close());
    }
  });
  it('doctor: reports a missing register', async () => {
    await using picky = await startScriptedServer(
      'tcp',
      ({ start }) => (start === 900 ? { exception: 2 } : {}),
      () => 2013,
    );
    await writeMap(
      { kind: 'tcp', host: '127.0.0.1', port: picky.port },
      { channels: { bean_temp: { at: 'i:0', scale: 0.1 }, exhaust_temp: { at: 'i:900' } } },
    );
    expect(await runCheck(checkValues)).toEqual(
      found('warning', /exhaust_temp -- \(refused\)/, /no such register\. Correct the address/),
    );
  });
  it('doctor: reports a map of another machine', async () => {
    await writeMap(
      { kind: 'tcp', host: '127.0.0.1', port: machine.port },
      { channels: { bean_temp: { at: 'i:0', range: [0, 10] } } },
    );
    expect(await runCheck(checkValues)).toEqual(
      found('trouble', /No channel has a valid value/, /map is for this model/),
    );
  });
});

/** A small disk mounted over the data folder, which requires root. */
const mountDisk = (options: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', join(folder, 'data')], { stdio: 'ignore' }).status === 0;
const unmountDisk = (): void => {
  spawnSync('umount', ['-l', join(folder, 'data')], { stdio: 'ignore' });
};

describe('clock and disk', () => {
  it('doctor: reports a clock that is hours off', async () => {
    home.clockAheadMs = 3 * 3_600_000;
    expect(await runCheck(checkClock)).toEqual(found('trouble', /3 h behind the server's/, /timedatectl set-ntp true/));
    home.clockAheadMs = -20_000;
    expect(await runCheck(checkClock)).toEqual(found('warning', /20 s ahead of the server's/, /set-ntp/));
  });
  it('doctor: reports a missing data folder', async () =>
    expect(await runCheck(checkDisk, { DATA_DIR: join(folder, 'gone') })).toEqual(
      found('trouble', /does not exist/, /systemctl restart roastery-agent/),
    ));

  it('doctor: reports a full and a read-only disk (needs root for a small tmpfs)', async (context) => {
    context.skip(!mountDisk('size=1m'), 'only root may mount a tmpfs');
    expect(await runCheck(checkDisk)).toEqual(found('trouble', /is full: 1 MiB free/, /vacuum-size/));
    unmountDisk();
    mountDisk('size=1m,ro');
    expect(await runCheck(checkDisk)).toEqual(found('trouble', /read-only/, /replace the card/));
    unmountDisk();
  });
});

describe('network, certificate, api and credential', () => {
  it('doctor: reports an unreachable server', async () => {
    const API_URL = `http://127.0.0.1:${await closedPort()}`;
    expect(await runCheck(checkNetwork, { API_URL })).toEqual(
      found('trouble', /Nothing answers at 127\.0\.0\.1/, /API_URL has the right port/),
    );
    expect(await runCheck(checkApi, { API_URL })).toMatchObject({ outcome: 'skipped' });
    expect(await runCheck(checkCredential, { API_URL })).toMatchObject({ outcome: 'skipped' });
  });
  it('doctor: reports an unknown host name of the server', async () =>
    expect(await runCheck(checkNetwork, { API_URL: 'https://no-such-roastery.invalid' })).toEqual(
      found('trouble', /is unknown|No DNS server/, /API_URL|network/),
    ));
  it('doctor: reports an unencrypted connection', async () =>
    expect(await runCheck(checkTls, { API_URL: 'http://192.0.2.1' })).toEqual(
      found('warning', /not encrypted/, /https:/),
    ));
  it('doctor: reports a port without TLS', async () =>
    expect(await runCheck(checkTls, { API_URL: home.url.replace('http:', 'https:') })).toEqual(
      found('trouble', /does not speak TLS/, /443/),
    ));
  it.skipIf(!canMakeCertificates)(
    'doctor: reports a certificate of an unknown authority (skipped without openssl)',
    async () => {
      await using unknown = await startHomeServer(makeCertificate(folder, 'home', 'IP:127.0.0.1', 30));
      expect(await runCheck(checkTls, { API_URL: unknown.url })).toEqual(
        found('trouble', /signed by an unknown authority/, /NODE_EXTRA_CA_CERTS/),
      );
    },
  );
  it('doctor: reports an address without a portal', async () => {
    expect(await runCheck(checkApi, { API_URL: `${home.url}/shop` })).toEqual(
      found('trouble', /no portal at .* \(status 404\)/, /API_URL/),
    );
    home.body = '<html>Welcome to your router</html>';
    expect(await runCheck(checkApi)).toEqual(found('trouble', /does not understand/, /outdated/));
  });
  it('doctor: reports a server with an internal error', async () => {
    home.status = 503;
    expect(await runCheck(checkApi)).toEqual(found('warning', /status 503/, /continues to record/));
  });
  it('doctor: reports a revoked token', async () => {
    expect(await runCheck(checkCredential, { MACHINE_TOKEN: 'an-old-token' })).toEqual(
      found('trouble', /does not accept the token/, /new ticket/),
    );
    expect(await runCheck(checkApi, { MACHINE_TOKEN: 'an-old-token' })).toMatchObject({ outcome: 'good' });
  });
});

describe('broker', () => {
  it('doctor: reports an unreachable broker', async () =>
    expect(await runCheck(checkBroker, { MQTT_URL: `mqtt://127.0.0.1:${await closedPort()}` })).toEqual(
      found('trouble', /Nothing answers/, /server is running/),
    ));
  it('doctor: reports a broker that refuses the board', async () => {
    broker.accepts = false;
    try {
      expect(await runCheck(checkBroker)).toEqual(found('trouble', /refuses this board/, /new ticket/));
    } finally {
      broker.accepts = true;
    }
  });
  it('doctor: reports an address without a broker', async () =>
    expect(await runCheck(checkBroker, { MQTT_URL: `mqtt://127.0.0.1:${home.port}` })).toEqual(
      found('trouble', /does not answer like an MQTT broker/, /address/),
    ));
  it('doctor: finds the broker that works among several, and warns of one that can’t be reached', async () => {
    const away = `mqtt://127.0.0.1:${await closedPort()}`;
    home.mqttUrls = [away, broker.url];
    expect(await runCheck(checkBroker)).toEqual(
      found('warning', /Nothing answers.* Otherwise 127\.0\.0\.1:\d+ accepts this board/, /server is running/),
    );
    home.mqttUrls = [away];
    expect(await runCheck(checkBroker)).toEqual(found('trouble', /Nothing answers/, /server is running/));
  });
  it('doctor: skips a broker whose address only an unreachable api knows', async () => {
    const API_URL = `http://127.0.0.1:${await closedPort()}`;
    expect(await runCheck(checkBroker, { API_URL })).toMatchObject({ outcome: 'skipped' });
    await writeFile(join(folder, 'data', 'device.json'), JSON.stringify({ mqtt_url: broker.url }));
    expect(await runCheck(checkBroker, { API_URL })).toMatchObject({ outcome: 'good' });
  });

  it.skipIf(!canMakeCertificates).each([
    ['expired', 'IP:127.0.0.1', -1, /no longer valid by this board's clock/, /timedatectl set-ntp true/],
    ['for another name', 'DNS:elsewhere.example', 30, /for another name/, /name of the certificate/],
  ])('a certificate that is %s (skipped without openssl)', async (name, address, days, says, todo) => {
    const { path, ...certificate } = makeCertificate(folder, name.replaceAll(' ', '-'), address, days);
    const server = createTlsServer(certificate).on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve());
    });
    const MQTT_URL = `mqtts://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect.poll(async () => (await runCheck(checkBroker, { MQTT_URL, MQTT_CA: path })).says).toMatch(says);
    expect(await runCheck(checkBroker, { MQTT_URL, MQTT_CA: path })).toEqual(found('trouble', says, todo));
    server.close();
  });
});
