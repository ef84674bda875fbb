// The common part of `npm test` and `npm run endurance`: prepares the clone, runs Vitest, runs failed files once more,
// and counts the tests.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotPrepare, prepare, ROOT } from '../../stack/bin/prepare.mjs';
import {
  countTests,
  failuresOf,
  hasFailed,
  MOST_SECOND_RUNS,
  MOST_UNSTEADY,
  PROJECTS_WITH_SECOND_RUN,
  readReport,
  resultOfBoth,
} from './run-report.mjs';

const REPORTER = fileURLToPath(new URL('run-reporter.mjs', import.meta.url));

/**
 * Runs the phases one after another, then each failed file once more. Prints what is unsteady, and as the last line the
 * counts: `N passed, N failed`, with `, N skipped` if any. The exit code is 1 when something failed.
 * `test-results/<name>.json` keeps all failures whole.
 * @param {{ name: string, phases: Phase[], root?: string }} plan `root` is the folder of Vitest's configuration
 * @typedef {{ runs: string[][], checks?: () => Promise<boolean[]> }} Phase one Vitest for each list of projects, all at the
 *   same time; `checks` run beside them and count as one test each
 */
export async function runTests({ name, phases, root = ROOT }) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'roastery-test-run-'));
  let reports = 0;
  const vitest = async (projects, file) => {
    const report = path.join(scratch, `${(reports += 1)}.jsonl`);
    return readReport(report, await runVitest({ root, projects, report, file }));
  };
  try {
    if (root === ROOT) await prepare();
    const checked = [];
    const reported = [];
    for (const { runs, checks = async () => [] } of phases) {
      const [passed, ...ended] = await Promise.all([checks(), ...runs.map((projects) => vitest(projects))]);
      checked.push(...passed);
      reported.push(...ended);
    }
    const results = await runAgain(
      reported.flatMap(({ files }) => files),
      vitest,
    );
    const stray = reported.flatMap((run) => run.stray);
    const outcome = judge(checked, stray, results);
    printOutcome(outcome, root);
    keep(outcome, root, name);
    Object.assign(counts, outcome.counts);
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

/** @returns {Promise<number>} Vitest's exit code */
function runVitest({ root, projects, report, file }) {
  const child = spawn(
    process.execPath,
    [
      path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...projects.map((project) => `--project=${project}`),
      '--passWithNoTests',
      '--reporter=default',
      `--reporter=${REPORTER}`,
      ...(file === undefined ? [] : [file]),
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TEST_RUN_REPORT: report } },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Runs failed files once more, each alone. Returns every file with its results. */
async function runAgain(files, vitest) {
  const failed = files.filter((file) => hasFailed(file) && PROJECTS_WITH_SECOND_RUN.includes(file.project));
  const isTooMany = failed.length > MOST_SECOND_RUNS;
  if (isTooMany) console.log(`\n${failed.length} files failed, more than ${MOST_SECOND_RUNS}: none is run again`);
  const second = new Map();
  for (const { project, file } of isTooMany ? [] : failed) {
    console.log(`\nOnce more, alone: ${file}`);
    const { files: ran, stray } = await vitest([project], file);
    // Vitest also runs files whose path begins with this one.
    const own = ran.find((one) => one.file === file);
    if (own !== undefined) second.set(file, { ...own, outside: [...own.outside, ...stray] });
  }
  return files.map((first) => resultOfBoth(first, second.get(first.file)));
}

function judge(checked, stray, results) {
  const counts = countTests(results.map(({ last }) => last));
  const isTooUnsteady = results.filter(({ isUnsteady }) => isUnsteady).length > MOST_UNSTEADY;
  counts.passed += checked.filter(Boolean).length;
  counts.failed += checked.filter((passed) => !passed).length + stray.length + (isTooUnsteady ? 1 : 0);
  return { counts, results, stray, isTooUnsteady };
}

/** A build server may keep only the end of the output: what matters most is printed last. */
function printOutcome({ results, stray, isTooUnsteady }, root) {
  const nameOf = (file, test) => [path.relative(root, file), ...(test === undefined ? [] : [test])].join(' › ');
  const skipped = results.flatMap(({ last: { file, tests } }) =>
    tests
      .filter(({ state }) => state === 'skipped')
      .map(({ name, note }) => `  ${nameOf(file, name)}${note === undefined ? '' : ` (${note})`}`),
  );
  if (skipped.length > 0) console.log(`\nSkipped:\n${skipped.join('\n')}`);
  for (const { last } of results) {
    for (const { test, text } of failuresOf(last))
      console.log(`\nFAILED ${nameOf(last.file, test)}\n${shortened(text)}`);
  }
  for (const text of stray) console.log(`\nFAILED outside of all files\n${shortened(text)}`);
  const unsteady = results
    .filter(({ isUnsteady }) => isUnsteady)
    .flatMap(({ first }) => failuresOf(first).map(({ test, text }) => ({ name: nameOf(first.file, test), text })));
  for (const { name, text } of unsteady) console.log(`\nFAILED THE FIRST TIME ${name}\n${text}`);
  if (unsteady.length > 0) console.log('');
  for (const { name, text } of unsteady) console.log(`unsteady: ${name}: ${text.split('\n')[0]}`);
  if (isTooUnsteady) console.log(`More than ${MOST_UNSTEADY} files are unsteady, which fails this run`);
}

const shortened = (text) => text.split('\n').slice(0, 12).join('\n').slice(0, 1500);

/** All failures whole, of first and second runs. */
function keep({ counts, results, stray }, root, name) {
  const folder = path.join(root, 'test-results');
  mkdirSync(folder, { recursive: true });
  const inShort = ({ first, last }) => ({
    file: path.relative(root, first.file),
    project: first.project,
    first: failuresOf(first),
    ...(last === first ? {} : { second: failuresOf(last) }),
  });
  const kept = {
    ...counts,
    unsteady: results.filter(({ isUnsteady }) => isUnsteady).map(inShort),
    failed: results.filter(({ last }) => hasFailed(last)).map(inShort),
    stray,
  };
  writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
}
