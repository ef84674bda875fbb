import type { ParsedQuery } from '@roastery/contract/endpoint';
import type { listTimesToCheck, TimesToCheck, TimeState, TimeToCheck } from '@roastery/contract/roast-times';
import type { UserContext } from '../../../context.ts';
import { readTimeZone } from '../../../db/roastery-time-zone.ts';
import type { Sql } from '../../../db/sql.ts';
import type { SignedInUser } from '../../../http/server-context.ts';
import { roastAccess } from '../../../identity/access.ts';
import { instantOf } from '../moments.ts';

/**
 * What a clock of the zone lacks to UTC at the beginning of a recording whose local time was stored as UTC, ms: what has to be
 * added to its times.
 */
export const shiftMs = (storedMs: number, timeZone: string): number =>
  instantOf({ ms: storedMs, isLocal: true }, timeZone) - storedMs;

/**
 * Condition on `times_to_check t`, its clock `b` and a roast `r` of it: roasts that the user may change, and whose clock differs
 * from UTC. Postgres knows the rules of the zone as well; where clocks are set back it takes the later of two instants, which
 * differs from UTC likewise.
 */
export const isToCheck = (sql: Sql, user: SignedInUser, timeZone: string) => sql`
  ${roastAccess(sql, user, 'roast')}
  AND (t.state <> 'open'
    OR (to_timestamp(b.wall_offset_ms / 1000.0) AT TIME ZONE 'UTC') AT TIME ZONE ${timeZone}::text
       <> to_timestamp(b.wall_offset_ms / 1000.0))`;

/** Their tables. A recording that was split has several roasts. */
export const timesToCheck = (sql: Sql) => sql`
  times_to_check t JOIN recordings c ON c.id = t.recording_id
  CROSS JOIN LATERAL (SELECT wall_ms(c.id, 0::smallint, 0) AS wall_offset_ms) b
  JOIN roasts r ON r.recording_id = c.id`;

type TimeRow = Omit<TimeToCheck, 'imported_time' | 'corrected_time'> & {
  start_time: string;
  shifted_ms: number;
  wall_offset_ms: number;
};

const timesOf = (row: TimeRow, timeZone: string) => {
  const now = Date.parse(row.start_time);
  const imported = now - row.shifted_ms;
  const corrected = row.state === 'shifted' ? now : now + shiftMs(row.wall_offset_ms, timeZone);
  return { imported_time: new Date(imported).toISOString(), corrected_time: new Date(corrected).toISOString() };
};

const sum = (of: readonly { readonly roasts: number }[]): number => of.reduce((total, { roasts }) => total + roasts, 0);

export const listTimes = async (
  { sql, user }: UserContext,
  { limit, offset, state, format, time_zone: chosen }: ParsedQuery<typeof listTimesToCheck>,
): Promise<TimesToCheck> => {
  const timeZone = chosen ?? (await readTimeZone(sql));
  const where = isToCheck(sql, user, timeZone);
  const [rows, counts] = await Promise.all([
    sql<TimeRow[]>`
      SELECT r.id AS roast_id, r.said_number, r.coffee_name, m.display_name AS machine_name, c.file_name,
             c.file_format AS format, t.state, r.start_time, t.shifted_ms::float8, b.wall_offset_ms::float8
      FROM ${timesToCheck(sql)} LEFT JOIN machines m ON m.id = r.machine_id
      WHERE ${where} AND t.state = ${state} AND ${format === undefined ? sql`true` : sql`c.file_format = ${format}`}
      ORDER BY c.file_format, r.start_time DESC, r.id LIMIT ${limit} OFFSET ${offset}`,
    sql<{ state: TimeState; format: TimeToCheck['format']; roasts: number }[]>`
      SELECT t.state, c.file_format AS format, count(*)::int AS roasts
      FROM ${timesToCheck(sql)} WHERE ${where} GROUP BY t.state, c.file_format ORDER BY roasts DESC, format`,
  ]);
  const here = counts.filter((count) => count.state === state);
  const inState = (one: TimeState): number => sum(counts.filter((count) => count.state === one));
  return {
    roasts: rows.map((row) => {
      const { start_time: _start, shifted_ms: _shifted, wall_offset_ms: _offset, ...shown } = row;
      return { ...shown, ...timesOf(row, timeZone) };
    }),
    total: sum(here.filter((count) => format === undefined || count.format === format)),
    time_zone: timeZone,
    formats: here.map(({ format: one, roasts }) => ({ format: one, roasts })),
    states: { open: inState('open'), shifted: inState('shifted'), right: inState('right') },
  };
};
