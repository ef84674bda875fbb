import { execFile, execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { createMachineMap, setBoardConfig } from '@roastery/contract/machine-maps';
import { registerMachine } from '@roastery/contract/machines';
import { getRoastCurve } from '@roastery/contract/roast-curves';
import { listRoasts } from '@roastery/contract/roasts';
import { freePort } from '@roastery/stack/ports';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { serversOfWorker } from '@roastery/testing/shared-servers';
import { startTestStack, type TestStack } from '@roastery/testing/test-stack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedServer, type ScriptedServer } from '../testing/modbus-server.ts';
import { packageFor } from './board-package.ts';
import { bundleProgram, type Architecture } from './program-bundle.ts';

const here: Partial<Record<NodeJS.Architecture, Architecture>> = { x64: 'amd64', arm64: 'arm64', arm: 'armhf' };
const architecture = here[process.arch];
const canUnpack = architecture !== undefined && spawnSync('sh', ['-c', 'command -v dpkg-deb']).status === 0;

let folder: string;
let stack: TestStack;
let admin: RoasteryClient;
let machine: ScriptedServer;
let service: ChildProcess | undefined;
/** The readings of the drum: tenths of °C, and the bit of its charge. */
const drum = { beans: 2000, charge: false };
const configDir = () => join(folder, 'etc');
const program = () => join(folder, 'board/usr/lib/roastery-agent/dist/main.js');

beforeAll(async () => {
  stack = await startTestStack({ servers: serversOfWorker() });
  ({ folder } = stack);
  admin = await signIn(stack.url, stack.admin);
  machine = await startScriptedServer(
    'tcp',
    () => ({}),
    (_address, { code }) => (code === 2 ? Number(drum.charge) : drum.beans),
  );
});
afterAll(async () => {
  service?.kill('SIGKILL');
  await machine.hangUp();
  await stack.close();
});

/** A command typed at the board. */
const type = (...words: string[]): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    const all = [program(), ...words, '--config-dir', configDir()];
    const child = execFile(process.execPath, all, { env: { PATH: process.env['PATH'] } }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, said: `${out}${err}` }),
    );
  });
/** Runs the unit like systemd: its two environment files, then the program. */
const startService = async (): Promise<void> => {
  const files = await Promise.all(
    ['settings.env', 'agent.env'].map((name) => readFile(join(configDir(), name), 'utf8')),
  );
  const env = Object.assign({ PATH: process.env['PATH'] }, ...files.map((text) => parseEnv(text))) as NodeJS.ProcessEnv;
  service = spawn(process.execPath, [program(), 'run'], { env, stdio: 'ignore' });
};

it.skipIf(!canUnpack)(
  'from the package to the live curve, with some mistakes on the way (skipped without dpkg-deb)',
  async () => {
    const link = { kind: 'tcp', host: '127.0.0.1', port: 502 } as const;
    const channels = { bean_temp: { at: 'i:0', scale: 0.1 } } as const;
    const map = {
      v: 1,
      id: 'drum',
      maker: 'Test',
      model: 'Drum',
      hz: 4,
      link,
      channels,
      events: { charge: { when: 'd:0' } },
    } as const;
    const { id: map_id } = await admin.call(createMachineMap, { body: { map } });
    const registered = await admin.call(registerMachine, {
      body: { serial_number: 'BOARD-1', display_name: 'Drum', machine_type: 'RM15', max_capacity_kg: 15, map_id },
    });
    const where = { map_id, host: '127.0.0.1', port: machine.port };
    await admin.call(setBoardConfig, { params: { id: registered.id }, body: where });

    const { fileName, content } = packageFor(architecture ?? 'amd64', await bundleProgram());
    await writeFile(join(folder, fileName), content);
    execFileSync('dpkg-deb', ['--extract', join(folder, fileName), join(folder, 'board')]);
    await mkdir(configDir());
    await writeFile(
      join(configDir(), 'settings.env'),
      `DATA_DIR=${join(folder, 'board-data')}\nSTATUS_PORT=${await freePort()}\n`,
    );

    expect(await type('doctor')).toMatchObject({
      code: 1,
      said: expect.stringMatching(/not paired.*\n.*device-agent pair/),
    });
    const ticket = `PAIR-${registered.pairing_code}`;
    const misspelt = ticket.replace(/.$/, (letter) => (letter === 'B' ? 'C' : 'B'));
    expect((await type('pair', misspelt, '--api', stack.url)).said).toMatch(/not accepted.*Check its letters/);
    expect((await type('pair', ticket, '--api', 'http://127.0.0.1:9')).said).toMatch(/Nothing answers.*after --api/);
    expect(await type('pair', ticket, '--api', stack.url)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/Paired with Drum/),
    });
    await mkdir(join(folder, 'board-data'));
    const before = await type('doctor');
    expect(before.said).toMatch(/✗ agent .*is not running/);
    expect(before.said).toMatch(/✓ machine .*\n✓ values +bean_temp 200 °C/);
    expect(before.said).toMatch(/✓ credential .*\n✓ broker/);

    await startService();
    await expect
      .poll(async () => (await type('doctor')).said, { timeout: 30_000, interval: 500 })
      .toMatch(/✓ agent .*is running.*\n(.*\n)*✓ broker +the agent is connected/);
    drum.charge = true;
    drum.beans = 1800;
    const roasts = async () => (await admin.call(listRoasts)).roasts;
    await expect.poll(async () => (await roasts())[0]?.status, { timeout: 30_000 }).toBe('in_progress');
    const roastId = (await roasts())[0]?.id ?? '';
    const points = async () => (await admin.call(getRoastCurve, { params: { id: roastId } })).datapoints;
    await expect.poll(async () => (await points()).at(-1)?.bean_temp, { timeout: 30_000 }).toBe(180);
  },
);
