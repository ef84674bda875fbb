import { errorStatus, type ErrorBody } from '@roastery/contract/errors';
import type { Logger } from '@roastery/runtime/logger';
import { isCollision, isDatabaseUnavailable, isUnstorableValue, loggable, statementOf } from '../db/postgres-errors.ts';
import { AppError } from './app-error.ts';

/** The answer for any thrown error. Unknown errors reveal nothing. */
export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error))
    return new AppError('not_ready', 'The database can’t be reached now. Try again in a moment.', 2);
  if (isUnstorableValue(error))
    return new AppError('validation', 'A value cannot be stored: out of range or not text.');
  if (isCollision(error)) return new AppError('conflict', 'Another user changed this at the same moment. Try again.');
  return new AppError('internal', 'Something went wrong on the server.');
};

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The only place where an error becomes a status, a body and, for a fault of ours, a log line with its stack. */
export const answerError = (thrown: unknown, requestId: string, log: Logger): Response => {
  const error = toAppError(thrown);
  if (error.code === 'internal') log.error(loggable(thrown), 'request failed');
  else if (error.code === 'not_ready')
    log.warn({ reason: reasonOf(thrown), statement: statementOf(thrown) }, 'not ready');
  else if (thrown !== error) log.warn(loggable(thrown), 'request refused by the database');
  const body: ErrorBody = { detail: error.detail, code: error.code, request_id: requestId };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = new Headers({
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': String(bytes.length),
  });
  if (error.retryAfterSeconds !== undefined) headers.set('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  return new Response(bytes, { status: errorStatus[error.code], headers });
};
