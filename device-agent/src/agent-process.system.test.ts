import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startScriptedServer, type ScriptedServer } from './testing/modbus-server.ts';
import { canPlaySystemd, openNotifySocket } from '@roastery/testing/notify-socket';
import { startTestServer, type TestServer } from './testing/test-server.ts';

/** The built program: `npx tsc -b device-agent` first. */
const program = fileURLToPath(new URL('../dist/program/main.js', import.meta.url));
let dataDir: string;
let server: TestServer;
let machine: ScriptedServer;
let charge = false;
const children = new Set<ChildProcess>();

const run = (args: readonly string[], env: Record<string, string> = {}, stdout: 'pipe' | number = 'pipe') => {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: process.env['PATH'],
      API_URL: 'http://127.0.0.1:9',
      MACHINE_SERIAL: 'RM30-7',
      MACHINE_TOKEN: 'a-canary-token',
      MACHINE_MAP: join(dataDir, 'map.json'),
      DATA_DIR: dataDir,
      MQTT_URL: server.url,
      STATUS_PORT: 'off',
      ...env,
    },
    stdio: ['ignore', stdout, 'pipe'],
  });
  children.add(child);
  let output = '';
  child.stdout?.on('data', (data) => (output += String(data)));
  child.stderr?.on('data', (data) => (output += String(data)));
  const exit = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => {
      children.delete(child);
      resolve(code);
    });
  });
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), exit, output: () => output };
};

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'agent process '));
  charge = false;
  machine = await startScriptedServer(
    'tcp',
    () => ({}),
    (_address, { code }) => (code === 2 ? Number(charge) : 2000),
  );
  server = await startTestServer('RM30-7');
  const map = {
    v: 1,
    id: 'scripted',
    maker: 'Test',
    model: 'Test',
    hz: 10,
    link: { kind: 'tcp', host: '127.0.0.1', port: machine.port },
    channels: { bean_temp: { at: 'i:0', scale: 0.1 } },
    events: { charge: { when: 'd:0' } },
  };
  await writeFile(join(dataDir, 'map.json'), JSON.stringify(map));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await machine.hangUp();
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
});

describe('device-agent', () => {
  it('stops with exit code 2 and one line for a wrong map', async () => {
    await writeFile(
      join(dataDir, 'map.json'),
      '{"v":1,"id":"x","maker":"a","model":"b","link":{"kind":"tcp","host":"h"},"channels":{"bean_temp":{"at":"40007"}}}',
    );
    const agent = run(['run']);
    expect(await agent.exit).toBe(2);
    expect(agent.output().trim().split('\n')).toHaveLength(1);
    expect(agent.output()).toMatch(/channels\.bean_temp\.at.*write .*h:6/);
    const check = run(['check-map', join(dataDir, 'map.json')]);
    expect(await check.exit).toBe(2);
  });

  it('runs without a machine map, and `device-agent status` reports it', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const env = { MACHINE_MAP: '', STATUS_PORT: String(port) };
    run(['run'], env);
    const mapless = { online: true, machine_link_detail: 'no machine map' };
    await expect.poll(() => server.statuses.at(-1)).toMatchObject(mapless);
    const status = run(['status'], env);
    expect(await status.exit).toBe(1);
    expect(status.output()).toMatch(/^map +none yet$/m);
    expect(status.output()).toMatch(/^! No machine map yet: choose one in the portal\.$/m);
    expect(status.output()).not.toMatch(/null|undefined/);
  });

  it('refuses a second agent on the same data, and replaces a killed one', async () => {
    const first = run(['run']);
    await expect.poll(() => server.live.length).toBeGreaterThan(0);
    const second = run(['run']);
    expect(await second.exit).toBe(2);
    expect(second.output()).toMatch(/another agent \(process \d+\)/);
    first.kill('SIGKILL');
    await first.exit;
    const before = server.live.length;
    run(['run']);
    await expect.poll(() => server.live.length).toBeGreaterThan(before);
  });

  it('continues its roast through repeated SIGKILL; no journal entry is lost or duplicated', async () => {
    let agent = run(['run']);
    await expect.poll(() => server.live.length).toBeGreaterThan(5);
    charge = true;
    const roast = () => server.live.at(-1)?.roast?.id;
    await expect.poll(roast).toBeDefined();
    const id = roast();
    for (let round = 0; round < 4; round++) {
      // Killed after one more reading, after three, …
      const kept = server.live.length;
      await expect.poll(() => server.live.length, { interval: 5 }).toBeGreaterThan(kept + 2 * round);
      agent.kill('SIGKILL');
      await agent.exit;
      const shown = server.live.length;
      agent = run(['run']);
      await expect.poll(() => server.live.length).toBeGreaterThan(shown);
      expect(roast()).toBe(id);
    }
    agent.kill('SIGTERM');
    expect(await agent.exit).toBe(0);
    await expect.poll(() => server.statuses.at(-1)).toMatchObject({ online: false });
    // The stream has no gap: each process continues the sequence of the killed one.
    const seqs = [...server.committed.keys()].map((key) => Number(key.split('/')[1])).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, seq) => seq));
    expect(agent.output()).not.toMatch(/a-canary-token/);
  });

  it.skipIf(!canPlaySystemd)(
    'reports READY, watchdog and STOPPING to systemd; journald gets priorities (skipped without python3 and systemd-notify)',
    async () => {
      await using socket = await openNotifySocket();
      const log = await open(join(dataDir, 'log'), 'w');
      const { dev, ino } = await log.stat();
      const agent = run(
        ['run'],
        { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '1000000', JOURNAL_STREAM: `${dev}:${ino}` },
        log.fd,
      );
      await log.close();
      await expect.poll(() => socket.messages.join()).toMatch(/READY=1.*WATCHDOG=1/);
      // The api of this test does not exist, which causes a warning that `journalctl -p warning` should show.
      const lines = async () => (await readFile(join(dataDir, 'log'), 'utf8')).trim().split('\n');
      await expect.poll(async () => (await lines()).some((line) => line.startsWith('<4>{"level":"warn"'))).toBe(true);
      agent.kill('SIGTERM');
      expect(await agent.exit).toBe(0);
      await expect.poll(() => socket.messages.join()).toMatch(/STOPPING=1/);
      expect((await lines()).filter((line) => !/^<[2-7]>\{"level":/.test(line))).toEqual([]);
    },
  );
});
