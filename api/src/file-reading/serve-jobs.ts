import { AppError } from '../http/app-error.ts';
import { Socket } from 'node:net';
import { readerSocketAt, type FileJob, type JobAnswer, type JobReport, type JobRequest } from './file-job.ts';
import { readBytes, readFrame, writeFrame } from './frames.ts';

export interface ServedJob {
  readonly name: string;
  run(content: Uint8Array, input: unknown): Promise<unknown>;
}

/** Ties a job to the function that does it. */
export const served = <Input, Output>(
  { name }: FileJob<Input, Output>,
  work: (content: Uint8Array, input: Input) => Output | Promise<Output>,
): ServedJob => ({ name, run: async (content, input) => work(content, input as Input) });

const answerOf = async (
  jobs: readonly ServedJob[],
  { job, input }: JobRequest,
  content: Uint8Array,
): Promise<JobAnswer> => {
  try {
    const known = jobs.find(({ name }) => name === job);
    if (known === undefined) return { kind: 'failed', reason: `unknown job ${job}` };
    return { kind: 'done', output: await known.run(content, input) };
  } catch (error) {
    if (error instanceof AppError) return { kind: 'refused', code: error.code, detail: error.detail };
    return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

const noSignal = (): undefined => undefined;

/** The reader process: does one job after another, and ends with the socket to the api. */
export const serveJobs = async (jobs: readonly ServedJob[]): Promise<never> => {
  // A signal for the whole process group stops the api, which ends its readers when it no longer needs them.
  process.on('SIGINT', noSignal).on('SIGTERM', noSignal);
  // A parser that reads several parts of a file at once can fail in two of them: the job reports the first failure, and
  // the second is not awaited.
  process.on('unhandledRejection', (reason) => process.stderr.write(`${String(reason)}\n`));
  const api = new Socket({ fd: readerSocketAt, readable: true, writable: true });
  api.once('close', () => process.exit(0));
  for (;;) {
    const request = (await readFrame(api)) as JobRequest;
    const content = await readBytes(api, request.contentBytes);
    const answer = await answerOf(jobs, request, content);
    writeFrame(api, { kind: 'answered', answer, residentBytes: process.memoryUsage.rss() } satisfies JobReport);
  }
};
