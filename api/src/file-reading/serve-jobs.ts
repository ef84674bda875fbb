import { AppError } from '../http/app-error.ts';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import type { FileJob, JobAnswer, JobRequest } from './file-job.ts';

export interface ServedJob {
  readonly name: string;
  run(content: Uint8Array, input: unknown): Promise<unknown>;
}

/** Ties a job to the function that does it. */
export const served = <Input, Output>(
  { name }: FileJob<Input, Output>,
  work: (content: Uint8Array, input: Input) => Output | Promise<Output>,
): ServedJob => ({ name, run: async (content, input) => work(content, input as Input) });

/** The next file on standard input. */
const readContent = async (length: number): Promise<Uint8Array> => {
  const content = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const piece: Buffer | null = process.stdin.read();
    if (piece === null) {
      await once(process.stdin, 'readable');
      continue;
    }
    content.set(piece, at);
    at += piece.length;
  }
  return content;
};

const answerOf = async (jobs: readonly ServedJob[], request: JobRequest): Promise<JobAnswer> => {
  const { job, input, contentBytes } = request;
  const content = await readContent(contentBytes);
  try {
    const known = jobs.find(({ name }) => name === job);
    if (known === undefined) return { kind: 'failed', reason: `unknown job ${job}` };
    return { kind: 'done', output: await known.run(content, input) };
  } catch (error) {
    if (error instanceof AppError) return { kind: 'refused', code: error.code, detail: error.detail };
    return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
};

/** The api's own thread goes first. Where a sandbox forbids it, all run alike. */
const goBehindTheApi = (): void => {
  try {
    setPriority(10);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'SystemError')) throw error;
  }
};

/** The reader process: does one job after another, and ends with the api. */
export const serveJobs = (jobs: readonly ServedJob[]): void => {
  goBehindTheApi();
  process.on('disconnect', () => process.exit(0));
  process.on('message', (request) => {
    void answerOf(jobs, request as JobRequest).then((answer) => process.send?.(answer));
  });
};
