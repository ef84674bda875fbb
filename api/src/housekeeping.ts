import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { tryToWatchMachines } from './domains/analytics/watch-drift.ts';
import { tryToUpdateMaps } from './domains/machine-maps/map-updates.ts';
import { listLostNumbers } from './domains/planned/batch-number.ts';
import { removeOldLotImports } from './domains/imports/lots/lot-importer.ts';
import { removeOldImports } from './domains/imports/many/importer.ts';
import { removeOldUploads } from './domains/imports/uploads.ts';
import { deleteExpiredLimits } from './identity/sign-in-limits.ts';
import { deleteExpiredSessions } from './http/sessions.ts';
import { loggable } from './db/postgres-errors.ts';
import type { Sql } from './db/sql.ts';
import { removeOldMail } from './mail/outbox.ts';
import type { Service } from './start-api.ts';

const hourMs = 3_600_000;

/**
 * Deletes expired sessions, sign-in limits, mails and uploads, and lists lost batch numbers. The sweeper handles board
 * data.
 */
export const cleanUp = async (sql: Sql, log: Logger): Promise<void> => {
  // Separately, so that a failing one does not stop the others.
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

/**
 * Cleans up and brings machines to the newest maps of the catalogue, at the start and once an hour; then looks for drifts of machines,
 * for which a start does not wait.
 */
export const housekeeping: Service = async (context) => {
  const clean = async (): Promise<void> => {
    await cleanUp(context.sql, context.log);
    await tryToUpdateMaps(context);
  };
  let isClosed = false;
  const watch = (): Promise<void> => tryToWatchMachines(context.sql, context.log, () => isClosed);
  const inTurn = serial();
  const hourly = (): void => {
    void inTurn(clean);
    void inTurn(watch);
  };
  const cancel = context.clock.every(hourMs, hourly, { keepsAlive: false });
  await inTurn(clean);
  void inTurn(watch);
  return {
    async close() {
      isClosed = true;
      cancel();
      await inTurn.settled();
    },
  };
};
