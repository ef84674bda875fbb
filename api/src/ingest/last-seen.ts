import type { Logger } from '@roastery/runtime/logger';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';

/** `last_seen_at` decides between a minute and ten minutes of silence: finer than this it need not be. */
const writeEveryMs = 10_000;

/** Notes when machines were last heard from, a few times a minute for each, all that are due in one statement. */
export const createLastSeen = (sql: Database, log: Logger, now: () => number = Date.now) => {
  const written = new Map<string, number>();
  return {
    heardFrom(machineIds: readonly string[]): void {
      const time = now();
      const due = machineIds.filter((id) => time - (written.get(id) ?? 0) >= writeEveryMs).sort();
      if (due.length === 0) return;
      for (const id of due) written.set(id, time);
      sql`
        UPDATE machines SET last_seen_at = ${new Date(time)}
        WHERE id IN (SELECT id FROM machines WHERE id = ANY(${due}::uuid[]) ORDER BY id FOR UPDATE)
          AND (last_seen_at IS NULL OR last_seen_at < ${new Date(time)})`.catch((error: unknown) =>
        log.warn(loggable(error), 'could not note which machines were heard from'),
      );
    },
  };
};
