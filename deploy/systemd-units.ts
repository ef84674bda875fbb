import { execFileSync, spawnSync } from 'node:child_process';

/** Whether a program is installed on this computer, so that a check can state why it is skipped. */
export const isInstalled = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** All values of one key of a unit file. */
export const valuesOf = (unit: string, key: string): string[] =>
  unit
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));

/** The rating of a unit file by `systemd-analyze security`: 0 is best, 10 is a program without a sandbox. */
export const exposureOf = (unitPath: string): number => {
  const output = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unitPath], {
    encoding: 'utf8',
  });
  const found = /Overall exposure level for \S+ (\d+\.\d+)/.exec(output);
  return Number(found?.[1] ?? Number.NaN);
};

/** A unit that starts a program from another place. Quoted: systemd divides a command at its spaces. */
export const withProgram = (unit: string, program: string, place: string): string =>
  unit.replaceAll(program, `"${place.replaceAll(/["\\]/g, (sign) => `\\${sign}`).replaceAll('%', '%%')}"`);
