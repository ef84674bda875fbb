import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createLogger } from '@roastery/runtime/logger';
import { freePort } from '@roastery/stack/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgent, type Agent } from '../agent.ts';
import { awaitIdle } from '../cli/status.ts';
import { agentPlace } from '../config.ts';
import { readBoardConfig } from '../board-files.ts';
import { startScriptedServer, type ScriptedServer } from '../testing/modbus-server.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { prepareReset, resetBoard, ResetRefused } from './factory-reset.ts';
import { secretsIn, withoutSecrets } from './secrets.ts';
import { makeSupportBundle } from './support-bundle.ts';

const token = 'canary-token+with/odd=letters';
const log = createLogger('test', 'silent');
let folder: string;
let server: TestServer;
let machine: ScriptedServer;
let charge = false;
let drop = false;
let agent: Agent | undefined;
let env: Record<string, string>;
const dataDir = () => join(folder, 'data');
const start = async (): Promise<void> => {
  agent = await startAgent(readBoardConfig(folder, env), log);
};
const stop = async (): Promise<void> => {
  await agent?.close();
  agent = undefined;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'support-'));
  charge = false;
  drop = false;
  machine = await startScriptedServer(
    'tcp',
    () => ({}),
    (address, { code }) => (code === 2 ? Number([charge, drop][address]) : 2000),
  );
  server = await startTestServer('RM30-7');
  const link = { kind: 'tcp', host: '127.0.0.1', port: machine.port };
  const channels = { bean_temp: { at: 'i:0', scale: 0.1 } };
  const map = {
    v: 1,
    id: 'm',
    maker: 'Test',
    model: 'Drum',
    hz: 10,
    link,
    channels,
    events: { charge: { when: 'd:0' }, drop: { when: 'd:1' } },
  };
  await writeFile(join(folder, 'machine-map.json'), JSON.stringify(map));
  await writeFile(
    join(folder, 'agent.env'),
    `API_URL=http://127.0.0.1:9/api/v1\nMACHINE_SERIAL=RM30-7\nMACHINE_TOKEN=${token}\nMQTT_URL=${server.url.replace('//', '//someone:canary-password@')}\n`,
    { mode: 0o600 },
  );
  const pending = { ticket: 'BCDFGHJKLMNP', api: 'http://127.0.0.1:9/api/v1', secret: 'canary-secret-of-a-pairing' };
  await writeFile(join(folder, 'pairing.json'), JSON.stringify(pending));
  await writeFile(join(folder, 'settings.env'), 'LOG_LEVEL=warn\nPROXY_PASSWORD=canary-of-a-proxy\n');
  const statusPort = String(await freePort());
  env = { MACHINE_MAP: join(folder, 'machine-map.json'), DATA_DIR: dataDir(), STATUS_PORT: statusPort };
});
afterEach(async () => {
  await stop();
  await machine.hangUp();
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});
const order = (over: { all?: boolean; discardUnsent?: boolean } = {}) => ({
  configDir: folder,
  place: agentPlace(env),
  all: false,
  discardUnsent: false,
  ...over,
});

describe('secrets', () => {
  it('of an address are removed also where a lone % makes the encoding invalid', () => {
    const secrets = secretsIn({
      MQTT_URL: 'mqtt://someone:100%canary@broker:1883',
      PROXY: 'http://a:can%61ry-two@proxy',
    });
    const text = 'tried 100%canary and can%61ry-two, then canary-two';
    expect(withoutSecrets(text, secrets)).toBe('tried [removed] and [removed], then [removed]');
  });
});

describe('support bundle', () => {
  it('contains the data for support, and no secret', async () => {
    await start();
    await expect.poll(() => server.live.length).toBeGreaterThan(0);
    await mkdir(join(dataDir(), 'journal', `copy-of-${token.replaceAll('/', '_')}`), { recursive: true });
    const bundle = await makeSupportBundle(folder, { ...env, PATH: process.env['PATH'], NOTE: `token is ${token}` });
    const text = gunzipSync(bundle).toString();
    for (const canary of [
      'canary-token+with/odd',
      'canary-password',
      'canary-secret-of-a-pairing',
      'canary-of-a-proxy',
    ])
      for (const form of [canary, encodeURIComponent(canary), Buffer.from(token).toString('base64')])
        expect(text.includes(form), form).toBe(false);
    const archive = join(folder, 'bundle.tar.gz');
    await writeFile(archive, bundle);
    const read = (name: string): string =>
      execFileSync('tar', ['-xzOf', archive, `roastery-support/${name}`], { encoding: 'utf8' });
    expect(read('agent.env')).toMatch(/API_URL=http\S+v1\nMACHINE_SERIAL=RM30-7\nMACHINE_TOKEN=\[removed\]/);
    expect(read('settings.env')).toContain('LOG_LEVEL=warn');
    expect(JSON.parse(read('status.json'))).toMatchObject({ kind: 'seen', status: { machine: { state: 'ok' } } });
    expect(JSON.parse(read('doctor.json'))).toMatchObject({ healthy: false });
    expect(read('journal.txt')).toMatch(/\d+ {2}.*epoch/);
    expect(read('machine-map.json')).toContain('bean_temp');
  });
});

describe('await-idle', () => {
  it('waits until the roast has ended', async () => {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(folder, 'settings.env'), settings.join(''));
    await start();
    await expect.poll(() => server.live.length).toBeGreaterThan(2);
    charge = true;
    await expect.poll(() => server.live.at(-1)?.roast?.state).toBe('in_progress');
    let isOver = false;
    const waiting = awaitIdle(folder).then((code) => {
      isOver = true;
      return code;
    });
    const seen = server.live.length;
    await expect.poll(() => server.live.length).toBeGreaterThan(seen + 20);
    expect(isOver).toBe(false);
    drop = true;
    expect(await waiting).toBe(0);
    expect(server.live.at(-1)?.roast?.state).not.toBe('in_progress');
  });
});

describe('factory reset', () => {
  it('waits for a roast to end, and for the agent to be stopped', async () => {
    await start();
    await expect.poll(() => server.live.length).toBeGreaterThan(0);
    await expect(prepareReset(order())).rejects.toThrow(/Stop it first: sudo systemctl stop/);
    charge = true;
    await expect.poll(() => server.live.at(-1)?.roast?.state).toBe('in_progress');
    await expect(prepareReset(order({ discardUnsent: true }))).rejects.toThrow(/A roast is running/);
    expect(await readdir(folder)).toContain('agent.env');
  });

  it('keeps unsent entries, unless discarding is requested', async () => {
    server.acknowledges = false;
    await start();
    await expect.poll(() => server.live.length).toBeGreaterThan(3);
    await stop();
    await expect(prepareReset(order())).rejects.toThrow(
      /holds \d+ entries that the server doesn't have.*--discard-unsent/,
    );
    await prepareReset(order({ discardUnsent: true }));
  });

  it('deletes credential and journal but not the map; with --all that too', async () => {
    await start();
    await expect.poll(() => server.committed.size).toBeGreaterThan(3);
    await stop();
    await writeFile(join(dataDir(), 'machine-map.json'), '{}');
    const before = (await readdir(join(dataDir(), 'journal'))).length;
    expect(before).toBeGreaterThan(0);
    const unsent = await prepareReset(order()).then(
      () => 0,
      (error: unknown) => (error instanceof ResetRefused ? 1 : 2),
    );
    expect(unsent).toBe(0);
    await resetBoard(order());
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'machine-map.json', 'settings.env']);
    expect(await readdir(dataDir())).toEqual(['machine-map.json']);
    await resetBoard(order({ all: true }));
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'settings.env']);
    expect(await readdir(dataDir())).toEqual([]);
  });
});
