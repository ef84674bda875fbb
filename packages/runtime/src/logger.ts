import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** JSON lines on stdout. Values under names that hold secrets are cut out wherever they appear at the first three levels. */
export const createLogger = (name: string, level: LogLevel = 'info'): Logger =>
  pino({
    name,
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['password', 'token', 'auth_token', 'pairing_code', 'secret', 'authorization', 'cookie'].flatMap((key) => [
        key,
        `*.${key}`,
        `*.*.${key}`,
      ]),
      censor: '[redacted]',
    },
  });

/** Lets a repeated line through once per period and counts what it held back. */
export const createLogGate = (periodMs: number, now: () => number = Date.now) => {
  const seen = new Map<string, { at: number; held: number }>();
  /** Returns how many were held back since the last line with this key, or undefined when this one is to be held back too. */
  return (key: string): number | undefined => {
    const time = now();
    const earlier = seen.get(key);
    if (earlier && time - earlier.at < periodMs) {
      earlier.held += 1;
      return undefined;
    }
    // Keys can come from outside (user names): forget the old ones before the map grows.
    if (seen.size > 1000) for (const [other, entry] of seen) if (time - entry.at >= periodMs) seen.delete(other);
    seen.set(key, { at: time, held: 0 });
    return earlier?.held ?? 0;
  };
};
