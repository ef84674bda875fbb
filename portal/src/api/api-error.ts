import type { ErrorCode, FieldError } from '@roastery/contract/errors';
import { t } from '../language/t.ts';

/** `unreachable` is the portal's own code: there was no answer, or only a gateway's. */
export type ApiErrorCode = ErrorCode | 'unreachable';

interface ApiErrorInit {
  /** HTTP status; 0 when no answer came. */
  status: number;
  code: ApiErrorCode;
  /** The server's sentence, if it gave one. */
  detail?: string | undefined;
  fields?: readonly FieldError[];
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

let written = (sentence: string): string => sentence;

/** The server writes weights in kg: the portal's formats convert its sentences to the person's units. */
export const writeSentencesWith = (write: (sentence: string) => string): void => {
  written = write;
};

/** Every way in which a call fails. `message` is a sentence a person can read. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly detail: string | undefined;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(init: ApiErrorInit) {
    super(init.detail === undefined ? sentenceOfCode[init.code] : written(init.detail), { cause: init.cause });
    this.name = 'ApiError';
    this.status = init.status;
    this.code = init.code;
    this.detail = init.detail && written(init.detail);
    this.fields = (init.fields ?? []).map(({ field, message }) => ({ field, message: written(message) }));
    this.requestId = init.requestId;
    this.retryAfterSeconds = init.retryAfterSeconds;
  }
}

/** The one sentence of each error code: shown when the server sent a code and no sentence. */
export const sentenceOfCode: Record<ApiErrorCode, string> = {
  unreachable: t`The server can’t be reached. Check the network and try again.`,
  not_signed_in: t`Your session has ended. Sign in again.`,
  wrong_credentials: t`Email or password is wrong.`,
  account_inactive: t`This account is not active. Ask an administrator.`,
  wrong_origin: t`The server does not accept requests from this address.`,
  forbidden: t`You don’t have permission to do this.`,
  not_found: t`Not found.`,
  method_not_allowed: t`The server does not support this action.`,
  conflict: t`This conflicts with existing data.`,
  already_exists: t`This already exists.`,
  changed_meanwhile: t`Another user has changed this. Reload it and repeat your change.`,
  last_admin: t`There must be at least one active administrator.`,
  not_recorded_yet: t`The readings of this time have not arrived yet. Try again in a moment.`,
  ticket_expired: t`The pairing ticket has expired. Issue a new one.`,
  too_large: t`This is too large.`,
  wrong_type: t`The server does not accept this type of content.`,
  validation: t`Some fields are invalid. Check them and try again.`,
  too_many_requests: t`Too many attempts. Wait a moment and try again.`,
  internal: t`Something went wrong on the server.`,
  not_ready: t`The server is not ready yet. Try again in a moment.`,
};

/** Whether this page knows the code of an answer. */
export const isErrorCode = (code: string): code is ErrorCode =>
  code !== 'unreachable' && Object.hasOwn(sentenceOfCode, code);

const temporaryCodes: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>([
  'unreachable',
  'not_signed_in',
  'not_recorded_yet',
  'too_many_requests',
  'internal',
  'not_ready',
]);

/** Whether the same request may succeed later. */
export const isTemporary = (error: unknown): error is ApiError =>
  error instanceof ApiError && temporaryCodes.has(error.code);

/** The sentence to show for a failed action: the server's own if it sent one, else the one the product document names. */
export const sentenceFor = (error: unknown, fallback: string): string =>
  error instanceof ApiError && error.detail !== undefined ? error.detail : fallback;

/** The same, with a refused form spelled out as `Validation errors:` and a bullet line of field and message each. */
export const sentenceWithFields = (error: unknown, fallback: string): string => {
  if (!(error instanceof ApiError) || error.fields.length === 0) return sentenceFor(error, fallback);
  return [t`Validation errors:`, ...error.fields.map(({ field, message }) => `• ${field}: ${message}`)].join('\n');
};
