import { serverTimeZone } from '../format/format.ts';
import type { Sql } from './sql.ts';

/** IANA name of the zone in which the roastery counts its days: its setting, else the server's own. */
export const readTimeZone = async (sql: Sql): Promise<string> => {
  const [row] = await sql<{ time_zone: string }[]>`SELECT time_zone FROM roastery_settings`;
  return row?.time_zone ?? serverTimeZone();
};
