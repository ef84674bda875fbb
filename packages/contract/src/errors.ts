import { z } from 'zod';

/** The closed list of error codes and the HTTP status of each. */
export const errorStatus = {
  not_signed_in: 401,
  wrong_credentials: 401,
  account_inactive: 401,
  wrong_origin: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  already_exists: 409,
  changed_meanwhile: 409,
  last_admin: 409,
  not_recorded_yet: 409,
  ticket_expired: 410,
  too_large: 413,
  wrong_type: 415,
  validation: 422,
  too_many_requests: 429,
  internal: 500,
  not_ready: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;
export const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]];

export const fieldErrorShape = z.object({ field: z.string(), message: z.string() });
export type FieldError = z.infer<typeof fieldErrorShape>;

/** Body of every answer that is not a success. `detail` is a sentence, or for `validation` one line per field. */
export const errorBodyShape = z.object({
  detail: z.union([z.string(), z.array(fieldErrorShape)]),
  code: z.enum(errorCodes),
  request_id: z.string(),
});
export type ErrorBody = z.infer<typeof errorBodyShape>;
