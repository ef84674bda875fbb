// The table of `npm test -- --costs`: CPU time of each file with all its processes (api, Postgres, browser, boards).
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const MOST_FILES = 20;
const seconds = (value) => value.toFixed(1).padStart(8);

/**
 * Prints projects and the most expensive files. A project's first file also pays for modules and servers that later ones
 * share.
 * @param {(import('./run-report.mjs').FileOfRun & { cpuSeconds: number })[]} files
 * @param {string} how what the time was read from
 * @param {string} root its packages/testing/cpu-budgets.json has the CPU seconds that a project may take
 * @returns {number} how many projects exceed their budget
 */
export function printCosts(files, how, root) {
  const projects = groupByProject(files);
  const source = path.join(root, 'packages', 'testing', 'cpu-budgets.json');
  const budgets = existsSync(source) ? JSON.parse(readFileSync(source, 'utf8')) : {};
  console.log(
    `\nCPU time (${how})\n${'project'.padEnd(12)}${'files'.padStart(6)}${'tests'.padStart(7)}   CPU s  wall s  budget`,
  );
  let exceeded = 0;
  for (const [project, own] of projects) {
    const cpu = sum(own, ({ cpuSeconds }) => cpuSeconds);
    const budget = budgets[project];
    const isOver = cpu > (budget ?? Number.POSITIVE_INFINITY);
    if (isOver) exceeded += 1;
    const tests = sum(own, (file) => file.tests.length);
    console.log(
      `${project.padEnd(12)}${String(own.length).padStart(6)}${String(tests).padStart(7)}${seconds(cpu)}${seconds(sum(own, (file) => file.seconds))}${String(budget ?? 'none').padStart(8)}${isOver ? '  EXCEEDED' : ''}`,
    );
  }
  console.log('\nThe most expensive files:  CPU s  wall s');
  for (const { file, cpuSeconds, seconds: wall } of files
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
    .slice(0, MOST_FILES))
    console.log(`${seconds(cpuSeconds)}${seconds(wall)}  ${path.relative(root, file)}`);
  return exceeded;
}

const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);

function groupByProject(files) {
  const groups = new Map();
  for (const file of files) groups.set(file.project, [...(groups.get(file.project) ?? []), file]);
  return groups;
}
