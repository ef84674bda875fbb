import { lotBodyShape } from '@roastery/contract/inventory';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { recordAudits } from '../../../db/audit.ts';
import { isConnectionLost, loggable, statementOf } from '../../../db/postgres-errors.ts';
import type { Sql } from '../../../db/sql.ts';
import { adjustNewLots } from '../../../ledger/move-lot.ts';
import { insertLots } from '../../inventory/create-lot.ts';
import { keepDays, maxTries, workInBackground, type ImportContext } from '../background-work.ts';
import { isRowReady } from './lot-import-rows.ts';
import type { LotValues } from './lot-rows.ts';

/** Lots of one transaction: other requests are handled between two of them. Fewer at each attempt after a failure. */
const batchRows = 250;
const rowsAt = (failures: number): number => Math.max(1, batchRows >> (3 * failures));
const gaveUp = 'The server could not import this row. Ask your administrator to check the server log.';
/** The reason in the ledger for a new lot below its initial weight. */
const importNote = 'Already used before the import';

interface Batch {
  readonly import_id: string;
  readonly user: { readonly id: string; readonly email: string };
}

const nextImport = async (sql: Sql, state: 'importing' | 'undoing'): Promise<Batch | undefined> => {
  const [row] = await sql<Batch[]>`
    SELECT i.id AS import_id, jsonb_build_object('id', u.id, 'email', u.email) AS user
    FROM lot_imports i JOIN users u ON u.id = i.user_id WHERE u.is_active AND i.state = ${state} ORDER BY i.created_at LIMIT 1`;
  return row;
};

const finish = (tx: Sql, id: string, state: 'done' | 'undone') =>
  tx`UPDATE lot_imports SET state = ${state}, finished_at = now() WHERE id = ${id}`;

/** A lot whose number was used since the review is not imported, and its row shows it. */
const refuseTaken = (tx: Sql, importId: string) => tx`
  UPDATE lot_import_rows r
  SET problem = 'exists', remarks = jsonb_build_array(format('Lot %s already exists: %s.', l.lot_number, l.coffee_name))
  FROM lots l WHERE r.import_id = ${importId} AND l.lot_number = r.lot_number AND ${isRowReady(tx)}`;

const importBatch = async ({ sql }: ImportContext, { import_id: id, user }: Batch, limit: number): Promise<void> =>
  sql.begin(async (tx) => {
    await tx`SELECT id FROM lot_imports WHERE id = ${id} FOR UPDATE`;
    await refuseTaken(tx, id);
    const rows = await tx<{ line: number; values: LotValues }[]>`
      SELECT r.line, r."values" FROM lot_import_rows r WHERE r.import_id = ${id} AND ${isRowReady(tx)}
      ORDER BY r.line LIMIT ${limit}`;
    if (rows.length === 0) {
      await finish(tx, id, 'done');
      return;
    }
    const forms = rows.map(({ values }) => parseOrThrow(lotBodyShape, values));
    const ids = await insertLots(tx, { user, address: null }, forms);
    const used = rows.flatMap(({ values }, at) => {
      const kg = Number(values.current_weight ?? values.initial_weight) - Number(values.initial_weight);
      return kg === 0 ? [] : [{ lotId: ids[at] ?? '', kg }];
    });
    await adjustNewLots(tx, { moves: used, note: importNote, byUser: user.id });
    await tx`
      UPDATE lot_import_rows r SET state = 'imported', lot_id = n.lot_id
      FROM unnest(${rows.map(({ line }) => line)}::integer[], ${ids}::uuid[]) AS n (line, lot_id)
      WHERE r.import_id = ${id} AND r.line = n.line`;
  });

interface Undone {
  line: number;
  lot_id: string | null;
  lot_number: string | null;
  roasts: number;
  is_moved: boolean;
  recipes: number;
  plans: number;
}

const usedBy = (number: number, one: string): string =>
  `${number} ${one}${number === 1 ? ' uses' : 's use'} this lot: it is kept.`;

/** Why a lot stays; undefined when nothing depends on it. */
const reasonToStay = ({ roasts, recipes, plans, is_moved: isMoved }: Undone): string | undefined => {
  if (roasts > 0) return usedBy(roasts, 'roast');
  if (recipes > 0) return usedBy(recipes, 'recipe');
  if (plans > 0) return usedBy(plans, 'queued roast');
  return isMoved ? 'The weight of this lot has changed since the import: it is kept.' : undefined;
};

const undoBatch = async ({ sql }: ImportContext, { import_id: id, user }: Batch, limit: number): Promise<void> =>
  sql.begin(async (tx) => {
    await tx`SELECT id FROM lot_imports WHERE id = ${id} FOR UPDATE`;
    const batch = await tx<{ lot_id: string }[]>`
      SELECT lot_id FROM lot_import_rows WHERE import_id = ${id} AND state = 'imported' ORDER BY line LIMIT ${limit}`;
    if (batch.length === 0) {
      await finish(tx, id, 'undone');
      return;
    }
    const lotIds = batch.map(({ lot_id: lotId }) => lotId);
    // No roast and no recipe can be linked to these lots from here on.
    await tx`SELECT id FROM lots WHERE id = ANY(${lotIds}::uuid[]) ORDER BY id FOR UPDATE`;
    const rows = await tx<Undone[]>`
      SELECT r.line, l.id AS lot_id, l.lot_number,
             (SELECT count(*)::int FROM roasts x WHERE x.lot_id = l.id) AS roasts,
             (SELECT count(*)::int FROM profiles p WHERE p.green_coffee_lot_id = l.id AND p.archived_at IS NULL) AS recipes,
             (SELECT count(*)::int FROM planned_roasts p WHERE p.lot_id = l.id AND p.cancelled_at IS NULL) AS plans,
             EXISTS (SELECT FROM lot_movements v WHERE v.lot_id = l.id AND v.reason NOT IN ('initial', 'initial_edit')
                       AND NOT (v.reason = 'adjustment' AND v.note = ${importNote})) AS is_moved
      FROM lot_import_rows r LEFT JOIN lots l ON l.id = r.lot_id
      WHERE r.import_id = ${id} AND r.lot_id = ANY(${lotIds}::uuid[])`;
    const kept = rows.flatMap((row) => {
      const reason = reasonToStay(row);
      return row.lot_id === null || reason === undefined ? [] : [{ line: row.line, reason }];
    });
    const gone = rows.filter(({ line }) => !kept.some((row) => row.line === line));
    const deleted = gone.flatMap(({ lot_id: lotId, lot_number: number }) =>
      lotId === null ? [] : [{ lotId, number }],
    );
    await tx`DELETE FROM lots WHERE id = ANY(${deleted.map(({ lotId }) => lotId)}::uuid[])`;
    if (deleted.length > 0) {
      await recordAudits(
        tx,
        { actor: user.email, actorId: user.id, address: null },
        deleted.map(({ lotId, number }) => ({ action: 'lot.deleted', subject: lotId, detail: { lot_number: number } })),
      );
    }
    await tx`
      UPDATE lot_import_rows SET state = 'undone', lot_id = NULL, problem = NULL, remarks = '[]'
      WHERE import_id = ${id} AND line = ANY(${gone.map(({ line }) => line)}::integer[])`;
    await tx`
      UPDATE lot_import_rows r SET state = 'undone', problem = 'kept', remarks = jsonb_build_array(n.reason)
      FROM unnest(${kept.map(({ line }) => line)}::integer[], ${kept.map(({ reason }) => reason)}::text[]) AS n (line, reason)
      WHERE r.import_id = ${id} AND r.line = n.line`;
  });

/** Finished imports of lots. */
export const removeOldLotImports = async (sql: Sql): Promise<void> => {
  await sql`
    DELETE FROM lot_imports
    WHERE state IN ('open', 'done', 'undone') AND created_at < now() - make_interval(days => ${keepDays})`;
};

/** Rows that could not be imported show it; rows that could not be undone can be undone again. */
const giveUp = async ({ sql }: ImportContext, { import_id: id }: Batch): Promise<void> =>
  sql.begin(async (tx) => {
    await tx`
      UPDATE lot_import_rows r SET problem = 'invalid', remarks = jsonb_build_array(${gaveUp}::text)
      FROM lot_imports i
      WHERE i.id = ${id} AND i.state = 'importing' AND r.import_id = i.id AND ${isRowReady(tx)}`;
    await tx`UPDATE lot_imports SET state = 'done', finished_at = coalesce(finished_at, now()) WHERE id = ${id}`;
  });

/** Adds and deletes the lots of imports in batches. The progress is in the database: after a restart it continues. */
export const lotImporter = async (whole: ImportContext): Promise<{ close(): Promise<void> }> => {
  const failures = new Map<string, number>();
  return workInBackground(whole, 0, async (context) => {
    const { sql, log } = context;
    const undoing = await nextImport(sql, 'undoing');
    const next = undoing ?? (await nextImport(sql, 'importing'));
    if (next === undefined) return false;
    const limit = rowsAt(failures.get(next.import_id) ?? 0);
    try {
      await (undoing === undefined ? importBatch : undoBatch)(context, next, limit);
      failures.delete(next.import_id);
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      const count = (failures.get(next.import_id) ?? 0) + 1;
      failures.set(next.import_id, count);
      const statement = statementOf(error);
      log.error({ ...loggable(error), statement, import: next.import_id, count }, 'lot import failed');
      if (count >= maxTries) await giveUp(context, next);
      return false;
    }
    return true;
  });
};
