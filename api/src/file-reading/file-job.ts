import type { ErrorCode, FieldError } from '@roastery/contract/errors';

/**
 * A kind of work on a file, by its name in both processes. `Input` and `Output` must be types that structured clone can
 * copy.
 */
export interface FileJob<Input, Output> {
  readonly name: string;
  /** Only the types: a job has no value of either. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/** A job with all that it needs. */
export interface ReadyJob<Output> {
  readonly name: string;
  readonly input: unknown;
  readonly content: Uint8Array;
  /** Only the type. */
  readonly output?: Output;
}

export const readyJob = <Input, Output>(
  { name }: FileJob<Input, Output>,
  content: Uint8Array,
  input: Input,
): ReadyJob<Output> => ({ name, content, input });

/** The descriptor of a reader's socket to the api. */
export const readerSocketAt = 3;

/** A request of the api to a reader process, one at a time. The file follows on the same socket. */
export interface JobRequest {
  readonly job: string;
  readonly input: unknown;
  readonly contentBytes: number;
}

/** The answer of a reader process. */
export type JobAnswer =
  | { readonly kind: 'done'; readonly output: unknown }
  /** The file is invalid, in words for the person who sent it. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string | FieldError[] }
  /** The reader threw another error: an internal fault. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The answer, and the reader's memory afterwards. */
export interface JobReport {
  readonly kind: 'answered';
  readonly answer: JobAnswer;
  readonly residentBytes: number;
}

/** Why a reader process was stopped, or ended by itself, before it answered. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly why: 'too_slow' | 'too_large' | 'crashed' | 'not_started' | 'closing';
}
