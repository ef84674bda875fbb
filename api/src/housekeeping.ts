import { listLostNumbers } from './domains/planned/batch-number.ts';
import { removeOldLotImports } from './domains/imports/lots/lot-importer.ts';
import { removeOldImports } from './domains/imports/many/importer.ts';
import { removeOldUploads } from './domains/imports/uploads.ts';
import { deleteExpiredLimits } from './identity/sign-in-limits.ts';
import { deleteExpiredSessions } from './http/sessions.ts';
import { loggable } from './db/postgres-errors.ts';
import { removeOldMail } from './mail/outbox.ts';
import type { Service } from './start-api.ts';

const hourMs = 3_600_000;

/**
 * At the start and once an hour: expired sessions, sign-in limits, mails and uploads are deleted from the database, and
 * lost batch numbers are listed. Board data is the sweeper's.
 */
export const createHousekeeping =
  (everyMs = hourMs): Service =>
  async ({ sql, log }) => {
    const clean = async (): Promise<void> => {
      // Each by itself: a failing one must not stop the others.
      for (const task of [
        deleteExpiredSessions,
        deleteExpiredLimits,
        removeOldMail,
        removeOldUploads,
        removeOldImports,
        removeOldLotImports,
        listLostNumbers,
      ]) {
        try {
          await task(sql);
        } catch (error) {
          log.warn({ ...loggable(error), what: task.name }, 'housekeeping failed');
        }
      }
    };
    let running = clean();
    const timer = setInterval(() => {
      running = running.then(clean);
    }, everyMs);
    timer.unref();
    await running;
    return {
      async close() {
        clearInterval(timer);
        await running;
      },
    };
  };
