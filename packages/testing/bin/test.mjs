// `npm test`: makes the clone ready, verifies it, then runs every test. The last line counts them all.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CannotPrepare, prepare, ROOT } from '../../stack/bin/prepare.mjs';
import { runVerifyStep, VERIFY_STEPS } from './verify-steps.mjs';

const counts = { passed: 0, failed: 0, skipped: 0 };
const scratch = mkdtempSync(path.join(os.tmpdir(), 'roastery-test-run-'));

try {
  await prepare();
  for (const step of VERIFY_STEPS) counts[(await runVerifyStep(step)) ? 'passed' : 'failed'] += 1;
  // The fast tests first: what they find needs no database to be understood.
  for (const projects of [['fast'], ['system', 'browser']]) await runTests(projects);
} catch (error) {
  console.error(error instanceof CannotPrepare ? error.message : error);
  counts.failed += 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
process.exitCode = counts.failed === 0 ? 0 : 1;
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);

/** Streams what vitest says and adds what it counted. */
async function runTests(projects) {
  const report = path.join(scratch, `${projects.join('-')}.json`);
  const code = await run([
    path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...projects.map((project) => `--project=${project}`),
    '--reporter=default',
    `--reporter=${path.join(ROOT, 'packages', 'testing', 'bin', 'second-try-reporter.mjs')}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  const result = readReport(report);
  counts.passed += result.numPassedTests;
  counts.skipped += result.numPendingTests + result.numTodoTests;
  // A file that can't be loaded has no tests that could fail, and an error outside of every test belongs to none.
  const unloaded = result.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  const failed = result.numFailedTests + unloaded.length;
  counts.failed += failed === 0 && code !== 0 ? 1 : failed;
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    console.error('vitest ended without a report');
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  }
}

function run(args) {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
