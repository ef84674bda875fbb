import { fork } from 'node:child_process';
import path from 'node:path';
import type { ServersEnvironment } from '@roastery/stack/stack';
import { repositoryRoot, v8Options } from './shared-data.ts';

/** Runs api and broker for one stack after the other, in one process that stays warm. */
export interface SharedServers {
  /** Ends the servers of the stack before, and resolves when those of this one are ready. */
  start(environments: ServersEnvironment): Promise<{ close(): Promise<void> }>;
  /** Whether its process still runs. */
  readonly isAlive: () => boolean;
}

interface Answer {
  readonly id: number;
  readonly failure?: string;
}

/** Starts the process. It ends with ours, and only delays our end while it works for us. */
export const openSharedServers = (): SharedServers => {
  const program = path.join(repositoryRoot(), 'packages', 'testing', 'bin', 'shared-servers.mjs');
  const child = fork(program, {
    execArgv: [...v8Options],
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC' },
  });
  const waiting = new Map<number, (failure?: string) => void>();
  let requests = 0;
  child.on('message', ({ id, failure }: Answer) => {
    waiting.get(id)?.(failure);
    waiting.delete(id);
    rest();
  });
  child.once('exit', (code, signal) => {
    for (const settle of waiting.values()) settle(`the shared servers ended (${signal ?? `exit code ${code}`})`);
    waiting.clear();
  });
  const rest = (): void => {
    if (waiting.size > 0) return;
    child.unref();
    child.channel?.unref();
  };
  const ask = (message: { start?: ServersEnvironment }): Promise<void> =>
    new Promise((resolve, reject) => {
      const id = (requests += 1);
      waiting.set(id, (failure) => (failure === undefined ? resolve() : reject(new Error(failure))));
      child.ref();
      child.channel?.ref();
      child.send({ id, ...message });
    });
  return {
    start: async (environments) => {
      await ask({ start: environments });
      return { close: () => ask({}) };
    },
    isAlive: () => child.exitCode === null && child.signalCode === null,
  };
};

let ofWorker: SharedServers | undefined;

/** The process of this worker for stacks of which one runs at a time: the stacks of its files, since those share this module. */
export const serversOfWorker = (): SharedServers => {
  if (ofWorker?.isAlive() !== true) ofWorker = openSharedServers();
  return ofWorker;
};
