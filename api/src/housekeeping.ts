import { deleteExpiredLimits } from './identity/sign-in-limits.ts';
import { deleteExpiredSessions } from './http/sessions.ts';
import { loggable } from './db/postgres-errors.ts';
import type { Service } from './start-api.ts';

const everyMs = 3_600_000;

/** Once an hour: sessions and sign-in limits that count no more leave the database. */
export const housekeeping: Service = async ({ sql, log }) => {
  const clean = async (): Promise<void> => {
    try {
      await deleteExpiredSessions(sql);
      await deleteExpiredLimits(sql);
    } catch (error) {
      log.warn(loggable(error), 'housekeeping failed; it runs again in an hour');
    }
  };
  const timer = setInterval(() => void clean(), everyMs);
  timer.unref();
  await clean();
  return {
    close: async () => clearInterval(timer),
  };
};
