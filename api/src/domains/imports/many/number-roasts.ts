import type { Database } from '../../../db/sql.ts';
import { isReady } from './import-rows.ts';

/** Each part is two short statements: ingest waits for the numbers of a machine with its own prefix. */
const atOnce = 100;

/**
 * Numbers roasts of a finished import whose files have no number of their own, in the order of roasting: files are not
 * imported in that order. Of two instances one does it. Answers whether there were any; an import without is done.
 */
export const numberImported = (sql: Database): Promise<boolean> =>
  sql.begin(async (tx) => {
    const [finished] = await tx<{ id: string }[]>`
      SELECT i.id FROM roast_imports i
      WHERE i.state = 'importing'
        AND NOT EXISTS (SELECT FROM roast_import_files f WHERE f.import_id = i.id AND ${isReady(tx)})
      ORDER BY i.created_at, i.id LIMIT 1 FOR UPDATE`;
    if (finished === undefined) return false;
    const numbered = await tx<{ id: string }[]>`
      WITH given AS MATERIALIZED (
        SELECT due.id, give_batch_number(due.machine_id) AS batch_number
        FROM (SELECT r.id, r.machine_id FROM roast_import_files f JOIN roasts r ON r.id = f.roast_id
              WHERE f.import_id = ${finished.id} AND r.source_batch IS NULL AND NOT r.is_numbered
              ORDER BY r.start_time, r.id LIMIT ${atOnce} FOR UPDATE OF r) due)
      UPDATE roasts r SET is_numbered = true, batch_number = given.batch_number FROM given WHERE r.id = given.id
      RETURNING r.id`;
    const ids = numbered.map(({ id }) => id);
    await tx`
      UPDATE batch_numbers b SET roast_id = r.id FROM roasts r WHERE r.id = ANY(${ids}::uuid[]) AND b.batch_number = r.batch_number`;
    if (ids.length === 0)
      await tx`UPDATE roast_imports SET state = 'done', finished_at = now() WHERE id = ${finished.id}`;
    return true;
  });
