import type { ErrorCode, FieldError } from '@roastery/contract/errors';

export interface ReadError {
  /** Undefined if the answer has none, or one that this page does not know. */
  readonly code: ErrorCode | undefined;
  readonly detail: string | undefined;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const fieldsOf = (detail: unknown): FieldError[] => {
  const lines: readonly unknown[] = Array.isArray(detail) ? detail : [];
  return lines.flatMap((line) => {
    if (!isRecord(line)) return [];
    const { field, message } = line;
    return typeof field === 'string' && typeof message === 'string' ? [{ field, message }] : [];
  });
};

/**
 * Reads the body of a refusal, as far as it is valid: a proxy or another version of the server may send a detail
 * without a code. Undefined if it has no usable part. Reads without a schema, to keep the first page small.
 */
export const readErrorBody = (text: string, isCode: (code: string) => code is ErrorCode): ReadError | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isRecord(value)) return undefined;
  const { code, detail, request_id: requestId } = value;
  const read: ReadError = {
    code: typeof code === 'string' && isCode(code) ? code : undefined,
    detail: textOf(detail),
    fields: fieldsOf(detail),
    requestId: textOf(requestId),
  };
  return read.code === undefined && read.detail === undefined && read.fields.length === 0 ? undefined : read;
};

const codes: Readonly<Record<number, ErrorCode>> = {
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'too_large',
  415: 'wrong_type',
  422: 'validation',
  429: 'too_many_requests',
  503: 'not_ready',
};

/** The code of a refusal without one. */
export const codeOfStatus = (status: number, isSignIn: boolean): ErrorCode => {
  if (status === 401) return isSignIn ? 'wrong_credentials' : 'not_signed_in';
  return codes[status] ?? 'internal';
};
