import type { ErrorCode, FieldError } from '@roastery/contract/errors';

/** A kind of work on a file, by the name that both processes know it by. `Input` and `Output` are what structured clone can copy. */
export interface FileJob<Input, Output> {
  readonly name: string;
  /** Only the types: a job has no value of either. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/** The descriptor of a reader's socket to the api. */
export const readerSocketAt = 3;

/** What the api sends to a reader process, one request at a time. The file follows on the same socket. */
export interface JobRequest {
  readonly job: string;
  readonly input: unknown;
  readonly contentBytes: number;
}

/** What a reader process answers. */
export type JobAnswer =
  | { readonly kind: 'done'; readonly output: unknown }
  /** The file is wrong, in words for the person who sent it. */
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string | FieldError[] }
  /** The reader threw something else: a fault of ours. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The answer, and what the reader holds afterwards. */
export interface JobReport {
  readonly kind: 'answered';
  readonly answer: JobAnswer;
  readonly residentBytes: number;
}

/** Why a reader process was ended, or ended by itself, before it answered. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly why: 'too_slow' | 'too_large' | 'crashed' | 'not_started' | 'closing';
}
