import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import type { Sql } from '../../db/sql.ts';
import { lockLot } from './lock-lot.ts';

/** More happened to it than being taken in. */
const hasHistory = async (tx: Sql, id: string): Promise<boolean> => {
  const [row] = await tx<{ has: boolean }[]>`
    SELECT EXISTS (SELECT FROM lot_movements WHERE lot_id = ${id} AND reason NOT IN ('initial', 'initial_edit'))
        OR EXISTS (SELECT FROM roasts WHERE lot_id = ${id}) AS has`;
  return row?.has ?? false;
};

/** Deletes a lot, or archives one with history: its roasts and ledger stay readable. */
export const deleteLot = async (context: UserContext, id: string): Promise<{ message: string; archived: boolean }> =>
  context.sql.begin(async (tx) => {
    const { lot_number, coffee_name } = await lockLot(tx, id, 'delete');
    const archived = await hasHistory(tx, id);
    if (archived) await tx`UPDATE lots SET archived_at = now(), revision = revision + 1 WHERE id = ${id}`;
    else await tx`DELETE FROM lots WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), {
      action: archived ? 'lot.archived' : 'lot.deleted',
      subject: id,
      detail: { lot_number, coffee_name },
    });
    return {
      archived,
      message: archived ? `Lot ${lot_number} was archived to preserve its history.` : `Lot ${lot_number} was deleted.`,
    };
  });
