import type { ImportFile, RoastImport } from '@roastery/contract/roast-imports';
import type { SignedInUser } from '../../../http/server-context.ts';
import type { Sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/app-error.ts';

/** How long the roasts of an import can be deleted together. */
export const undoHours = 24;

/** Files that become roasts without changes: read, and without a problem that a person has to decide. */
export const isReady = (sql: Sql, file = 'f') =>
  sql`(${sql(file)}.state = 'read' AND (${sql(file)}.problem IS NULL OR ${sql(file)}.problem IN ('weights', 'check')))`;

/** The filter of a list of rows by problem: any, none, or this one. `row` is their table's name in the query. */
export const isOfProblem = (
  sql: Sql,
  row: string,
  problem: string | undefined,
  none: ReturnType<typeof isReady>,
): ReturnType<typeof isReady> => {
  if (problem === undefined) return sql`true`;
  if (problem === 'none') return none;
  return problem === 'any' ? sql`${sql(row)}.problem IS NOT NULL` : sql`${sql(row)}.problem = ${problem}`;
};

interface ImportRow extends Omit<RoastImport, 'problems'> {
  problems: RoastImport['problems'] | null;
}

const importColumns = (sql: Sql) => sql`
  i.id, i.state, i.created_at, i.finished_at, i.machine_id, i.lot_id, i.takes_green, i.time_zone,
  CASE WHEN i.state = 'done' AND i.finished_at + make_interval(hours => ${undoHours}) > now()
       THEN i.finished_at + make_interval(hours => ${undoHours}) END AS undo_until,
  c.*`;

const counts = (sql: Sql) => sql`
  LATERAL (
    SELECT count(*)::int AS files,
           count(*) FILTER (WHERE f.state = 'waiting')::int AS waiting,
           count(*) FILTER (WHERE ${isReady(sql)})::int AS ready,
           count(*) FILTER (WHERE f.state = 'imported')::int AS imported,
           count(*) FILTER (WHERE f.state = 'undone')::int AS undone,
           (SELECT jsonb_agg(jsonb_build_object('problem', p.problem, 'files', p.files) ORDER BY p.files DESC, p.problem)
              FROM (SELECT g.problem, count(*) AS files FROM roast_import_files g
                    WHERE g.import_id = i.id AND g.problem IS NOT NULL GROUP BY g.problem) p) AS problems
    FROM roast_import_files f WHERE f.import_id = i.id) c`;

const shown = ({ problems, ...row }: ImportRow): RoastImport => ({ ...row, problems: problems ?? [] });

/** The caller's imports, newest first. */
export const readImports = async (sql: Sql, user: SignedInUser): Promise<RoastImport[]> => {
  const rows = await sql<ImportRow[]>`
    SELECT ${importColumns(sql)} FROM roast_imports i, ${counts(sql)}
    WHERE i.user_id = ${user.id} ORDER BY i.created_at DESC LIMIT 20`;
  return rows.map(shown);
};

/** One of the caller's imports. Throws `not_found` for another person's. */
export const readImport = async (sql: Sql, user: SignedInUser, id: string): Promise<RoastImport> => {
  const [row] = await sql<ImportRow[]>`
    SELECT ${importColumns(sql)} FROM roast_imports i, ${counts(sql)}
    WHERE i.id = ${id} AND i.user_id = ${user.id}`;
  if (row === undefined) throw notFound('Import');
  return shown(row);
};

export const fileColumns = (sql: Sql) => sql`
  f.id, f.file_name, f.size_bytes, f.state, f.format, f.coffee_name, f.start_time, f.time_zone, f.duration_seconds, f.batch_size_kg,
  f.end_weight_kg, f.machine_name, f.machine_id, f.lot_id, f.source_batch, f.problem, f.remarks, f.roast_id`;

export const readImportFile = async (sql: Sql, importId: string, fileId: string): Promise<ImportFile> => {
  const [row] = await sql<ImportFile[]>`
    SELECT ${fileColumns(sql)} FROM roast_import_files f WHERE f.id = ${fileId} AND f.import_id = ${importId}`;
  if (row === undefined) throw notFound('File');
  return row;
};
