// `npm run test:series -- --quiet 10 --noisy 3`: runs `npm test` and `npm run test:noise` so often, one after another.
// Prints a line for each run and appends it to test-results/series.jsonl; the output of each run is beside it.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ROOT } from '../../stack/bin/prepare.mjs';

const { values } = parseArgs({
  options: { quiet: { type: 'string', default: '0' }, noisy: { type: 'string', default: '0' } },
});
const kinds = [
  ...Array.from({ length: Number(values.quiet) }, () => 'quiet'),
  ...Array.from({ length: Number(values.noisy) }, () => 'noisy'),
];
const folder = path.join(ROOT, 'test-results');
const result = path.join(folder, 'test.json');
mkdirSync(folder, { recursive: true });

for (const kind of kinds) {
  // A run that breaks off must not count with the result of the one before.
  rmSync(result, { force: true });
  const at = new Date().toISOString();
  const output = path.join(folder, `series-${at.replaceAll(':', '')}-${kind}.txt`);
  const { code, signal } = await run(kind === 'quiet' ? 'test.mjs' : 'noise.mjs', output);
  if (signal !== undefined) {
    process.exitCode = 130;
    break;
  }
  const { passed, failed, skipped, unsteady, wallSeconds, cpuSeconds } = existsSync(result)
    ? JSON.parse(readFileSync(result, 'utf8'))
    : {};
  const files = (unsteady ?? []).map(({ file }) => file);
  const line = { at, kind, code, passed, failed, skipped, unsteady: files, wallSeconds, cpuSeconds };
  appendFileSync(path.join(folder, 'series.jsonl'), `${JSON.stringify(line)}\n`);
  const counts = `${passed ?? '?'} passed, ${failed ?? '?'} failed, ${files.length} unsteady`;
  console.log(`${at} ${kind} ${counts}, ${Math.round(wallSeconds ?? 0)} s, CPU ${Math.round(cpuSeconds ?? 0)} s`);
  for (const file of files) console.log(`  unsteady: ${file}`);
  if (code !== 0) process.exitCode = 1;
}

function run(program, output) {
  const file = openSync(output, 'w');
  const script = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [script], { cwd: ROOT, stdio: ['ignore', file, file] });
  closeSync(file);
  let interruptedBy;
  const interrupt = (signal) => {
    interruptedBy = signal;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, interrupt);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of signals) process.off(signal, interrupt);
      resolve({ code, signal: interruptedBy });
    });
  });
}
