import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgent, type Agent } from './agent.ts';
import { createWallClock } from './core/wall-clock.ts';
import { openJournal } from './journal/journal.ts';
import { startScriptedServer, type ScriptedServer } from './testing/modbus-server.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

const log = createLogger('test', 'silent');
const serial = 'RM30-8';
const mayMount = (() => {
  const place = mkdtempSync(join(tmpdir(), 'may-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', ['-l', place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
})();
const why = 'only root may mount a small tmpfs';

let time: VirtualClock;
let folder: string;
let disk: string;
let server: TestServer;
let machine: ScriptedServer;
let agent: Agent | undefined;

beforeEach(async () => {
  time = createVirtualClock();
  folder = await mkdtemp(join(tmpdir(), 'bad-disk-'));
  disk = join(folder, 'disk');
  await mkdir(disk);
  if (mayMount) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  server = await startTestServer(serial);
  machine = await startScriptedServer(
    'tcp',
    () => ({}),
    () => 2000,
    time,
  );
  const link = { kind: 'tcp', host: '127.0.0.1', port: machine.port };
  const channels = { bean_temp: { at: 'i:0', as: 'i16', scale: 0.1 } };
  const map = {
    v: 1,
    id: 'scripted',
    maker: 'Test',
    model: 'Test',
    hz: 10,
    timeoutMs: 500,
    quietMs: 100,
    link,
    channels,
  };
  await writeFile(join(folder, 'map.json'), JSON.stringify(map));
});
afterEach(async () => {
  if (agent) await time.run(agent.close());
  agent = undefined;
  await machine[Symbol.asyncDispose]();
  await server.kill();
  if (mayMount) execFileSync('umount', ['-l', disk]);
  await rm(folder, { recursive: true, force: true });
});

const start = async (): Promise<void> => {
  agent = await startAgent(
    {
      apiUrl: 'http://127.0.0.1:9/api/v1',
      machineSerial: serial,
      machineToken: 'token',
      firmwareVersion: '1.0.0',
      machineMapPath: join(folder, 'map.json'),
      dataDir: disk,
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
const samplesOf = (epoch: string | undefined): number =>
  server.batches.reduce(
    (sum, batch) => sum + (batch.k === 'samples' && (!epoch || batch.epoch === epoch) ? batch.dt.length : 0),
    0,
  );

const earlier = 200;
/** A journal with readings that the server does not have yet. */
const writeEarlier = async (): Promise<string> => {
  const boot = '0a1b2c3d-0000-4000-8000-000000000001';
  const journal = await openJournal({
    folder: join(disk, 'journal'),
    capBytes: 1e8,
    segmentBytes: 4000,
    clock: createWallClock(() => ({ boot, mono: 1e6, wall: 1.8e12, synced: true })),
    log,
    context: { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] },
    state: () => undefined,
  });
  for (let seq = 0; seq < earlier; seq++) {
    journal.appendSample(1000 * seq, [seq / 8]);
    if (seq % 10 === 0) await journal.flush();
  }
  await journal.close();
  return journal.epoch;
};
const fillDisk = async (): Promise<void> => {
  await writeFile(join(disk, 'filler'), Buffer.alloc(2e6)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
};

const gaps = () =>
  server.batches
    .flatMap((batch) => (batch.k === 'events' ? batch.ev.map(({ e }) => e) : []))
    .filter(({ type }) => type === 'gap');

describe('agent on a disk that is not writable', () => {
  it('read-only from the start: sends its readable entries, and live readings from memory', async (context) => {
    if (!mayMount) context.skip(why);
    const epoch = await writeEarlier();
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    await start();
    await expect.poll(time.passing(() => samplesOf(epoch))).toBe(earlier);
    await expect.poll(time.passing(() => samplesOf(undefined) - samplesOf(epoch))).toBeGreaterThan(10);
    await expect.poll(time.passing(() => server.statuses.at(-1))).toMatchObject({
      journal: { in_memory: true },
      machine_link_detail: expect.stringMatching(/EROFS/),
    });
    // The card works again: it has the later readings.
    execFileSync('mount', ['-o', 'remount,rw', disk]);
    await expect.poll(time.passing(() => server.statuses.at(-1)?.journal)).not.toMatchObject({ in_memory: true });
  });

  it('full from the start without segments to drop: still records', async (context) => {
    if (!mayMount) context.skip(why);
    await fillDisk();
    await start();
    await expect.poll(time.passing(() => samplesOf(undefined))).toBeGreaterThan(10);
    await expect.poll(time.passing(() => server.statuses.at(-1)?.journal)).toMatchObject({ in_memory: true });
    await rm(join(disk, 'filler'));
    await expect.poll(time.passing(() => server.statuses.at(-1)?.journal)).not.toMatchObject({ in_memory: true });
  });

  it('full from the start with segments: drops the oldest, reports it, and records on the disk', async (context) => {
    if (!mayMount) context.skip(why);
    const epoch = await writeEarlier();
    await fillDisk();
    await start();
    await expect.poll(time.passing(() => samplesOf(epoch))).toBeGreaterThan(50);
    await expect.poll(time.passing(() => server.statuses.at(-1)?.journal)).not.toMatchObject({ in_memory: true });
    await expect
      .poll(time.passing(gaps))
      .toEqual(expect.arrayContaining([expect.objectContaining({ from_seq: 0, reason: 'disk_full' })]));
  });

  it('a journal folder that is a file: still records', async (context) => {
    if (!mayMount) context.skip(why);
    await writeFile(join(disk, 'journal'), 'not a folder');
    await start();
    await expect.poll(time.passing(() => samplesOf(undefined))).toBeGreaterThan(10);
    await expect.poll(time.passing(() => server.statuses.at(-1)?.journal)).toMatchObject({ in_memory: true });
  });
});
