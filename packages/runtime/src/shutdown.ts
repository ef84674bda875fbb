import type { Logger } from 'pino';
import { ConfigError } from './env.ts';
import type { ServiceNotifier } from './systemd.ts';

/**
 * Runs a program: `start` opens everything and returns the function that closes it. SIGTERM and SIGINT close it once; a
 * second signal or 10 s end the process at once. A `ConfigError` ends the start with one clear line and exit code 2. A
 * `service` reports READY and STOPPING to systemd, and feeds its watchdog as long as the event loop runs.
 */
export const runProgram = (
  log: Logger,
  start: () => Promise<{ close(): Promise<void> }>,
  service?: ServiceNotifier,
): void => {
  let closing = false;
  const opened = start();
  service?.feedWatchdog(() => true);
  const stop = (signal: string): void => {
    if (closing) process.exit(1);
    closing = true;
    log.info({ signal }, 'stopping');
    service?.stopping();
    setTimeout(() => {
      log.error('shutdown timed out');
      process.exit(1);
    }, 10_000).unref();
    opened
      .then((program) => program.close())
      .then(() => {
        log.info('stopped');
        process.exit(0);
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      });
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  opened
    .then(() => service?.ready())
    .catch((error: unknown) => {
      if (error instanceof ConfigError) log.fatal(error.message);
      else log.fatal({ err: error }, 'could not start');
      process.exit(error instanceof ConfigError ? 2 : 1);
    });
};
