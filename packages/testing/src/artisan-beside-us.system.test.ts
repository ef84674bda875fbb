import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fromNow } from '@roastery/api/testing/present';
import { artisanCommand, packagesPath, portablePackageName } from '@roastery/contract/board-packages';
import { listDevices, reissuePairingTicket } from '@roastery/contract/fleet';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, listRoasts, updateRoast } from '@roastery/contract/roasts';
import { portablePackage } from '@roastery/device-agent/packaging/portable-package';
import { bundleProgram } from '@roastery/device-agent/packaging/program-bundle';
import { portOf } from '@roastery/runtime/system-errors';
import { drumRoast } from '@roastery/simulator/artisan/artisan-file';
import { startArtisanProgram, type ArtisanProgram } from '@roastery/simulator/artisan/artisan-program';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerTestMachine, signIn, type RoasteryClient } from './roastery-client.ts';
import { hurriedClock, repositoryRoot } from './shared-data.ts';
import { serversOfWorker } from './shared-servers.ts';
import { startTestStack, type TestStack } from './test-stack.ts';
import { until } from './until.ts';

/** The agent's clock runs this many times as fast: a roast takes 45 s. */
const factor = 16;
const serial = 'ARTISAN-1';

let stack: TestStack;
let client: RoasteryClient;
let artisan: ArtisanProgram;
let folder: string;
let token: string;
let agent: ChildProcess | undefined;

const startAgent = (): void => {
  agent = spawn(process.execPath, [path.join(repositoryRoot(), 'device-agent', 'dist', 'program', 'main.js'), 'run'], {
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: hurriedClock(factor),
      API_URL: stack.url,
      MACHINE_SERIAL: serial,
      MACHINE_TOKEN: token,
      DATA_DIR: path.join(stack.folder, 'agent'),
      STATUS_PORT: 'off',
      ARTISAN_FOLDER: folder,
      ARTISAN_URL: artisan.url,
      ARTISAN_UNIT: 'C',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};
const endAgent = async (): Promise<void> => {
  if (agent === undefined || agent.exitCode !== null) return;
  const ended = new Promise((resolve) => agent?.once('exit', resolve));
  agent.kill('SIGKILL');
  await ended;
};
const pause = () =>
  new Promise((resolve) => {
    setTimeout(resolve, 1000 / factor);
  });
const device = async () => (await client.call(listDevices)).devices.find((one) => one.serial_number === serial);
const allRoasts = async () => (await client.call(listRoasts)).roasts;
const eventually = <T>(what: string, condition: () => Promise<T | false | undefined>, timeoutMs = 60_000) =>
  until(what, condition, { timeoutMs, everyMs: 200 });

beforeAll(async () => {
  stack = await startTestStack({ servers: serversOfWorker() });
  folder = path.join(stack.folder, 'autosave');
  await mkdir(folder);
  client = await signIn(stack.url, stack.admin);
  ({ auth_token: token } = await registerTestMachine(client, serial));
  artisan = await startArtisanProgram();
}, 120_000);
afterAll(async () => {
  await endAgent();
  await artisan.close();
  await stack.close();
});

describe('Artisan on the agent’s computer', () => {
  it('is followed live; with its file it is one roast, also across an interruption', async () => {
    startAgent();
    await eventually('the agent to follow Artisan', async () => artisan.watchers() === 1);
    const live = drumRoast(0);
    await artisan.play(live, [0, 260], pause);
    const running = await eventually('the roast to run', async () => (await allRoasts())[0]);
    expect(running.status).toBe('in_progress');
    await client.call(updateRoast, { params: { id: running.id }, body: { batch_size_kg: 13 } });
    // Artisan is closed and reopened: two minutes are not recorded live.
    artisan.hangUp();
    for (let second = 260; second < 380; second++) await pause();
    await eventually('the agent to follow Artisan again', async () => artisan.watchers() === 1);
    await artisan.play(live, [380, 720], pause);
    const followed = await eventually('the drop to be found', async () => {
      const [roast] = await allRoasts();
      return roast?.status === 'completed' && roast;
    });
    expect(followed.id).toBe(running.id);
    const before = await client.call(getRoast, { params: { id: running.id } });
    const charge = before.marks.find(({ kind }) => kind === 'charge');
    expect(charge).toBeDefined();
    // Both programs run on one computer, so they have one clock.
    const startedAtMs = Date.parse(before.start_time) - 60_000;
    const facts = {
      startedAtMs,
      uuid: 'the-roast',
      title: 'Guji',
      greenKg: 12,
      roastedKg: 10,
      batchPrefix: 'P5-',
      batchNumber: 42,
    };
    await artisan.save(folder, 'roast.alog', drumRoast(startedAtMs, facts));
    const joined = await eventually('the file to be brought in', async () => {
      const roast = await client.call(getRoast, { params: { id: running.id } });
      return roast.source_batch === 'P5-42' && roast;
    });
    expect(joined).toMatchObject({
      status: 'completed',
      batch_number: running.batch_number,
      coffee_name: 'Guji',
      batch_size_kg: 13,
      end_weight_kg: 10,
      duration_seconds: 600,
    });
    expect(joined.marks.find(({ kind }) => kind === 'first_crack')).toMatchObject({
      time_seconds: 480,
      origin: 'person',
    });
    const curve = await client.call(getRoastCurveColumns, {
      params: { id: running.id },
      query: { before: 60, after: 60 },
    });
    expect(curve.gaps).toEqual([]);
    expect(curve.time_seconds).toHaveLength(361);
    expect(await allRoasts()).toHaveLength(1);
  }, 240_000);

  it('is known after a kill and under another name; edited and new files are sent', async () => {
    const [known] = await allRoasts();
    const startedAtMs = Date.parse(known?.start_time ?? '') - 60_000;
    const warmer = drumRoast(0).beanTempC.map((temp) => (temp ?? 0) + 1);
    await endAgent();
    await artisan.rename(folder, 'roast.alog', 'renamed.alog');
    startAgent();
    await artisan.save(folder, 'offline.alog', {
      ...drumRoast(startedAtMs - 7_200_000, { title: 'Never live' }),
      beanTempC: warmer,
    });
    await eventually('the other file to be brought in', async () => (await allRoasts()).length === 2);
    await artisan.save(folder, 'renamed.alog', {
      ...drumRoast(startedAtMs, { uuid: 'the-roast', title: 'Guji natural', greenKg: 12, roastedKg: 10 }),
      firstCrack: 520,
    });
    const edited = await eventually('the edited file to be brought in', async () => {
      const roast = await client.call(getRoast, { params: { id: known?.id ?? '' } });
      return roast.coffee_name === 'Guji natural' && roast;
    });
    expect(edited.batch_size_kg).toBe(13);
    expect(edited.marks.find(({ kind }) => kind === 'first_crack')?.time_seconds).toBe(460);
    expect(await allRoasts()).toHaveLength(2);
  }, 120_000);

  it('shows the results of its files in the fleet view, and reports an Artisan that stops as silent', async () => {
    await artisan.save(folder, 'empty.alog', {
      ...drumRoast(fromNow(0)),
      beanTempC: drumRoast(0).seconds.map(() => null),
    });
    const source = await eventually('the refused file to be listed', async () => {
      const found = (await device())?.source;
      return found?.files?.refused === 1 && found;
    });
    expect(source).toMatchObject({ kind: 'artisan', live: true, files: { sent: 3, waiting: 0, trouble: null } });
    expect(source.files?.newest).toContainEqual({
      name: 'empty.alog',
      state: 'refused',
      reason: 'The file has no bean temperature readings, so it contains no roast.',
    });
    const silent = await eventually('the silence to be said', async () => {
      const now = await device();
      return now?.machine_link === 'failing' && now;
    });
    expect(silent.machine_link_detail).toMatch(/^Artisan is connected but sends no readings/);
    expect(silent.warnings).not.toContain('no_map');
  }, 120_000);
});

describe('the one command for a computer that runs Artisan', () => {
  it('loads the agent with npx, pairs it with the ticket and sends its files', async () => {
    const { content } = portablePackage(await bundleProgram(), { version: '0.1.0', seconds: 1_700_000_000 });
    const portal = createServer((request, response) => {
      const isPackage = request.url === `${packagesPath}/${portablePackageName('0.1.0')}`;
      response.writeHead(isPackage ? 200 : 404).end(isPackage ? content : '');
    });
    await new Promise<void>((resolve) => {
      portal.listen(0, '127.0.0.1', resolve);
    });
    const other = await registerTestMachine(client, 'ARTISAN-2');
    const ticket = await client.call(reissuePairingTicket, { params: { id: other.id } });
    const autosave = path.join(stack.folder, 'other autosave');
    await mkdir(autosave);
    const beans = drumRoast(0).beanTempC.map((temp) => (temp ?? 0) + 2);
    await artisan.save(autosave, 'roast.alog', { ...drumRoast(fromNow(-3_600_000)), beanTempC: beans });
    const here = `http://127.0.0.1:${portOf(portal)}`;
    // As shown in the portal; in the test the package and the api have two addresses.
    const shown = artisanCommand(here, portablePackageName('0.1.0'), `PAIR-${ticket.pairing_code}`).replace(
      `--api ${here}`,
      `--api ${stack.url}`,
    );
    const [program = '', ...words] = shown.split(' ');
    const settings = ['--config-dir', path.join(stack.folder, 'computer'), '--folder', autosave, '--live', 'off'];
    const child = spawn(program, [...words, ...settings], {
      cwd: stack.folder,
      env: {
        PATH: process.env['PATH'],
        HOME: stack.folder,
        npm_config_cache: path.join(stack.folder, 'npm'),
        STATUS_PORT: 'off',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    try {
      const found = await eventually('its roast to be in the portal', async () =>
        (await allRoasts()).find((roast) => roast.machine_id === other.id),
      );
      expect(found).toMatchObject({ status: 'completed', duration_seconds: 600 });
    } finally {
      // npx and the agent below it.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await new Promise((resolve) => portal.close(resolve));
    }
  }, 120_000);
});
