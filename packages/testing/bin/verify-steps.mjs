// The checks that need no database and no browser, in seconds: what `npm run verify` runs, and `npm test` runs first.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../../stack/bin/prepare.mjs';

const inModules = (file) => path.join(ROOT, 'node_modules', ...file.split('/'));

export const VERIFY_STEPS = [
  { name: 'types', command: [inModules('typescript/bin/tsc'), '-b'] },
  { name: 'lint', command: [inModules('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'format', command: [inModules('oxfmt/bin/oxfmt'), '--check', '.'] },
  {
    name: 'structure',
    command: [inModules('vitest/vitest.mjs'), 'run', '--project', 'fast', 'packages/testing/src/structure.test.ts'],
  },
];

/**
 * Runs one step and says how it went; what it printed is shown when it failed.
 * @returns {Promise<boolean>} whether it passed
 */
export async function runVerifyStep({ name, command }) {
  const began = Date.now();
  const { code, output } = await runQuietly(command);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${code === 0 ? '✓' : '✗'} ${name.padEnd(10)} ${seconds} s`);
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

function runQuietly(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const gather = (chunk) => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', gather);
  child.stderr.setEncoding('utf8').on('data', gather);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
