// `npm run test:noise`: `npm test` on a busy computer. Beside it a loop on every core and a program that syncs its writes;
// processes of the tests are stopped for 0.2 to 2 s, one after another. The runner, Vitest itself and the project `timed`
// are not stopped. `-- --seed 7` repeats the choices of an earlier run, `-- file.mjs` runs another program than `npm test`.
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { commandOf, endProcesses, openRunFolder, openRunProcesses, removeRunFolder, send } from './run-processes.mjs';

const BUSY = 'for (;;);';
const SYNCING = `
  import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
  const bytes = Buffer.alloc(1 << 20);
  for (;;) {
    const file = openSync(process.argv[1], 'w');
    for (let written = 0; written < 8; written++) {
      writeSync(file, bytes);
      fsyncSync(file);
    }
    closeSync(file);
  }`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const program = positionals[0] ?? fileURLToPath(new URL('test.mjs', import.meta.url));
console.log(`noise: seed ${seed}`);

/** Mulberry32: numbers from 0 to 1 that a seed repeats. */
const random = (() => {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
})();

/** @type {import('node:child_process').ChildProcess | undefined} */
let tests;
const ending = new AbortController();
// Before anything is started: a signal that ends this program leaves the noise behind.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    ending.abort();
    tests?.kill(signal);
  });
const processes = openRunProcesses();
const folder = openRunFolder();
const run = (...args) => spawn(process.execPath, args, { stdio: 'ignore' });
for (let core = 0; core < os.availableParallelism(); core++) run('-e', BUSY);
run('--input-type=module', '-e', SYNCING, path.join(folder, 'synced'));
tests = spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit'] });
const ended = new Promise((resolve, reject) => {
  tests.once('error', reject);
  tests.once('close', (code) => resolve(code ?? 1));
});

/** The processes from one up to the runner, without that; none if it is not below the runner. */
function upToRunner(one, byPid) {
  const chain = [];
  for (let at = one; at?.pid !== tests.pid; at = byPid.get(at.parent)) {
    if (at === undefined) return [];
    chain.push(at);
  }
  return chain;
}

function stoppable() {
  const byPid = new Map(processes.look().map((one) => [one.pid, one]));
  return [...byPid.values()].filter((one) => {
    const commands = upToRunner(one, byPid).map(commandOf);
    const isTimed = commands.some((command) => command.includes('--project=timed'));
    return commands.length > 0 && !isTimed && !commands[0].includes('vitest.mjs run');
  });
}

const stopping = (async () => {
  while (!ending.signal.aborted) {
    await sleep(200 + 1300 * random());
    const candidates = stoppable();
    const chosen = candidates[Math.floor(random() * candidates.length)];
    const stoppedMs = 200 + 1800 * random();
    if (chosen === undefined || ending.signal.aborted) continue;
    send('SIGSTOP', [chosen]);
    await sleep(stoppedMs);
    send('SIGCONT', [chosen]);
  }
})();

process.exitCode = await ended;
ending.abort();
await stopping;
await endProcesses(processes);
removeRunFolder(folder, processes);
await processes.close();
