import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JobAnswer, JobRequest, Stopped } from './file-job.ts';
import { residentBytes } from './resident-memory.ts';

export interface ReaderLimits {
  /** From the request to the answer. */
  readonly deadlineMs: number;
  /** JavaScript heap of the process; V8 ends a process that exceeds it. */
  readonly heapMegabytes: number;
  /** Everything the process holds, buffers included. */
  readonly residentMegabytes: number;
}

/** The build, from `src/file-reading` and from `dist/file-reading` alike: both lie two levels below `api/`. */
const builtProgram = fileURLToPath(new URL('../../dist/file-reader.js', import.meta.url));

/** A process fills about 50 MB in this time. */
const watchEveryMs = 50;
const lastWordsLength = 2000;
const megabyte = 1024 * 1024;

export interface ReaderProcess {
  readonly pid: number | undefined;
  /** The end of what it wrote to stderr, for the log. */
  lastWords(): string;
  /** Does one job. After `stopped` the process is gone. */
  run(request: JobRequest, content: Uint8Array): Promise<JobAnswer | Stopped>;
  readonly ended: Promise<void>;
  kill(): void;
}

/** Starts a process that reads files. It gets no environment, so none of the api's secrets, and ends with the api. */
export const startReaderProcess = (limits: ReaderLimits, program = builtProgram): ReaderProcess => {
  const child = fork(program, [], {
    // A file means the same in every time zone of a server.
    env: { TZ: 'UTC' },
    execArgv: [`--max-old-space-size=${limits.heapMegabytes}`, '--enable-source-maps'],
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
  });
  let lastWords = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    lastWords = `${lastWords}${chunk.toString()}`.slice(-lastWordsLength);
  });
  let why: Stopped['why'] = 'crashed';
  child.stdin?.on('error', (error) => {
    lastWords = error.message;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      lastWords = error.message;
      if (child.pid === undefined) why = 'not_started';
      resolve();
    });
  });
  // An idle reader does not keep the api running.
  child.unref();
  child.channel?.unref();

  const stop = (reason: Stopped['why']) => {
    why = reason;
    child.kill('SIGKILL');
  };
  const watch = async () => {
    const bytes = await residentBytes(child.pid ?? 0);
    if (bytes !== undefined && bytes > limits.residentMegabytes * megabyte) stop('too_large');
  };
  const whyItEnded = async (): Promise<Stopped> => {
    await ended;
    // V8 aborts a process whose heap is full.
    return { kind: 'stopped', why: child.signalCode === 'SIGABRT' ? 'too_large' : why };
  };

  const run: ReaderProcess['run'] = async (request, content) => {
    const deadline = setTimeout(() => stop('too_slow'), limits.deadlineMs);
    const watching = setInterval(() => void watch(), watchEveryMs);
    try {
      const answer = new Promise<JobAnswer>((resolve) => {
        child.once('message', (message) => resolve(message as JobAnswer));
      });
      // A request that can't be sent shows as the end of the process.
      child.send(request, (error) => void (error && child.kill('SIGKILL')));
      // A pipe takes the file as it is; a message would be copied in the api's thread.
      child.stdin?.write(content);
      return await Promise.race([answer, whyItEnded()]);
    } finally {
      clearTimeout(deadline);
      clearInterval(watching);
      child.removeAllListeners('message');
    }
  };
  return { pid: child.pid, lastWords: () => lastWords, run, ended, kill: () => void child.kill('SIGKILL') };
};
