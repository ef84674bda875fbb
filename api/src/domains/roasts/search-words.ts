import { readTimeZone } from '../../db/roastery-time-zone.ts';
import { containing, type Sql } from '../../db/sql.ts';

/** More words narrow no search that a person types, and each costs a scan of its own. */
const maxWords = 8;

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** What a word may stand for, beside a part of the roast's own texts. */
export interface SearchWord {
  readonly pattern: string;
  readonly machineIds: readonly string[];
  readonly ownerIds: readonly string[];
  /** 1 to 12. */
  readonly month: number | undefined;
  readonly year: number | undefined;
}

export interface RoastSearch {
  readonly words: readonly SearchWord[];
  /** In which months and years are counted. */
  readonly zone: string;
}

/** Of `mar` or `march`; two letters begin too many words. */
const monthOf = (word: string): number | undefined => {
  const at = word.length < 3 ? -1 : months.findIndex((month) => month.startsWith(word.toLowerCase()));
  return at < 0 ? undefined : at + 1;
};

const yearOf = (word: string): number | undefined => (/^(19|20)\d\d$/.test(word) ? Number(word) : undefined);

/** The words of a search. Machines and people are few: with their ids an index can find the roasts of their names. */
export const readSearch = async (sql: Sql, q: string | undefined): Promise<RoastSearch | undefined> => {
  const words = (q ?? '')
    .split(/\s+/)
    .map((word) => word.replace(/^#/, ''))
    .filter((word) => word !== '')
    .slice(0, maxWords);
  if (words.length === 0) return undefined;
  const patterns = words.map(containing);
  const isDated = words.some((word) => monthOf(word) !== undefined || yearOf(word) !== undefined);
  const [named, zone] = await Promise.all([
    sql<{ machines: string[]; owners: string[] }[]>`
      SELECT ARRAY(SELECT id FROM machines WHERE display_name ILIKE pattern) AS machines,
             ARRAY(SELECT id FROM users WHERE full_name ILIKE pattern) AS owners
      FROM unnest(${patterns}::text[]) WITH ORDINALITY AS typed (pattern, place) ORDER BY place`,
    isDated ? readTimeZone(sql) : 'UTC',
  ]);
  return {
    words: words.map((word, i) => ({
      pattern: containing(word),
      machineIds: named[i]?.machines ?? [],
      ownerIds: named[i]?.owners ?? [],
      month: monthOf(word),
      year: yearOf(word),
    })),
    zone,
  };
};

/** Of the roast `r`. */
export const foundByWord = (sql: Sql, { pattern, machineIds, ownerIds, month, year }: SearchWord, zone: string) => sql`(
  r.found_by ILIKE ${pattern}
  ${machineIds.length === 0 ? sql`` : sql`OR r.machine_id = ANY(${machineIds}::uuid[])`}
  ${ownerIds.length === 0 ? sql`` : sql`OR (r.roasted_by IS NULL AND r.owner_id = ANY(${ownerIds}::uuid[]))`}
  ${month === undefined ? sql`` : sql`OR extract(month FROM r.start_time AT TIME ZONE ${zone}) = ${month}`}
  ${
    year === undefined
      ? sql``
      : sql`OR (r.start_time >= make_timestamptz(${year}::int, 1, 1, 0, 0, 0, ${zone})
                AND r.start_time < make_timestamptz(${year + 1}::int, 1, 1, 0, 0, 0, ${zone}))`
  })`;

/** Every word, in any order: of a number, coffee, origin, recipe, machine or person, or the month or year of the roast. */
export const foundBySearch = (sql: Sql, { words, zone }: RoastSearch) =>
  words.reduce((found, word) => sql`${found} AND ${foundByWord(sql, word, zone)}`, sql`true`);
