import path from 'node:path';
import { superviseProcess, type SupervisedProcess } from '@roastery/stack/supervised-process';
import { repositoryRoot } from './shared-data.ts';

/**
 * Runs the build of a program outside of a stack; it is started again when it dies.
 * @param name its workspace
 */
export const startProgram = (
  name: 'api' | 'broker' | 'device-agent',
  env: Record<string, string>,
  { args = [], onLine = () => undefined }: { args?: readonly string[]; onLine?: (line: string) => void } = {},
): SupervisedProcess => {
  const script = path.join(repositoryRoot(), name, 'dist', 'main.js');
  return superviseProcess({ name, script, env, args, onLine, onRestart: () => undefined });
};
