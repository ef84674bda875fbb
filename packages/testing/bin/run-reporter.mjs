// Vitest reporter of `npm test` and `npm run endurance`: appends to the file TEST_RUN_REPORT a line of JSON for the
// planned files, for each file that ended, and for the end. A run that breaks off leaves what it knew; see
// run-report.mjs. With TEST_RUN_COSTS a file's line has the CPU time since the file before: nothing runs beside it.
import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { openRunProcesses, readUsage } from './run-processes.mjs';

export default class RunReporter {
  #cpuSeconds = openMeter();
  #atLast = 0;

  onTestRunStart(specifications) {
    this.#atLast = this.#cpuSeconds();
    append({ planned: specifications.map(({ project, moduleId }) => ({ project: project.name, file: moduleId })) });
  }

  onTestModuleEnd(module) {
    const now = this.#cpuSeconds();
    append({ ended: { ...resultOf(module), cpuSeconds: now - this.#atLast } });
    this.#atLast = now;
  }

  onTestRunEnd(_modules, errors) {
    append({ complete: errors.map((error) => ({ file: error.VITEST_TEST_PATH, text: textOf(error) })) });
  }
}

/** The CPU time so far, of the cgroup that the runner names or of this process and those below it. */
function openMeter() {
  const costs = process.env.TEST_RUN_COSTS;
  if (costs === undefined) return () => 0;
  const usage = JSON.parse(costs);
  return usage === null ? openRunProcesses({ inCgroup: false }).cpuSeconds : () => readUsage(usage);
}

const append = (line) => appendFileSync(process.env.TEST_RUN_REPORT, `${JSON.stringify(line)}\n`);

function resultOf(module) {
  const tests = [...module.children.allTests()].map((test) => {
    const { state, errors = [], note } = test.result();
    return { name: test.fullName, state, note, failure: errors.map(textOf).join('\n\n') };
  });
  // A hook outside of a test may fail, or the file does not load.
  const outside = [module, ...module.children.allSuites()].flatMap((part) => part.errors()).map(textOf);
  return {
    project: module.project.name,
    file: module.moduleId,
    seconds: module.diagnostic().duration / 1000,
    tests,
    outside,
  };
}

/** The whole error with its differences; of the stack what is not of a dependency. */
function textOf({ name, message, stack, diff, cause }) {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line) && !/node_modules|node:/.test(line));
  const parts = [
    `${name ?? 'Error'}: ${message}`,
    diff,
    ...frames,
    cause?.message === undefined ? undefined : `Caused by: ${cause.message}`,
  ];
  return stripVTControlCharacters(parts.filter(Boolean).join('\n'));
}
