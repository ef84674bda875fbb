import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startScriptedServer, type ScriptedServer } from '../testing/modbus-server.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { packageFor } from './board-package.ts';
import { bundleProgram } from './program-bundle.ts';

/** Made by deploy/board/arm64-rehearsal.sh. */
const arm64 = process.env['ROASTERY_ARM64'] ?? join(homedir(), '.cache', 'roastery-arm64');
const [emulator, node, libraries] = ['qemu-aarch64-static', join(arm64, 'node'), join(arm64, 'root')];
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const isReady = has(emulator) && has('dpkg-deb') && existsSync(node) && existsSync(join(libraries, 'lib'));
const why = 'skipped without qemu-user and what deploy/board/arm64-rehearsal.sh prepares';

let folder: string;
let server: TestServer;
let machine: ScriptedServer;
let agent: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arm64-'));
  server = await startTestServer('RM30-7');
  machine = await startScriptedServer(
    'tcp',
    () => ({}),
    (address) => [2013, 2331][address] ?? 0,
  );
});
afterEach(async () => {
  agent?.kill('SIGKILL');
  await machine.hangUp();
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

const start = async (link: object): Promise<{ output: () => string; ended: Promise<number | null> }> => {
  const channels = { bean_temp: { at: 'i:0', scale: 0.1 }, exhaust_temp: { at: 'i:1', scale: 0.1 } };
  const map = { v: 1, id: 'm', maker: 'Test', model: 'Drum', hz: 4, link, channels };
  await writeFile(join(folder, 'map.json'), JSON.stringify(map));
  const program = join(folder, 'board', 'usr/lib/roastery-agent/dist/main.js');
  const flags = ['--max-semi-space-size=1', '--optimize-for-size'];
  const child = spawn(emulator, ['-L', libraries, node, ...flags, program, 'run'], {
    env: {
      PATH: process.env['PATH'],
      API_URL: 'http://127.0.0.1:9',
      MACHINE_SERIAL: 'RM30-7',
      MACHINE_TOKEN: 'token',
      MACHINE_MAP: join(folder, 'map.json'),
      DATA_DIR: join(folder, 'data'),
      MQTT_URL: server.url,
      STATUS_PORT: 'off',
    },
  });
  agent = child;
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  const ended = new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  return { output: () => output, ended };
};

describe('the package for arm64, on an emulated board', () => {
  it.skipIf(!isReady)(`reads a machine, ships its journal and opens a serial port (${why})`, async () => {
    const { fileName, content } = packageFor('arm64', await bundleProgram());
    await writeFile(join(folder, fileName), content);
    execFileSync('dpkg-deb', ['--extract', join(folder, fileName), join(folder, 'board')]);

    const first = await start({ kind: 'tcp', host: '127.0.0.1', port: machine.port });
    await expect
      .poll(() => server.live.at(-1)?.values, { timeout: 60_000 })
      .toEqual({ bean_temp: 201.3, exhaust_temp: 233.1 });
    await expect.poll(() => server.committed.size, { timeout: 30_000 }).toBeGreaterThan(4);
    agent?.kill('SIGTERM');
    expect(await first.ended, first.output()).toBe(0);
    expect(server.statuses.at(-1)).toMatchObject({ online: false });

    // The native part of the serial port is present and works: the kernel reports that there is no such port.
    const second = await start({ kind: 'rtu', path: '/dev/ttyUSB97' });
    await expect
      .poll(second.output, { timeout: 60_000 })
      .toMatch(/\/dev\/ttyUSB97 does not exist: check that the serial adapter is plugged in/);
  });
});
