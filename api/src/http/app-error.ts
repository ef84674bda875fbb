import type { ErrorCode, FieldError } from '@roastery/contract/errors';

/**
 * What a verb throws when it cannot do what was asked: a code of the closed list and a sentence for a person (or, for
 * `validation`, one line a field). `answer-error.ts` alone turns it into a status.
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
