import type { ParsedQuery } from '@roastery/contract/endpoint';
import type { LotImport, LotImportedRow, listLotImportRows } from '@roastery/contract/lot-imports';
import type { SignedInUser } from '../../../http/server-context.ts';
import { notFound } from '../../../http/app-error.ts';
import type { Sql } from '../../../db/sql.ts';
import { sumOfKg } from '../../../ledger/weights.ts';
import { isOfProblem, undoHours } from '../many/import-rows.ts';

/** Rows that become lots without changes. */
export const isRowReady = (sql: Sql) => sql`(r.state = 'read' AND (r.problem IS NULL OR r.problem = 'check'))`;

type ImportRow = Omit<LotImport, 'sheet' | 'sheets' | 'columns' | 'notes' | 'problems'> & {
  reading: Pick<LotImport, 'sheet' | 'sheets' | 'columns' | 'notes'>;
  problems: LotImport['problems'] | null;
};

const importColumns = (sql: Sql) => sql`
  i.id, i.file_name, i.state, i.created_at, i.finished_at, i.reading,
  i.choices ->> 'number_prefix' AS number_prefix, i.choices ->> 'origin' AS origin,
  (i.choices ->> 'bag_kg')::float8 AS bag_kg,
  CASE WHEN i.state = 'done' AND i.finished_at + make_interval(hours => ${undoHours}) > now()
       THEN i.finished_at + make_interval(hours => ${undoHours}) END AS undo_until,
  c.*`;

const counts = (sql: Sql) => sql`
  LATERAL (
    SELECT count(*)::int AS rows,
           count(*) FILTER (WHERE ${isRowReady(sql)})::int AS ready,
           ${sumOfKg(sql, sql`CASE WHEN ${isRowReady(sql)} THEN (r."values" ->> 'initial_weight')::float8 END`)} AS ready_kg,
           count(*) FILTER (WHERE r.state = 'imported')::int AS imported,
           count(*) FILTER (WHERE r.state = 'undone' AND r.problem IS DISTINCT FROM 'kept')::int AS undone,
           (SELECT jsonb_agg(jsonb_build_object('problem', p.problem, 'rows', p.rows) ORDER BY p.rows DESC, p.problem)
              FROM (SELECT g.problem, count(*) AS rows FROM lot_import_rows g
                    WHERE g.import_id = i.id AND g.problem IS NOT NULL GROUP BY g.problem) p) AS problems
    FROM lot_import_rows r WHERE r.import_id = i.id) c`;

const shown = ({ problems, reading, ...row }: ImportRow): LotImport => ({
  ...row,
  ...reading,
  problems: problems ?? [],
});

/** The caller's imports of lots, newest first. */
export const readLotImports = async (sql: Sql, user: SignedInUser): Promise<LotImport[]> => {
  const rows = await sql<ImportRow[]>`
    SELECT ${importColumns(sql)} FROM lot_imports i, ${counts(sql)}
    WHERE i.user_id = ${user.id} ORDER BY i.created_at DESC LIMIT 20`;
  return rows.map(shown);
};

/** One of the caller's imports. Throws `not_found` for another person's. */
export const readLotImport = async (sql: Sql, user: SignedInUser, id: string): Promise<LotImport> => {
  const [row] = await sql<ImportRow[]>`
    SELECT ${importColumns(sql)} FROM lot_imports i, ${counts(sql)}
    WHERE i.id = ${id} AND i.user_id = ${user.id}`;
  if (row === undefined) throw notFound('Import');
  return shown(row);
};

const text = (sql: Sql, field: string) => sql`r."values" ->> ${field}`;
const number = (sql: Sql, field: string) => sql`(r."values" ->> ${field})::float8`;
const valuesShown = (sql: Sql) => sql`
  jsonb_build_object(
    'lot_number', ${text(sql, 'lot_number')}, 'coffee_name', ${text(sql, 'coffee_name')}, 'origin', ${text(sql, 'origin')},
    'supplier', ${text(sql, 'supplier')}, 'purchase_date', ${text(sql, 'purchase_date')},
    'harvest_date', ${text(sql, 'harvest_date')}, 'cost_per_kg', ${number(sql, 'cost_per_kg')},
    'initial_weight', ${number(sql, 'initial_weight')}, 'current_weight', ${number(sql, 'current_weight')})`;

const rowColumns = (sql: Sql) =>
  sql`r.line, r.state, ${valuesShown(sql)} AS "values", r.errors, r.problem, r.remarks, r.lot_id`;

export const readRow = async (sql: Sql, importId: string, line: number): Promise<LotImportedRow> => {
  const [row] = await sql<LotImportedRow[]>`
    SELECT ${rowColumns(sql)} FROM lot_import_rows r WHERE r.import_id = ${importId} AND r.line = ${line}`;
  if (row === undefined) throw notFound('Row');
  return row;
};

type Listed = ParsedQuery<typeof listLotImportRows>;

const orderOf = (sql: Sql, sort: Listed['sort']) => {
  const name = sort.replace(/^-/, '');
  const column =
    name === 'initial_weight'
      ? number(sql, name)
      : name === 'lot_number' || name === 'coffee_name'
        ? sql`lower(${text(sql, name)})`
        : sql(`r.${name}`);
  return sort.startsWith('-') ? sql`${column} DESC NULLS LAST, r.line` : sql`${column} NULLS LAST, r.line`;
};

export const listRows = async (
  sql: Sql,
  user: SignedInUser,
  importId: string,
  { limit, offset, q, sort, problem }: Listed,
): Promise<{ rows: LotImportedRow[]; total: number }> => {
  await readLotImport(sql, user, importId);
  const matches =
    q === undefined
      ? sql`true`
      : sql`strpos(lower(concat_ws(' ', ${text(sql, 'lot_number')}, ${text(sql, 'coffee_name')}, ${text(sql, 'origin')})), lower(${q})) > 0`;
  const where = sql`r.import_id = ${importId} AND ${isOfProblem(sql, 'r', problem, isRowReady(sql))} AND ${matches}`;
  const [rows, [counted]] = await Promise.all([
    sql<LotImportedRow[]>`
      SELECT ${rowColumns(sql)} FROM lot_import_rows r WHERE ${where} ORDER BY ${orderOf(sql, sort)}
      LIMIT ${limit} OFFSET ${offset}`,
    sql<{ total: number }[]>`SELECT count(*)::int AS total FROM lot_import_rows r WHERE ${where}`,
  ]);
  return { rows, total: counted?.total ?? 0 };
};

/**
 * Finds the problems of the rows of an import: after reading, and after each correction, which can free the number of
 * another row.
 */
export const judgeRows = async (sql: Sql, importId: string): Promise<void> => {
  await sql`
    UPDATE lot_import_rows r SET problem = j.problem, remarks = j.remarks
    FROM (
      SELECT n.line, n.problem,
             CASE n.problem
               WHEN 'left_out' THEN '["Skipped: it is not imported."]'::jsonb
               WHEN 'exists' THEN jsonb_build_array(format('Lot %s already exists: %s, %s kg%s.', n.lot_number,
                 n.coffee_name, n.initial_weight, CASE WHEN n.archived_at IS NULL THEN '' ELSE ', archived' END))
               WHEN 'twice' THEN jsonb_build_array(format('Line %s has the same lot number.', n.first_line))
               ELSE '[]'::jsonb
             END || n.warnings AS remarks
      FROM (
        SELECT f.*, l.coffee_name, l.initial_weight, l.archived_at,
               CASE WHEN f.left_out THEN 'left_out'
                    WHEN f.errors <> '[]' THEN 'invalid'
                    WHEN l.id IS NOT NULL THEN 'exists'
                    WHEN f.first_line < f.line THEN 'twice'
                    WHEN f.warnings <> '[]' THEN 'check' END AS problem
        FROM (
          SELECT line, lot_number, left_out, errors, warnings,
                 CASE WHEN lot_number IS NOT NULL
                      THEN min(line) FILTER (WHERE NOT left_out) OVER (PARTITION BY lot_number) END AS first_line
          FROM lot_import_rows WHERE import_id = ${importId} AND state = 'read') f
        LEFT JOIN lots l ON l.lot_number = f.lot_number) n) j
    WHERE r.import_id = ${importId} AND r.line = j.line
      AND (r.problem, r.remarks) IS DISTINCT FROM (j.problem, j.remarks)`;
};
