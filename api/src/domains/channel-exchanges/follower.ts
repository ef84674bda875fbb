import type { Database, Sql } from '../../db/sql.ts';
import { isConnectionLost, loggable, statementOf } from '../../db/postgres-errors.ts';
import { workInBackground, type ImportContext, type WorkOnce } from '../imports/background-work.ts';
import { readCatalogueMap } from '../machine-maps/catalogue.ts';
import { type ChargingOf, type DueRoast, followMarks, postpone } from './follow-marks.ts';
import { followStatements } from './follow-statement.ts';

/** Half of the time is left to requests: a thousand roasts take some minutes. */
const restShare = 1;
/** A statement is followed in its request; what a killed api left over is found within this time. */
const lookEveryMs = 30_000;

const chargingBy =
  (sql: Sql): ChargingOf =>
  async (mapId, mapRev) => {
    const ofCatalogue = await readCatalogueMap(mapId);
    if (ofCatalogue !== undefined) return ofCatalogue.map.charging;
    const [row] = await sql<{ charging: string | null }[]>`
      SELECT map->>'charging' AS charging FROM machine_map_revisions WHERE map_id = ${mapId} AND rev = ${mapRev}`;
    return row?.charging === 'cold' ? 'cold' : undefined;
  };

/** Makes the marks of the next due roast anew; false when there is none. The newest roasts come first. */
export const followNext = async ({ sql, log }: { sql: Database; log: ImportContext['log'] }): Promise<boolean> => {
  const [due] = await sql<DueRoast[]>`
    SELECT q.roast_id, q.recording_id, q.xmin::text AS version, q.times
    FROM marks_to_follow q WHERE q.due_at <= now() ORDER BY q.times, q.roast_id DESC LIMIT 1`;
  if (due === undefined) return false;
  try {
    await followMarks(sql, due, chargingBy(sql));
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    log.warn({ ...loggable(error), statement: statementOf(error), roast: due.roast_id }, 'marks not made anew');
    await postpone(sql, due);
  }
  return true;
};

/** Follows what was said about recordings, roast by roast, and continues after a restart. */
export const exchangeFollower = async (context: ImportContext): Promise<{ close(): Promise<void> }> => {
  let nextLook = 0;
  const workOnce: WorkOnce = async ({ sql, log }) => {
    if (await followNext({ sql, log })) return true;
    if (performance.now() < nextLook) return false;
    nextLook = performance.now() + lookEveryMs;
    return (await followStatements(sql)) > 0;
  };
  return workInBackground(context, restShare, workOnce);
};
