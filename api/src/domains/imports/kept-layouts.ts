import { columnChoiceShape, type ColumnChoice, type UploadChoices } from '@roastery/contract/imports';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Sql } from '../../db/sql.ts';
import type { KeptLayouts, ReadingChoices } from './imported-roast.ts';

const columnsShape = z.array(columnChoiceShape);

/** Programs of one roastery write a handful of tables; the newest count. */
const maxLayouts = 200;

const readLayouts = async (sql: Sql): Promise<KeptLayouts> => {
  const rows = await sql<{ heads_key: string; columns: unknown }[]>`
    SELECT heads_key, columns FROM table_layouts ORDER BY changed_at DESC LIMIT ${maxLayouts}`;
  return Object.fromEntries(rows.map((row) => [row.heads_key, parseOrThrow(columnsShape, row.columns)]));
};

/** The choices of a file with the columns that were assigned for tables like it. */
export const withLayouts = async <Choices extends UploadChoices>(
  sql: Sql,
  choices: Choices,
): Promise<Choices & ReadingChoices> => ({ ...choices, layouts: await readLayouts(sql) });

/** The reading of a file and a new assignment of its columns wait for each other. */
export const lockLayout = (tx: Sql, key: string) =>
  tx`SELECT pg_advisory_xact_lock(hashtextextended(${`layout ${key}`}, 0))`;

/** The columns of tables with these heads; undefined where a person assigned none. */
export const readLayout = async (sql: Sql, key: string): Promise<ColumnChoice[] | undefined> => {
  const [row] = await sql<{ columns: unknown }[]>`SELECT columns FROM table_layouts WHERE heads_key = ${key}`;
  return row && parseOrThrow(columnsShape, row.columns);
};

/**
 * Keeps the columns of tables with these heads, or nothing of them. The files of open imports with these heads are read again, but for
 * this one and those with their own columns.
 */
export const keepLayout = async (
  tx: Sql,
  key: string,
  columns: readonly ColumnChoice[],
  { uploadId, userId }: { readonly uploadId: string; readonly userId: string },
): Promise<void> => {
  await lockLayout(tx, key);
  if (columns.length === 0) await tx`DELETE FROM table_layouts WHERE heads_key = ${key}`;
  else {
    await tx`
      INSERT INTO table_layouts (heads_key, columns, changed_by) VALUES (${key}, ${tx.json([...columns])}, ${userId})
      ON CONFLICT (heads_key) DO UPDATE SET columns = excluded.columns, changed_by = excluded.changed_by, changed_at = now()`;
  }
  await tx`
    UPDATE roast_import_files f SET state = 'waiting', accepted = false
    FROM roast_imports i, roast_uploads u
    WHERE i.id = f.import_id AND u.id = f.id AND i.state = 'open' AND f.state = 'read' AND f.heads_key = ${key}
      AND f.id <> ${uploadId} AND NOT u.choices ? 'columns'`;
};
