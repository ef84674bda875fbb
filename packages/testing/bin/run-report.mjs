// What a run of Vitest reported (run-reporter.mjs), and what the results of first and second runs mean.
import { existsSync, readFileSync } from 'node:fs';

/**
 * A file with a failed test of these projects is run once more, alone, after everything else. Nothing in `fast` and
 * `component` depends on the speed of the computer: their failures are final.
 */
export const PROJECTS_WITH_SECOND_RUN = ['system', 'browser', 'timed', 'endurance'];
/** More files that pass only the second time fail the run. */
export const MOST_UNSTEADY = 3;
/** With more failed files something common to them is broken: none is run again. */
export const MOST_SECOND_RUNS = 10;

/**
 * @typedef {{ name: string, state: string, note?: string, failure: string }} TestOfRun
 * @typedef {{ project: string, file: string, seconds: number, tests: TestOfRun[], outside: string[] }} FileOfRun `outside`
 *   are errors outside of its tests
 */

/**
 * The files of a run, and failures that belong to none of them.
 * @returns {{ files: FileOfRun[], stray: string[] }}
 */
export function readReport(report, code) {
  const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n').filter(Boolean).map(JSON.parse) : [];
  const files = new Map();
  for (const { planned = [] } of lines) {
    for (const { project, file } of planned)
      files.set(file, { project, file, seconds: 0, tests: [], outside: ['The run ended before this file did.'] });
  }
  for (const { ended } of lines) if (ended !== undefined) files.set(ended.file, ended);
  const end = lines.find(({ complete }) => complete !== undefined);
  const stray = end === undefined ? [`Vitest ended without a report, with exit code ${code}.`] : [];
  for (const { file, text } of end?.complete ?? []) {
    const concerned = files.get(file);
    if (concerned === undefined) stray.push(text);
    else concerned.outside.push(text);
  }
  const all = [...files.values()];
  const isExplained = stray.length > 0 || all.some(hasFailed);
  if (code !== 0 && !isExplained) stray.push(`Vitest ended with exit code ${code}.`);
  // The second run of the files that it did not finish replaces the rest of a run that broke off.
  return { files: all, stray: end === undefined && all.some(hasFailed) ? [] : stray };
}

/** @param {FileOfRun} file */
export const hasFailed = ({ tests, outside }) => outside.length > 0 || failuresOf({ tests, outside }).length > 0;

/** The failures of a file, each with its test if it belongs to one. */
export const failuresOf = ({ tests, outside }) => [
  ...outside.map((text) => ({ test: undefined, text })),
  ...tests.filter(({ state }) => state === 'failed').map(({ name, failure }) => ({ test: name, text: failure })),
];

/**
 * A file after its second run. It is unsteady if nothing fails any more and each test that failed first passes.
 * @param {FileOfRun} first
 * @param {FileOfRun | undefined} second undefined if there was none
 * @returns {{ first: FileOfRun, last: FileOfRun, isUnsteady: boolean }}
 */
export function resultOfBoth(first, second) {
  if (second === undefined || second.tests.length === 0) return { first, last: first, isUnsteady: false };
  if (hasFailed(second)) return { first, last: second, isUnsteady: false };
  const passed = new Set(second.tests.filter(({ state }) => state === 'passed').map(({ name }) => name));
  const isMended = failuresOf(first).every(({ test }) => test === undefined || passed.has(test));
  return { first, last: isMended ? second : first, isUnsteady: isMended };
}

/** Counts tests; a file that failed outside of them counts as one failure more. */
export function countTests(files) {
  const inState = (state) =>
    files.reduce((sum, { tests }) => sum + tests.filter((one) => one.state === state).length, 0);
  const outside = files.filter(({ outside }) => outside.length > 0).length;
  return { passed: inState('passed'), failed: inState('failed') + outside, skipped: inState('skipped') };
}
