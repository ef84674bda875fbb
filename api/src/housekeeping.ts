import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
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

/** Cleans up and brings machines to the newest maps of the catalogue, at the start and once an hour. */
export const housekeeping: Service = async (context) => {
  const clean = async (): Promise<void> => {
    await cleanUp(context.sql, context.log);
    await tryToUpdateMaps(context);
  };
  const inTurn = serial();
  const cancel = context.clock.every(hourMs, () => void inTurn(clean), { keepsAlive: false });
  await inTurn(clean);
  return {
    async close() {
      cancel();
      await inTurn.settled();
    },
  };
};
