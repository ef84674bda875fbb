import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Database } from '../db/sql.ts';

const folder = new URL('../../src/testing/database-f7cf7b7/', import.meta.url);

/** Fills an empty database with that of commit f7cf7b7, created by its own demo. */
export const restoreEarlierDatabase = async (sql: Database): Promise<void> => {
  const schema = await readFile(new URL('schema.sql', folder), 'utf8');
  const rows = gunzipSync(await readFile(new URL('rows.sql.gz', folder))).toString('utf8');
  await sql.begin(async (tx) => {
    await tx.unsafe(schema);
    await tx.unsafe(rows);
  });
};

type ColumnsOfTables = Map<string, readonly string[]>;

/** Columns of each table except the bookkeeping of migrations. */
export const readColumns = async (sql: Database): Promise<ColumnsOfTables> => {
  const rows = await sql<{ table: string; columns: string[] }[]>`
    SELECT relname AS table, array_agg(attname::text ORDER BY attname) AS columns
      FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migrations'
     GROUP BY relname`;
  return new Map(rows.map(({ table, columns }) => [table, columns]));
};

/** Number of rows of each table, and a hash over these columns of all of them. */
export const readContents = async (
  sql: Database,
  columnsOfTables: ColumnsOfTables,
): Promise<Map<string, { rows: number; hash: string }>> => {
  const contents = new Map<string, { rows: number; hash: string }>();
  for (const [table, columns] of columnsOfTables) {
    const [found] = await sql<{ rows: number; hash: string }[]>`
      SELECT count(*)::int AS rows, coalesce(md5(string_agg(line, ',' ORDER BY line)), '-') AS hash
        FROM (SELECT ROW(${sql([...columns])})::text AS line FROM ${sql(table)}) AS lines`;
    contents.set(table, { rows: found?.rows ?? 0, hash: found?.hash ?? '' });
  }
  return contents;
};
