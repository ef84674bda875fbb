import { isDeepStrictEqual } from 'node:util';
import type { ParsedBody } from '@roastery/contract/endpoint';
import type { FieldError } from '@roastery/contract/errors';
import {
  lotImportChoicesShape,
  type correctLotImportRow,
  type LotImport,
  type LotImportChoices,
  type LotImportedRow,
} from '@roastery/contract/lot-imports';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { UserContext } from '../../../context.ts';
import { actorOf, recordAudit } from '../../../db/audit.ts';
import type { Sql } from '../../../db/sql.ts';
import { AppError, notFound } from '../../../http/app-error.ts';
import { readLots, type ReadLots } from '../file-jobs.ts';
import { readContent, storeContent } from '../file-parts.ts';
import { judgeRows, readLotImport, readRow } from './lot-import-rows.ts';
import { errorsOfValues, type LotValues } from './lot-rows.ts';

/** Unfinished imports of one person. */
const maxOpen = 5;

/** Locks the caller's import and refuses it in any other state. */
const lockImport = async (tx: Sql, { user }: UserContext, id: string, ...states: LotImport['state'][]) => {
  const [row] = await tx<{ state: LotImport['state']; choices: unknown }[]>`
    SELECT state, choices FROM lot_imports WHERE id = ${id} AND user_id = ${user.id} FOR UPDATE`;
  if (row === undefined) throw notFound('Import');
  if (!states.includes(row.state)) {
    throw new AppError('conflict', `The import is ${row.state}: this can’t be done now.`);
  }
  return parseOrThrow(lotImportChoicesShape, row.choices);
};

const audit = (
  tx: Sql,
  context: UserContext,
  id: string,
  action: string,
  detail: Record<string, number | string> = {},
) => recordAudit(tx, actorOf(context), { action: `lot_import.${action}`, subject: id, detail });

/** Rows that a person corrected stay; excluded ones stay excluded. */
const storeRows = async (tx: Sql, importId: string, { rows }: ReadLots): Promise<void> => {
  const leftOut = await tx<{ line: number }[]>`
    SELECT line FROM lot_import_rows WHERE import_id = ${importId} AND left_out AND NOT is_corrected`;
  await tx`DELETE FROM lot_import_rows WHERE import_id = ${importId} AND NOT is_corrected`;
  for (const text of rows) {
    await tx`
      INSERT INTO lot_import_rows (import_id, line, "values", errors, warnings)
      SELECT ${importId}, n.line, n."values", n.errors, n.warnings
      FROM jsonb_to_recordset(${text}::text::jsonb) AS n (line integer, "values" jsonb, errors jsonb, warnings jsonb)
      ON CONFLICT DO NOTHING`;
  }
  await tx`
    UPDATE lot_import_rows SET left_out = true
    WHERE import_id = ${importId} AND line = ANY(${leftOut.map(({ line }) => line)}::integer[])`;
  // Without new statistics for this many new rows, queries take minutes.
  if (rows.length > 1) await tx`ANALYZE lot_import_rows`;
  await judgeRows(tx, importId);
};

/** Reads a list of lots and stores the result; nothing is imported yet. */
export const createLotImport = async (
  context: UserContext,
  fileName: string,
  content: Uint8Array,
): Promise<LotImport> => {
  const id = uuidV7();
  const read = await context.files.run(readLots, context.user.id, content, {});
  await context.sql.begin(async (tx) => {
    await tx`SELECT id FROM users WHERE id = ${context.user.id} FOR NO KEY UPDATE`;
    const open = await tx`SELECT id FROM lot_imports WHERE user_id = ${context.user.id} AND state = 'open'`;
    if (open.length >= maxOpen) {
      throw new AppError('conflict', `${maxOpen} lot imports are already open. Finish or delete one first.`);
    }
    await tx`
      INSERT INTO lot_imports (id, user_id, file_name, reading)
      VALUES (${id}, ${context.user.id}, ${fileName}, ${tx.json(read.reading)})`;
    await storeContent(tx, 'lots', id, content);
    await storeRows(tx, id, read);
    await audit(tx, context, id, 'created', { file_name: fileName, bytes: content.length });
  });
  return readLotImport(context.sql, context.user, id);
};

/** The earlier choices, and new ones for single columns. Another sheet has other columns. */
const merged = (before: LotImportChoices, now: LotImportChoices): LotImportChoices => {
  const isOtherSheet = now.sheet !== undefined && now.sheet !== before.sheet;
  const columns = Object.fromEntries(
    Object.entries({ ...(isOtherSheet ? {} : before.columns), ...now.columns }).map(([at, column]) => [
      at,
      { ...(isOtherSheet ? {} : before.columns?.[at]), ...column },
    ]),
  );
  return { ...before, ...now, columns };
};

/** Stores the contents of the file read with these choices; false when the choices have changed since. */
const storeReading = (
  context: UserContext,
  id: string,
  [before, choices]: readonly [before: LotImportChoices, choices: LotImportChoices],
  read: ReadLots,
): Promise<boolean> =>
  context.sql.begin(async (tx) => {
    if (!isDeepStrictEqual(await lockImport(tx, context, id, 'open'), before)) return false;
    await tx`
      UPDATE lot_imports SET choices = ${tx.json(choices)}, reading = ${tx.json(read.reading)} WHERE id = ${id}`;
    if (choices.sheet !== before.sheet) await tx`DELETE FROM lot_import_rows WHERE import_id = ${id}`;
    await storeRows(tx, id, read);
    await audit(tx, context, id, 'changed');
    return true;
  });

/** Reads the file again with a person's choice of columns. */
export const changeLotImport = async (
  context: UserContext,
  id: string,
  given: LotImportChoices,
): Promise<LotImport> => {
  let isStored = false;
  while (!isStored) {
    const before = await context.sql.begin((tx) => lockImport(tx, context, id, 'open'));
    const choices = merged(before, given);
    const content = await readContent(context.sql, 'lots', id);
    const read = await context.files.run(readLots, context.user.id, content, choices);
    isStored = await storeReading(context, id, [before, choices], read);
  }
  return readLotImport(context.sql, context.user, id);
};

/** Corrects a row, or excludes it. An unreadable value is no longer an error once a person has entered it. */
export const correctRow = async (
  context: UserContext,
  id: string,
  line: number,
  { left_out: leftOut, ...given }: ParsedBody<typeof correctLotImportRow>,
): Promise<LotImportedRow> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'open');
    const [row] = await tx<{ values: LotValues; errors: FieldError[]; left_out: boolean }[]>`
      SELECT "values", errors, left_out FROM lot_import_rows WHERE import_id = ${id} AND line = ${line} AND state = 'read'`;
    if (row === undefined) throw notFound('Row');
    const isCorrected = Object.keys(given).length > 0;
    const values: LotValues = { ...row.values, ...given };
    const unread = row.errors.filter(
      ({ field }) => !(field in given) && field !== 'row' && (values[field as keyof LotValues] ?? null) === null,
    );
    const errors = isCorrected ? errorsOfValues(values, unread) : row.errors;
    await tx`
      UPDATE lot_import_rows SET "values" = ${tx.json(values)}, errors = ${tx.json(errors)},
        is_corrected = is_corrected OR ${isCorrected}, left_out = ${leftOut ?? row.left_out}
      WHERE import_id = ${id} AND line = ${line}`;
    await judgeRows(tx, id);
    await audit(tx, context, id, 'changed', { line });
  });
  return readRow(context.sql, id, line);
};

/** Advances an import; the background service does the rest. */
export const startLotImport = async (context: UserContext, id: string): Promise<LotImport> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'open');
    await judgeRows(tx, id);
    const { ready } = await readLotImport(tx, context.user, id);
    if (ready === 0) throw new AppError('conflict', 'No row can be imported yet. Correct the problems first.');
    await tx`UPDATE lot_imports SET state = 'importing' WHERE id = ${id}`;
    await audit(tx, context, id, 'started', { rows: ready });
  });
  return readLotImport(context.sql, context.user, id);
};

export const undoLotImport = async (context: UserContext, id: string): Promise<LotImport> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'done');
    const { undo_until: until, imported } = await readLotImport(tx, context.user, id);
    if (until === null)
      throw new AppError('conflict', 'The import is more than a day old. Delete its lots one by one.');
    await tx`UPDATE lot_imports SET state = 'undoing' WHERE id = ${id}`;
    await audit(tx, context, id, 'undone', { rows: imported });
  });
  return readLotImport(context.sql, context.user, id);
};

export const deleteLotImport = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await context.sql.begin(async (tx) => {
    await lockImport(tx, context, id, 'open', 'undone', 'done');
    await tx`DELETE FROM lot_imports WHERE id = ${id}`;
    await audit(tx, context, id, 'deleted');
  });
  return { message: 'The import was deleted. Its lots are kept.' };
};
