import type { ParsedBody, ParsedQuery } from '@roastery/contract/endpoint';
import type * as contract from '@roastery/contract/roast-imports';
import type { ImportFile, RoastImport } from '@roastery/contract/roast-imports';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { UserContext } from '../../../context.ts';
import { actorOf, recordAudit } from '../../../db/audit.ts';
import type { Sql } from '../../../db/sql.ts';
import { AppError, notFound } from '../../../http/app-error.ts';
import { factColumns, machineOf } from '../roast-facts.ts';
import { leastRoasts } from '../plausibility.ts';
import { judgeFile, skippedSentence } from './file-problems.ts';
import { fileColumns, isOfProblem, isReady, readImport, readImportFile } from './import-rows.ts';

/** Unfinished imports of one person. */
const maxOpen = 5;

/** Locks the caller's import and refuses it in any other state. */
export const lockImport = async (
  tx: Sql,
  { user }: Pick<UserContext, 'user'>,
  id: string,
  ...states: RoastImport['state'][]
) => {
  const [row] = await tx<{ state: RoastImport['state'] }[]>`
    SELECT state FROM roast_imports WHERE id = ${id} AND user_id = ${user.id} FOR UPDATE`;
  if (row === undefined) throw notFound('Import');
  if (!states.includes(row.state)) {
    throw new AppError('conflict', `The import is ${row.state}: this can’t be done now.`);
  }
};

const audit = (tx: Sql, context: UserContext, id: string, action: string, detail: Record<string, number> = {}) =>
  recordAudit(tx, actorOf(context), { action, subject: id, detail });

export const createImport = async (context: UserContext): Promise<RoastImport> => {
  const id = uuidV7();
  await context.sql.begin(async (tx) => {
    await tx`SELECT id FROM users WHERE id = ${context.user.id} FOR NO KEY UPDATE`;
    const open = await tx`SELECT id FROM roast_imports WHERE user_id = ${context.user.id} AND state = 'open'`;
    if (open.length >= maxOpen) {
      throw new AppError('conflict', `${maxOpen} imports are already open. Finish or delete one first.`);
    }
    await tx`INSERT INTO roast_imports (id, user_id) VALUES (${id}, ${context.user.id})`;
    await audit(tx, context, id, 'roast_import.created');
  });
  return readImport(context.sql, context.user, id);
};

/** True where the machine of the import, or the next one, has enough roasts to judge others by. */
const judgesRoasts = async (tx: Sql, importId: string, next: string | null): Promise<boolean> => {
  const [row] = await tx<{ roasts: number }[]>`
    SELECT coalesce(max(c.roasts), 0)::int AS roasts FROM (
      SELECT count(*) AS roasts FROM roasts
      WHERE status = 'completed' AND machine_id IN (${next}, (SELECT machine_id FROM roast_imports WHERE id = ${importId}))
      GROUP BY machine_id) c`;
  return (row?.roasts ?? 0) >= leastRoasts;
};

export const changeImport = async (
  context: UserContext,
  id: string,
  body: ParsedBody<typeof contract.changeRoastImport>,
): Promise<RoastImport> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'open');
    await machineOf(tx, context.user, body.machine_id ?? null);
    await factColumns(tx, { lot_id: body.lot_id ?? null });
    const machineJudges = body.machine_id !== undefined && (await judgesRoasts(tx, id, body.machine_id));
    if (Object.keys(body).length > 0) await tx`UPDATE roast_imports SET ${tx(body)} WHERE id = ${id}`;
    if (body.time_zone !== undefined) {
      // Files with a local time are read again.
      await tx`
        UPDATE roast_import_files SET state = 'waiting'
        WHERE import_id = ${id} AND state = 'read' AND time_zone IS NOT NULL`;
    }
    if (machineJudges) {
      // Files without their own machine are judged by the roasts of this one.
      await tx`
        UPDATE roast_import_files SET state = 'waiting'
        WHERE import_id = ${id} AND state = 'read' AND machine_id IS NULL AND figures IS NOT NULL`;
    }
    await audit(tx, context, id, 'roast_import.changed');
  });
  return readImport(context.sql, context.user, id);
};

/** Advances an import; the background service does the rest. */
export const startImport = async (context: UserContext, id: string): Promise<RoastImport> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'open');
    const { waiting, ready } = await readImport(tx, context.user, id);
    if (waiting > 0) throw new AppError('conflict', `${waiting} files are still being read. Wait a moment.`);
    if (ready === 0) throw new AppError('conflict', 'No file can be imported yet. Correct the problems first.');
    await tx`UPDATE roast_imports SET state = 'importing' WHERE id = ${id}`;
    await audit(tx, context, id, 'roast_import.started', { files: ready });
  });
  return readImport(context.sql, context.user, id);
};

export const undoImport = async (context: UserContext, id: string): Promise<RoastImport> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'done');
    const { undo_until: until, imported } = await readImport(tx, context.user, id);
    if (until === null)
      throw new AppError('conflict', 'The import is more than a day old. Delete its roasts one by one.');
    await tx`UPDATE roast_imports SET state = 'undoing' WHERE id = ${id}`;
    await audit(tx, context, id, 'roast_import.undone', { files: imported });
  });
  return readImport(context.sql, context.user, id);
};

export const deleteImport = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'open', 'undone', 'done');
    await tx`DELETE FROM roast_imports WHERE id = ${id}`;
    await audit(tx, context, id, 'roast_import.deleted');
  });
  return { message: 'The import was deleted. Its roasts are kept.' };
};

const sortColumns = (sql: Sql, sort: ParsedQuery<typeof contract.listImportFiles>['sort']) => {
  const column = sql(`f.${sort.replace(/^-/, '')}`);
  return sort.startsWith('-') ? sql`${column} DESC NULLS LAST, f.id` : sql`${column} NULLS LAST, f.id`;
};

export const listFiles = async (
  { sql, user }: UserContext,
  importId: string,
  { limit, offset, q, sort, problem }: ParsedQuery<typeof contract.listImportFiles>,
): Promise<{ files: ImportFile[]; total: number }> => {
  await readImport(sql, user, importId);
  const where = sql`
    f.import_id = ${importId} AND ${isOfProblem(sql, 'f', problem, isReady(sql))}
    AND ${q === undefined ? sql`true` : sql`(strpos(lower(f.file_name), lower(${q})) > 0 OR strpos(lower(f.coffee_name), lower(${q})) > 0)`}`;
  const [files, [counted]] = await Promise.all([
    sql<ImportFile[]>`
      SELECT ${fileColumns(sql)} FROM roast_import_files f WHERE ${where}
      ORDER BY ${sortColumns(sql, sort)} LIMIT ${limit} OFFSET ${offset}`,
    sql<{ total: number }[]>`SELECT count(*)::int AS total FROM roast_import_files f WHERE ${where}`,
  ]);
  return { files, total: counted?.total ?? 0 };
};

export const correctFile = async (
  context: UserContext,
  importId: string,
  fileId: string,
  body: ParsedBody<typeof contract.correctImportFile>,
): Promise<ImportFile> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, importId, 'open');
    await machineOf(tx, context.user, body.machine_id ?? null);
    await factColumns(tx, { lot_id: body.lot_id ?? null });
    const rows = await tx`
      SELECT id FROM roast_import_files WHERE id = ${fileId} AND import_id = ${importId} AND state IN ('read', 'waiting')`;
    if (rows.length === 0) throw notFound('File');
    if (Object.keys(body).length > 0) await tx`UPDATE roast_import_files SET ${tx(body)} WHERE id = ${fileId}`;
    await judgeFile(tx, context.user, fileId);
    await recordAudit(tx, actorOf(context), {
      action: 'upload.changed',
      subject: fileId,
      detail: { fields: Object.keys(body) },
    });
  });
  return readImportFile(context.sql, importId, fileId);
};

/** A decision on all files that are unlikely for one reason. Remarks say the reason also afterwards. */
export const decideFiles = async (
  context: UserContext,
  id: string,
  { problem, decision }: ParsedBody<typeof contract.decideImportFiles>,
): Promise<RoastImport> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'open');
    const changed =
      decision === 'import'
        ? await tx`
            UPDATE roast_import_files SET accepted = true, problem = 'check'
            WHERE import_id = ${id} AND state = 'read' AND problem = ${problem}`
        : await tx`
            UPDATE roast_import_files SET left_out = true, problem = 'left_out', remarks = array_prepend(${skippedSentence}, remarks)
            WHERE import_id = ${id} AND state = 'read' AND problem = ${problem}`;
    await audit(tx, context, id, `roast_import.${decision === 'import' ? 'accepted' : 'skipped'}`, {
      files: changed.count,
    });
  });
  return readImport(context.sql, context.user, id);
};
