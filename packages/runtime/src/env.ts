import type { z } from 'zod';

/** The start cannot continue; the message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the environment once through a zod shape. Empty strings count as unset, since unit files and compose files
 * write `NAME=`. Throws `ConfigError` with one line that names every invalid variable, but never its value.
 */
export const readEnv = <S extends z.ZodType>(shape: S, env: NodeJS.ProcessEnv = process.env): z.output<S> => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`);
  throw new ConfigError(lines.join('; '));
};
