import { serverTimeZone } from '../format/format.ts';
import type { Sql } from './sql.ts';

/** The present day of the roastery. */
export const today = (sql: Sql) =>
  sql`(now() AT TIME ZONE coalesce((SELECT time_zone FROM roastery_settings), ${serverTimeZone()}))::date`;

export const readToday = async (sql: Sql): Promise<string> => {
  const [row] = await sql<{ today: string }[]>`SELECT ${today(sql)} AS today`;
  if (row === undefined) throw new Error('the database states no day');
  return row.today;
};

/** IANA name of the zone in which the roastery counts its days: its setting, else the server's own. */
export const readTimeZone = async (sql: Sql): Promise<string> => {
  const [row] = await sql<{ time_zone: string }[]>`SELECT time_zone FROM roastery_settings`;
  return row?.time_zone ?? serverTimeZone();
};
