import { fstatSync } from 'node:fs';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** pino passes the level of each line to a stream with this property. */
const needsLevel = Symbol.for('pino.metadata');

/** syslog's numbers by pino's; journald keeps them as PRIORITY, so that `journalctl -p warning` works. */
const journaldPriority = (level: number): number => {
  if (level >= 60) return 2;
  if (level >= 50) return 3;
  if (level >= 40) return 4;
  return level >= 30 ? 6 : 7;
};

/**
 * Whether stdout is the stream that systemd names in `JOURNAL_STREAM` (`device:inode`), and not that of a parent
 * process.
 */
const writesToJournald = (): boolean => {
  const named = process.env['JOURNAL_STREAM'];
  if (named === undefined) return false;
  const { dev, ino } = fstatSync(1);
  return named === `${dev}:${ino}`;
};

/** Prefixes each line with `<3>` or another priority; journald removes it and stores it as the line's priority. */
export const withPriorities = (
  stream: DestinationStream,
): DestinationStream & { readonly [needsLevel]: true; lastLevel: number } => ({
  [needsLevel]: true,
  lastLevel: 30,
  write(line: string) {
    stream.write(`<${journaldPriority(this.lastLevel)}>${line}`);
  },
});

/**
 * JSON lines on stdout, with priorities where journald reads them, or on another stream. Values under names of secrets
 * are removed wherever they appear at the first three levels.
 */
export const createLogger = (name: string, level: LogLevel = 'info', stream?: DestinationStream): Logger => {
  const options: LoggerOptions = {
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
  };
  if (stream !== undefined) return pino(options, stream);
  return writesToJournald() ? pino(options, withPriorities(pino.destination({ dest: 1, sync: true }))) : pino(options);
};

/** Passes a repeated line once per period and counts the suppressed ones. */
export const createLogGate = (periodMs: number, now: () => number = Date.now) => {
  const seen = new Map<string, { at: number; held: number }>();
  /**
   * Returns how many lines were suppressed since the last one with this key, or undefined when this one is suppressed
   * too.
   */
  return (key: string): number | undefined => {
    const time = now();
    const earlier = seen.get(key);
    if (earlier && time - earlier.at < periodMs) {
      earlier.held += 1;
      return undefined;
    }
    // Keys can come from outside (user names): delete the old ones before the map grows.
    if (seen.size > 1000) for (const [other, entry] of seen) if (time - entry.at >= periodMs) seen.delete(other);
    seen.set(key, { at: time, held: 0 });
    return earlier?.held ?? 0;
  };
};
