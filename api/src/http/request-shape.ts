import type { FieldError } from '@roastery/contract/errors';
import { parseShape } from '@roastery/contract/parse-shape';
import type { z } from 'zod';
import { AppError, invalid } from './app-error.ts';

const fieldOf = (path: readonly PropertyKey[]): string => path.map(String).join('.') || 'body';

/** Messages of the shapes are kept; a missing field gets a message for a user. */
const sentenceOf = (message: string): string =>
  /^Invalid input: expected .+, received undefined$/.test(message) ? 'Is required' : message;

/** Parses one part of a request, or throws `validation` with one line for each invalid field. */
export const parsePart = <S extends z.ZodType>(shape: S, value: unknown): z.output<S> => {
  const parsed = parseShape(shape, value);
  if (parsed.success) return parsed.data;
  const lines: FieldError[] = parsed.issues.slice(0, 100).map((issue) => ({
    field: fieldOf(issue.path),
    message: sentenceOf(issue.message),
  }));
  throw new AppError('validation', lines);
};

/** The query as one value per name; a repeated name is refused rather than guessed. */
export const readQuery = (url: string): Record<string, string> => {
  const query: [string, string][] = [];
  const start = url.indexOf('?');
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start + 1))) {
    if (seen.has(name)) throw invalid(name, 'is given more than once');
    seen.add(name);
    query.push([name, value]);
  }
  return Object.fromEntries(query);
};
