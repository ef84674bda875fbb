// The common part of `npm test` and `npm run endurance`: prepares the clone, runs Vitest and counts the tests.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CannotPrepare, prepare, ROOT } from '../../stack/bin/prepare.mjs';

/**
 * Runs Vitest once for each list of projects, all at the same time, and prints the counts as the last line:
 * `N passed, N failed`, with `, N skipped` if any. The exit code is 1 when something failed.
 * @param {{ runs: string[][], checks?: () => Promise<boolean[]> }} plan `checks` run beside the tests and count as one test each
 */
export async function runTests({ runs, checks = async () => [] }) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'roastery-test-run-'));
  try {
    await prepare();
    const reportOf = (projects) => path.join(scratch, `${projects.join('-')}.json`);
    const [checked, ...codes] = await Promise.all([
      checks(),
      ...runs.map((projects) => runVitest(projects, reportOf(projects))),
    ]);
    for (const passed of checked) counts[passed ? 'passed' : 'failed'] += 1;
    for (const [index, projects] of runs.entries()) {
      const report = readReport(reportOf(projects));
      add(counts, report, codes[index]);
      printFailures(report);
    }
  } catch (error) {
    console.error(error instanceof CannotPrepare ? error.message : error);
    counts.failed += 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  process.exitCode = counts.failed === 0 ? 0 : 1;
  const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
}

function runVitest(projects, report) {
  const child = spawn(
    process.execPath,
    [
      path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...projects.map((project) => `--project=${project}`),
      '--reporter=default',
      `--reporter=${path.join(ROOT, 'packages', 'testing', 'bin', 'skipped-reporter.mjs')}`,
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
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

function add(counts, result, code) {
  counts.passed += result.numPassedTests;
  counts.skipped += result.numPendingTests + result.numTodoTests;
  // A file that does not load has no tests that could fail, and an error outside of all tests belongs to none of them.
  const unloaded = result.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  const failed = result.numFailedTests + unloaded.length;
  counts.failed += failed === 0 && code !== 0 ? 1 : failed;
}

/**
 * The runs print at the same time, and a build server may keep only the end of the output: every failure is repeated
 * there.
 */
function printFailures({ testResults }) {
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    const file = path.relative(ROOT, name);
    if (assertionResults.length === 0 && message) console.log(`\nFAILED ${file}\n${shortened(message)}`);
    for (const { fullName, failureMessages } of failed) {
      console.log(`\nFAILED ${file} > ${fullName}\n${shortened(failureMessages.join('\n'))}`);
    }
  }
}

const shortened = (text) => text.split('\n').slice(0, 12).join('\n').slice(0, 1500);
