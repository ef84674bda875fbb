import type { ErrorCode, FieldError } from '@roastery/contract/errors';

/**
 * The error of a handler that cannot do what was requested: a code of the closed list and a sentence for a person (or,
 * for `validation`, one line per field). Only `answer-error.ts` turns it into a status.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly detail: string | FieldError[];
  /** Seconds, for `too_many_requests` and `not_ready`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, detail: string | FieldError[], retryAfterSeconds?: number) {
    super(typeof detail === 'string' ? detail : detail.map((line) => `${line.field}: ${line.message}`).join('; '));
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const notFound = (thing: string): AppError => new AppError('not_found', `${thing} not found.`);
export const invalid = (field: string, message: string): AppError => new AppError('validation', [{ field, message }]);
