// `npm run bench`: runs every benchmark in its own process and prints a table for each. `npm run bench -- slow-phone`
// runs those whose file name contains the word; `--json file` also writes the figures; `--help` lists them.
import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CannotPrepare, prepare, ROOT } from '../../stack/bin/prepare.mjs';

const BUILT = path.join(ROOT, 'packages', 'lab', 'dist');
const NAMES = readdirSync(path.join(ROOT, 'packages', 'lab', 'src', 'benches'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => path.basename(file, '.ts'));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
    inside: { type: 'string' },
    named: { type: 'boolean', default: false },
  },
});
const isWanted = (name) => positionals.length === 0 || positionals.some((word) => name.includes(word));

if (values.help || !NAMES.some(isWanted)) {
  console.log(`npm run bench -- [part of a name …] [--json file]\nBenches: ${NAMES.join(', ')}`);
  if (!values.help) process.exitCode = 1;
} else if (values.inside === undefined) await runAll();
else await runInside(values.inside);

async function runAll() {
  try {
    await prepare();
    await run([path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', 'packages/lab']);
  } catch (error) {
    console.error(error instanceof CannotPrepare ? error.message : error);
    process.exitCode = 1;
    return;
  }
  const names = NAMES.filter(isWanted);
  console.log(
    `Node ${process.versions.node}, ${os.cpus().length} × ${os.cpus()[0]?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GB\n`,
  );
  const named = positionals.length > 0 ? ['--named'] : [];
  const all = {};
  let failed = 0;
  for (const name of names) {
    const { code, result } = await run([
      path.join(ROOT, 'packages', 'lab', 'bin', 'bench.mjs'),
      '--inside',
      name,
      ...named,
    ]);
    if (result === undefined) failed += 1;
    else all[name] = result;
    // A benchmark that ran to its end has also failed when it missed a required target.
    if (code !== 0) process.exitCode = 1;
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
  const aims = Object.values(all)
    .flat()
    .filter(({ reached }) => reached !== undefined);
  console.log(
    `${names.length - failed} of ${names.length} benches ran, ${aims.filter(({ reached }) => reached).length} of ${aims.length} aims reached`,
  );
  if (failed > 0) process.exitCode = 1;
}

function load(file) {
  return import(pathToFileURL(path.join(BUILT, file)).href);
}

/** In the child process: runs one benchmark, prints its table and sends its figures to the parent. */
async function runInside(name) {
  const { benchTable, judge } = await import('@roastery/testing/bench');
  const { default: bench } = await load(path.join('benches', `${name}.js`));
  console.log(`${bench.title} (${name})`);
  if (bench.onlyWhenNamed === true && !values.named) {
    console.log(`  left out: takes long; npm run bench -- ${name}\n`);
    process.send?.([]);
    process.disconnect?.();
    return;
  }
  const measurements = await bench.run((line) => console.log(`  ${line}`));
  console.log(`${benchTable(measurements)}\n`);
  process.send?.(measurements.map((measurement) => ({ ...measurement, ...judge(measurement) })));
  if (bench.mustReach === true && measurements.some((one) => judge(one)?.reached === false)) process.exitCode = 1;
  process.disconnect?.();
}

function run(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let result;
  child.once('message', (message) => {
    result = message;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, result }));
  });
}
