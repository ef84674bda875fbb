// The checks that need neither database nor browser.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT } from '../../stack/bin/prepare.mjs';

const inModules = (file) => path.join(ROOT, 'node_modules', ...file.split('/'));

/** Checks of the sources without running them. `npm test` runs them beside the tests. */
export const STATIC_CHECKS = [
  // Several checkers work out the same types. GOGC: collecting garbage rarely costs memory instead of time.
  { name: 'types', command: [inModules('typescript/bin/tsc'), '-b', '--checkers', '1'], env: { GOGC: '400' } },
  { name: 'lint', command: [inModules('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'], env: { GOGC: '200' } },
  { name: 'format', command: [inModules('oxfmt/bin/oxfmt'), '--check', '.'] },
];

/** What `npm run verify` runs. Its last step is of fast tests, so `npm test` has them among those. */
export const VERIFY_STEPS = [
  ...STATIC_CHECKS,
  {
    name: 'structure',
    command: [
      inModules('vitest/vitest.mjs'),
      'run',
      '--project',
      'fast',
      ...['structure', 'function-sizes', 'documents'].map((name) => `packages/testing/src/${name}.test.ts`),
    ],
  },
];

/**
 * Runs one step and prints its result and duration, and its output when it failed.
 * @returns {Promise<boolean>} whether it passed
 */
export async function runVerifyStep({ name, command, env = {} }) {
  const began = Date.now();
  const { code, output } = await runQuietly(command, env);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${code === 0 ? '✓' : '✗'} ${name.padEnd(10)} ${seconds} s`);
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

function runQuietly(args, env) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  const append = (chunk) => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', append);
  child.stderr.setEncoding('utf8').on('data', append);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
