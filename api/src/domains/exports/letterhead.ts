import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';

/** The sender of a report, from the roastery's settings. */
export interface Letterhead {
  readonly name: string | null;
  /** Address, website and phone, as far as they are set. */
  readonly lines: readonly string[];
  readonly timeZone: string;
}

type Row = Record<
  'roastery_name' | 'address' | 'city' | 'country' | 'postal_code' | 'email' | 'phone' | 'website',
  string | null
>;

const joined = (parts: readonly (string | null | undefined)[], between: string): string =>
  parts.filter((part) => part !== null && part !== undefined && part !== '').join(between);

export const readLetterhead = async (sql: Sql): Promise<Letterhead> => {
  const [row] = await sql<Row[]>`
    SELECT roastery_name, address, city, country, postal_code, email, phone, website FROM roastery_settings`;
  const place = joined([row?.address, joined([row?.postal_code, row?.city], ' '), row?.country], ', ');
  const contact = joined([row?.website, row?.email, row?.phone], ' · ');
  return {
    name: row?.roastery_name || null,
    lines: [place, contact].filter((line) => line !== ''),
    timeZone: await readTimeZone(sql),
  };
};
