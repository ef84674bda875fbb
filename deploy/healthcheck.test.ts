import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { here } from './program-files.ts';

/** A program like those of the images: prints its port, answers 200, and after SIGUSR2 503 or never again. */
const program = (onSignal: string): string => `
let status = 200;
const server = require('node:http').createServer((_, answer) => { answer.statusCode = status; answer.end(); });
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGUSR2', () => { ${onSignal} });`;

/** Blocks the event loop without using a processor. */
const hang = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

describe('healthcheck.mjs', () => {
  let folder = '';
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'roastery-health-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const env = () => ({ ...process.env, TMPDIR: folder });
  const start = async (onSignal: string) => {
    const file = path.join(folder, 'program.cjs');
    writeFileSync(file, program(onSignal));
    const child = spawn('sh', [path.join(here, 'run-watched.sh'), file], {
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, url: `http://127.0.0.1:${String(port).trim()}/` };
  };
  const check = async (url: string): Promise<number> => {
    const child = spawn(process.execPath, [path.join(here, 'healthcheck.mjs'), url], { env: env(), stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number];
    return code;
  };

  it('kills a program that does not respond three times in a row, so that it is restarted', async () => {
    const { child, url } = await start(hang);
    expect(await check(url)).toBe(0);
    child.kill('SIGUSR2');
    const ended = once(child, 'exit');
    expect([await check(url), await check(url)]).toEqual([1, 1]);
    expect(child.signalCode).toBeNull();
    expect(await check(url)).toBe(1);
    expect(await ended).toEqual([null, 'SIGKILL']);
    // The next process starts with no misses.
    const next = await start(hang);
    expect(await check(next.url)).toBe(0);
  });

  it('reports a program that answers 503 as unhealthy and lets it run', async () => {
    const { child, url } = await start('status = 503;');
    child.kill('SIGUSR2');
    await expect.poll(() => check(url)).toBe(1);
    for (let n = 0; n < 4; n++) expect(await check(url)).toBe(1);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });
});
