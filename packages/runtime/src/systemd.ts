import { execFile } from 'node:child_process';
import { realClock, type Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/**
 * Reports the state of the service to systemd through the `systemd-notify` program: a datagram socket needs native code
 * in Node. Does nothing outside a `Type=notify` service.
 */
export const createServiceNotifier = (env: NodeJS.ProcessEnv, log: Logger, clock: Clock = realClock) => {
  const active = env['NOTIFY_SOCKET'] !== undefined;
  const watchdogMs = active ? Number(env['WATCHDOG_USEC'] ?? 0) / 1000 : 0;
  const notify = (...words: string[]): void => {
    if (!active) return;
    execFile('systemd-notify', words, { env, timeout: 5000 }, (error) => {
      if (error) log.warn({ reason: error.message }, 'systemd-notify failed');
    });
  };
  return {
    ready: (): void => notify('--ready'),
    stopping: (): void => notify('STOPPING=1'),
    /** Feeds the watchdog twice per period, as long as `healthy()` is true. Returns a function that stops it. */
    feedWatchdog(healthy: () => boolean): () => void {
      if (watchdogMs <= 0) return () => undefined;
      const feed = (): void => {
        if (healthy()) notify('WATCHDOG=1');
        else log.error('watchdog: no progress');
      };
      return clock.every(watchdogMs / 2, feed, { keepsAlive: false });
    },
  };
};
export type ServiceNotifier = ReturnType<typeof createServiceNotifier>;
