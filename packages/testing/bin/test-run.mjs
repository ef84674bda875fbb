// The common part of `npm test` and `npm run endurance`: prepares the clone, runs Vitest, runs failed files once more,
// and counts the tests.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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
import { printCosts } from './run-costs.mjs';
import { commandOf, endProcesses, openRunFolder, openRunProcesses, removeRunFolder } from './run-processes.mjs';

const REPORTER = fileURLToPath(new URL('run-reporter.mjs', import.meta.url));

/**
 * Runs the phases one after another, then each failed file once more. Prints what is unsteady, and as the last line the
 * counts: `N passed, N failed`, with `, N skipped` if any. The exit code is 1 when something failed.
 * `test-results/<name>.json` keeps all failures whole.
 * @param {{ name: string, phases: Phase[], root?: string, costs?: boolean }} plan `root` is the folder of Vitest's
 *   configuration; with `costs` each file runs alone, its CPU time is printed, and that of a project must keep its budget
 * @typedef {{ runs: string[][], checks?: () => Promise<boolean[]> }} Phase one Vitest for each list of projects, all at the
 *   same time; `checks` run beside them and count as one test each
 */
export async function runTests({ name, phases, root = ROOT, costs = false }) {
  const began = performance.now();
  const processes = openRunProcesses();
  const folder = openRunFolder();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const interruption = endWhenInterrupted(processes, folder);
  let reports = 0;
  const vitest = async (projects, file) => {
    const report = path.join(folder, `report-${(reports += 1)}.jsonl`);
    const usage = costs ? (processes.usage ?? null) : undefined;
    const code = await runVitest({ root, projects, report, file, usage });
    await interruption.hold();
    return readReport(report, code);
  };
  try {
    if (root === ROOT) await prepare();
    // Nothing of a test stays, whatever it forgets to remove.
    process.env.TMPDIR = folder;
    const outcome = await runPhases(phases, vitest, processes.cpuSeconds);
    if (costs)
      outcome.counts.failed += printCosts(
        outcome.results.map(({ first }) => first),
        processes.how,
        root,
      );
    const left = {
      files: readdirSync(folder).filter((file) => !/^report-|^roastery-(?:browser|ports)-/.test(file)),
      processes: processes.look().map((one) => commandOf(one).slice(0, 200)),
    };
    const cost = { wallSeconds: (performance.now() - began) / 1000, cpuSeconds: processes.cpuSeconds() };
    console.log(
      `\n${Math.round(cost.wallSeconds)} s, CPU ${Math.round(cost.cpuSeconds)} s (${processes.how}). Left by tests and removed: ${left.files.length} files, ${left.processes.length} processes`,
    );
    printOutcome(outcome, root);
    keep({ ...outcome, left, cost }, root, name);
    Object.assign(counts, outcome.counts);
  } catch (error) {
    await interruption.hold();
    console.error(error instanceof CannotPrepare ? error.message : error);
    counts.failed += 1;
  } finally {
    await endProcesses(processes);
    removeRunFolder(folder, processes);
    await processes.close();
  }
  process.exitCode = counts.failed === 0 ? 0 : 1;
  const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
}

/** A signal to this process alone ends all that it started. `hold` waits for that, once it has begun. */
function endWhenInterrupted(processes, folder) {
  let isInterrupted = false;
  const end = async (signal) => {
    if (isInterrupted) return;
    isInterrupted = true;
    console.log(`\n${signal}: ending all processes of this run`);
    await endProcesses(processes);
    removeRunFolder(folder, processes);
    await processes.close();
    process.exit(128 + os.constants.signals[signal]);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, (name) => void end(name));
  return { hold: () => (isInterrupted ? new Promise(() => undefined) : Promise.resolve()) };
}

async function runPhases(phases, vitest, cpuSeconds) {
  const checked = [];
  const reported = [];
  for (const { runs, checks = async () => [] } of phases) {
    const began = { at: performance.now(), cpu: cpuSeconds() };
    const [passed, ...ended] = await Promise.all([checks(), ...runs.map((projects) => vitest(projects))]);
    printPhase(runs.flat(), (performance.now() - began.at) / 1000, cpuSeconds() - began.cpu);
    checked.push(...passed);
    reported.push(...ended);
  }
  const results = await runAgain(
    reported.flatMap(({ files }) => files),
    vitest,
  );
  const stray = reported.flatMap((run) => run.stray);
  return judge(checked, stray, results);
}

/** Processors that wait while tests are left are time to win. */
function printPhase(projects, wallSeconds, cpuSeconds) {
  const busy = Math.round((100 * cpuSeconds) / wallSeconds / os.availableParallelism());
  console.log(
    `\n${projects.join(', ')}: ${Math.round(wallSeconds)} s, CPU ${Math.round(cpuSeconds)} s, processors busy ${busy} %`,
  );
}

/** @returns {Promise<number>} Vitest's exit code */
function runVitest({ root, projects, report, file, usage }) {
  const child = spawn(
    process.execPath,
    [
      path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...projects.map((project) => `--project=${project}`),
      '--passWithNoTests',
      '--reporter=default',
      `--reporter=${REPORTER}`,
      ...(usage === undefined ? [] : ['--no-file-parallelism']),
      ...(file === undefined ? [] : [file]),
    ],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        TEST_RUN_REPORT: report,
        ...(usage === undefined ? {} : { TEST_RUN_COSTS: JSON.stringify(usage) }),
      },
    },
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
  console.log('');
  for (const { name, text } of unsteady) console.log(`unsteady: ${name}: ${text.split('\n')[0]}`);
  if (isTooUnsteady) console.log(`More than ${MOST_UNSTEADY} files are unsteady, which fails this run`);
}

const shortened = (text) => text.split('\n').slice(0, 12).join('\n').slice(0, 1500);

/** All failures whole, of first and second runs. */
function keep({ counts, results, stray, left, cost }, root, name) {
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
    ...cost,
    unsteady: results.filter(({ isUnsteady }) => isUnsteady).map(inShort),
    failures: results.filter(({ last }) => hasFailed(last)).map(inShort),
    stray,
    left,
  };
  writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
}
