import postgres from 'postgres';
import type { ToldPlan } from './query-plans.ts';

/** Tables below this are read faster than any index. */
const bigFrom = 5000;
/**
 * A scan may discard this share of a big table: more means that an index is missing, unless the scan keeps more than it
 * discards. A sum over all years needs every row, and a sequential scan is the right way to read them.
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

const inOneLine = (statement: string): string => statement.replaceAll(/\s+/g, ' ').trim().slice(0, 160);

/** A sentence for each statement of housekeeping that reads more than a tenth of a big table, with or without an index. */
export const tooManyRows = (plans: readonly ToldPlan[], big: ReadonlyMap<string, number>): string[] =>
  plans.flatMap(({ statement, reads }) =>
    [...big].flatMap(([table, rows]) => {
      const read = reads.reduce((sum, one) => sum + (one.table === table ? one.rows : 0), 0);
      return read <= rows * maxShare
        ? []
        : [`${Math.round(read)} rows of ${rows} of ${table} read: ${inOneLine(statement)}`];
    }),
  );

/** A sentence for each sequential scan that discards too much of a big table. */
export const tooMuchRead = (plans: readonly ToldPlan[], big: ReadonlyMap<string, number>): string[] =>
  plans.flatMap(({ statement, scans }) =>
    scans.flatMap(({ table, rowsWasted, rowsKept }) => {
      const rows = big.get(table);
      if (rows === undefined || rowsWasted <= rows * maxShare || rowsWasted <= rowsKept) return [];
      return [`${Math.round(rowsWasted)} of ${rows} rows of ${table} read for nothing: ${inOneLine(statement)}`];
    }),
  );
