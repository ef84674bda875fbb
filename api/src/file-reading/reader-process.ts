import type { JobReport, JobRequest, Stopped } from './file-job.ts';
import { readFrame, writeFrame } from './frames.ts';
import type { ReaderLauncher } from './reader-launcher.ts';

export interface ReaderLimits {
  /** From the request to the answer. */
  readonly deadlineMs: number;
  /** JavaScript heap of the process; V8 ends a process that exceeds it. */
  readonly heapMegabytes: number;
  /** All memory of the process, buffers included. */
  readonly residentMegabytes: number;
}

const megabyte = 1024 * 1024;

export interface ReaderProcess {
  /** The end of its stderr, once it has ended. */
  lastWords(): string;
  /** Does one job. After `stopped` the process is gone. */
  run(request: JobRequest, content: Uint8Array): Promise<JobReport | Stopped>;
  readonly ended: Promise<void>;
  kill(): void;
}

/** Starts a process that reads files. It gets no environment, so none of the api's secrets, and ends with the api. */
export const startReaderProcess = (launcher: ReaderLauncher, limits: ReaderLimits): ReaderProcess => {
  const launched = launcher.start({
    nodeArgs: [`--max-old-space-size=${limits.heapMegabytes}`, '--enable-source-maps'],
    maxResidentBytes: limits.residentMegabytes * megabyte,
  });
  let lastWords = '';
  let isLate = false;
  const stopped = launched.ended.then(({ isStarted, isTooLarge, stderr }): Stopped => {
    lastWords = stderr;
    if (!isStarted) return { kind: 'stopped', why: 'not_started' };
    return { kind: 'stopped', why: isLate ? 'too_slow' : isTooLarge ? 'too_large' : 'crashed' };
  });
  // Not a race of promises: `stopped` lives as long as the process, and would keep every report of it in memory.
  let end: Stopped | undefined;
  const atEnd = new Set<(end: Stopped) => void>();
  const settleAll = async (): Promise<void> => {
    end = await stopped;
    for (const settle of atEnd) settle(end);
    atEnd.clear();
  };
  void settleAll();
  const reportOrEnd = (request: JobRequest, content: Uint8Array): Promise<JobReport | Stopped> =>
    new Promise((resolve) => {
      const settle = async (): Promise<void> => {
        // A socket fails when its reader ends.
        const answer = end ?? (await ask(request, content).catch(() => stopped));
        atEnd.delete(resolve);
        resolve(answer);
      };
      atEnd.add(resolve);
      void settle();
    });
  const ask = async (request: JobRequest, content: Uint8Array): Promise<JobReport | Stopped> => {
    const started = await launched.started;
    if (started === undefined) return stopped;
    writeFrame(started.socket, request);
    started.socket.write(content);
    return (await readFrame(started.socket)) as JobReport;
  };

  return {
    lastWords: () => lastWords,
    async run(request, content) {
      const deadline = setTimeout(() => {
        isLate = true;
        launched.kill();
      }, limits.deadlineMs);
      try {
        return await reportOrEnd(request, content);
      } finally {
        clearTimeout(deadline);
      }
    },
    ended: stopped.then(() => undefined),
    kill: () => launched.kill(),
  };
};
