import type { z } from 'zod';

/**
 * Why a value was refused. `not_json`: the text is not JSON. `mismatch`: the value does not fit the shape. `check_threw`:
 * a check of the shape threw; zod runs the checks of a text or an array on every value that has a `length` of its own.
 */
export type RefusalReason = 'not_json' | 'mismatch' | 'check_threw';

export interface Refusal {
  readonly success: false;
  readonly reason: RefusalReason;
  /** At least one. */
  readonly issues: readonly z.core.$ZodIssue[];
  readonly data?: undefined;
}
export type Parsed<T> = { readonly success: true; readonly data: T } | Refusal;

const refuse = (reason: RefusalReason, message: string): Refusal => ({
  success: false,
  reason,
  issues: [{ code: 'custom', path: [], message, input: undefined }],
});

/** Checks a value against a shape. Never throws, whatever the value is. The only place that calls zod. */
export const parseShape = <S extends z.ZodType>(shape: S, value: unknown): Parsed<z.output<S>> => {
  try {
    const parsed = shape.safeParse(value);
    if (parsed.success) return { success: true, data: parsed.data };
    return { success: false, reason: 'mismatch', issues: parsed.error.issues };
  } catch {
    // The thrown error names a line of a library, which helps neither the sender nor the reader of a log.
    return refuse('check_threw', 'has a value that cannot be checked');
  }
};

/** Checks JSON text against a shape. Never throws. */
export const parseJson = <S extends z.ZodType>(shape: S, text: string): Parsed<z.output<S>> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse('not_json', `is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  return parseShape(shape, value);
};

const maxSentence = 500;

/** `channels.bean_temp.at: …`: the first few issues of a refusal in one line of at most 500 characters. */
export const describeRefusal = ({ issues }: Refusal, most = 1): string => {
  const lines = issues
    .slice(0, most)
    .map(({ path, message }) => `${path.map(String).join('.') || 'value'}: ${message}`);
  const more = issues.length > most ? ` (and ${issues.length - most} more)` : '';
  return `${lines.join('; ').slice(0, maxSentence - more.length)}${more}`;
};

/** A value of our own that does not fit its shape. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(describeRefusal(refusal, 3));
    this.refusal = refusal;
  }
}

/** For values of our own, such as a row that was checked before it was stored. Throws `ShapeError`. */
export const parseOrThrow = <S extends z.ZodType>(shape: S, value: unknown): z.output<S> => {
  const parsed = parseShape(shape, value);
  if (!parsed.success) throw new ShapeError(parsed);
  return parsed.data;
};

/**
 * Without characters that a database cannot store: NUL, and half a surrogate pair, which can also end a truncated text.
 */
export const storableText = (text: string): string => text.replaceAll(/[\p{Surrogate}\0]/gu, '\uFFFD');
