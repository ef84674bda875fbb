import path from 'node:path';
import { superviseProcess, type SupervisedProcess } from '@roastery/stack/supervised-process';
import { repositoryRoot } from './shared-data.ts';
import { until, type WaitOptions } from './until.ts';

/**
 * Runs the build of a program outside of a stack; it is started again when it dies.
 * @param name its workspace
 */
export const startProgram = (
  name: 'api' | 'broker' | 'device-agent',
  env: Record<string, string>,
  { args = [], onLine = () => undefined }: { args?: readonly string[]; onLine?: (line: string) => void } = {},
): SupervisedProcess => {
  const script = path.join(repositoryRoot(), name, 'dist', 'program', 'main.js');
  return superviseProcess({ name, script, env, args, onLine, onRestart: () => undefined });
};

/** Kills a program, and waits until its next process has started. */
export const killProgram = async (program: SupervisedProcess, options?: WaitOptions): Promise<void> => {
  const { restarts } = program;
  program.kill('SIGKILL');
  await until(
    `the next start of ${program.name}`,
    () => program.restarts > restarts && program.pid !== undefined,
    options,
  );
};
