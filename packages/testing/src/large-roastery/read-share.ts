import postgres from 'postgres';
import type { ToldPlan } from './query-plans.ts';

/** Tables below this are read faster than any index. */
const bigFrom = 5000;
/**
 * A scan may discard this share of a big table: more means that an index is missing. A sum over all years needs every
 * row, and a sequential scan is the right way to read them.
 */
const maxShare = 0.1;

/** Rows of the tables that are big. */
export const bigTables = async (url: string, from = bigFrom): Promise<ReadonlyMap<string, number>> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const rows = await sql<{ name: string; rows: number }[]>`
      SELECT relname AS name, reltuples::int AS rows FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples >= ${from}`;
    return new Map(rows.map(({ name, rows: count }) => [name, count]));
  } finally {
    await sql.end();
  }
};

/** A sentence for each sequential scan that discards too much of a big table. */
export const tooMuchRead = (plans: readonly ToldPlan[], big: ReadonlyMap<string, number>): string[] =>
  plans.flatMap(({ statement, scans }) =>
    scans.flatMap(({ table, rowsWasted }) => {
      const rows = big.get(table);
      if (rows === undefined || rowsWasted <= rows * maxShare) return [];
      return [
        `${Math.round(rowsWasted)} of ${rows} rows of ${table} read for nothing: ${statement.replaceAll(/\s+/g, ' ').trim().slice(0, 160)}`,
      ];
    }),
  );
