import { uuidV7 } from '@roastery/runtime/uuid';
import type { Logger } from '@roastery/runtime/logger';
import { nextTurn } from '@roastery/runtime/turns';
import { departuresOf, longestAgo, watchDrift, watchedRoasts } from '@roastery/roasting/forecast/machine-drift';
import type { WatchedRoast } from '@roastery/roasting/forecast/roast-signs';
import { loggable } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { type CurveSource, curveSourceColumns } from './curve-cache.ts';
import { isComparable } from './machine-drifts.ts';
import { readCurves } from './read-bean-curves.ts';

type WatchedRow = CurveSource & {
  readonly start_time: string;
  readonly coffee: string;
  readonly batch_size_kg: number;
};

const channels = ['bean_temp', 'exhaust_temp', 'heat_power', 'fan_speed'];
/** Read in one query. */
const readAtOnce = 10;

/**
 * Compares the roasts of each machine that has roasted since it was last watched, once a day: about half a second of work
 * for each, in turns of the event loop. Several instances may do it at the same time.
 */
const watchMachines = async (sql: Sql, isClosed: () => boolean): Promise<void> => {
  const due = await sql<{ id: string }[]>`
    SELECT m.id FROM machines m
     WHERE m.archived_at IS NULL AND (m.drift_watched_at IS NULL OR m.drift_watched_at < now() - interval '20 hours')
       AND EXISTS (SELECT FROM roasts r WHERE r.machine_id = m.id AND ${isComparable(sql)}
                      AND r.start_time > coalesce(m.drift_watched_at - interval '1 day', '-infinity'))
     ORDER BY m.drift_watched_at NULLS FIRST, m.id`;
  for (const { id } of due) {
    if (isClosed()) return;
    await watchMachine(sql, id);
  }
};

/** The same as part of the housekeeping: a failure is logged; the other machines follow with the next one. */
export const tryToWatchMachines = async (sql: Sql, log: Logger, isClosed: () => boolean): Promise<void> => {
  try {
    await watchMachines(sql, isClosed);
  } catch (error) {
    log.warn({ ...loggable(error), what: 'watchMachines' }, 'housekeeping failed');
  }
};

/** Looks for a drift since the last one, whose figures become more certain with every roast after it. */
export const watchMachine = async (sql: Sql, machineId: string): Promise<void> => {
  await sql`UPDATE machines SET drift_watched_at = now() WHERE id = ${machineId}`;
  const [newest, earlier] = await sql<{ id: string; since: string }[]>`
    SELECT id, since FROM machine_drifts WHERE machine_id = ${machineId} ORDER BY since DESC, id DESC LIMIT 2`;
  const rows = await readNewest(sql, machineId, earlier?.since ?? null);
  const roasts = await readWatched(sql, rows);
  await storeDepartures(sql, machineId, rows, roasts);
  const from = newest === undefined ? 0 : rows.filter(({ start_time: start }) => start < newest.since).length;
  if (newest !== undefined && rows.length - from <= longestAgo) {
    const again = watchDrift(roasts).drift;
    const since = again && rows[again.fromRoast]?.start_time;
    if (again && since)
      await sql`
        UPDATE machine_drifts SET kind = ${again.of}, change = ${again.change}, deviation = ${again.deviation},
               since = ${since} WHERE id = ${newest.id}`;
  }
  const found = watchDrift(roasts.slice(from)).drift;
  const since = found && rows[from + found.fromRoast]?.start_time;
  if (!found || !since) return;
  await sql`
    INSERT INTO machine_drifts (id, machine_id, kind, change, deviation, since)
    VALUES (${uuidV7()}, ${machineId}, ${found.of}, ${found.change}, ${found.deviation}, ${since})`;
};

const storeDepartures = async (
  sql: Sql,
  machineId: string,
  rows: readonly WatchedRow[],
  roasts: readonly WatchedRoast[],
): Promise<void> => {
  const departures = departuresOf(roasts).flatMap(({ place, turnC, ratePercent }) => {
    const roast = rows[place];
    return roast ? [{ roast_id: roast.id, turn: turnC, rate: ratePercent }] : [];
  });
  await sql`
    WITH outdated AS (
      DELETE FROM machine_departures d WHERE d.machine_id = ${machineId}
         AND NOT (d.roast_id = ANY(${departures.map(({ roast_id: id }) => id)}::uuid[])))
    INSERT INTO machine_departures (roast_id, machine_id, turn, rate)
    SELECT r.id, r.machine_id, n.turn, n.rate
      FROM json_to_recordset(${JSON.stringify(departures)}::text::json) n(roast_id uuid, turn float8, rate float8)
      JOIN roasts r ON r.id = n.roast_id AND r.machine_id = ${machineId}
        ON CONFLICT (roast_id) DO UPDATE SET turn = excluded.turn, rate = excluded.rate, machine_id = excluded.machine_id`;
};

/** The newest roasts that can be compared, oldest first. */
const readNewest = async (sql: Sql, machineId: string, after: string | null): Promise<WatchedRow[]> => {
  const rows = await sql<WatchedRow[]>`
    SELECT r.id, r.start_time, r.batch_size_kg, coalesce(r.coffee_name, r.profile_id::text, '') AS coffee,
           ${curveSourceColumns(sql)}
      FROM roasts r
     WHERE r.machine_id = ${machineId} AND ${isComparable(sql)} AND r.start_time >= coalesce(${after}::timestamptz, '-infinity')
     ORDER BY r.start_time DESC, r.id DESC LIMIT ${watchedRoasts}`;
  return rows.filter(({ is_complete: isComplete }) => isComplete).toReversed();
};

const readWatched = async (sql: Sql, rows: readonly WatchedRow[]): Promise<WatchedRoast[]> => {
  const roasts: WatchedRoast[] = [];
  for (let from = 0; from < rows.length; from += readAtOnce) {
    const some = rows.slice(from, from + readAtOnce);
    const read = await readCurves(sql, some, channels);
    await nextTurn();
    for (const [index, { coffee, batch_size_kg: batchKg }] of some.entries()) {
      const [beanTempC = [], exhaustTempC, heatPower, fanSpeed] = read[index] ?? [];
      roasts.push({ beanTempC, exhaustTempC, heatPower, fanSpeed, batchKg, coffee });
    }
  }
  return roasts;
};
