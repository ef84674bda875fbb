import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { artisanFile, drumRoast } from '@roastery/simulator/artisan/artisan-file';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** Prints the names of the files that are not read, and why. The agent's part that watches the folder, with a small heap. */
const program = `
  const { watchArtisanFiles } = await import(${JSON.stringify(new URL('../../dist/artisan/artisan-files.js', import.meta.url).href)});
  const { realClock } = await import('@roastery/runtime/clock');
  const log = { warn: (fields, text) => console.log(text), info() {} };
  const [folder, dataDir] = process.argv.slice(1);
  const config = { apiUrl: 'http://127.0.0.1:9/api/v1', machineSerial: 'RM30-7', machineToken: 'token', dataDir };
  const files = await watchArtisanFiles({ config, folder, pastDays: null, clock: realClock, log, changed: () => {
    for (const { name, state, reason } of files?.report().newest ?? []) console.log(name, state, reason);
  } });`;

let home: string;
let running: ChildProcess | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'deadly file '));
  await mkdir(join(home, 'autosave'));
  await mkdir(join(home, 'data'));
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

const start = () => {
  const args = ['--max-old-space-size=24', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, [...args, join(home, 'autosave'), join(home, 'data')], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running = child;
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
  return { child, output: () => output };
};

it('a file that ends the agent: is tried twice, then reported instead of read, and the others are read', async () => {
  const texts = Array.from({ length: 900_000 }, (_, n) => `'${n}'`).join(',');
  await writeFile(join(home, 'autosave/deadly.alog'), `{'x': [${texts}]}`);
  for (const _ of [1, 2]) {
    const { child } = start();
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    // V8 aborts a process whose heap is full.
    expect(signal).toBe('SIGABRT');
  }
  await writeFile(join(home, 'autosave/good.alog'), artisanFile(drumRoast(1_700_000_000_000)));
  const { output } = start();
  await expect.poll(output).toContain('deadly.alog refused the agent ended twice while it read this file');
  expect(output()).toContain('artisan: file ended the agent');
  await expect.poll(output).toMatch(/good\.alog waiting the server can’t be reached/);
});
