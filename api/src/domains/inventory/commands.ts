import type { Lot } from '@roastery/contract/inventory';
import { kilograms, milligrams } from '@roastery/roasting/units';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { holdCurrency } from '../../ledger/money.ts';
import { moveLot } from '../../ledger/move-lot.ts';
import type { Sql } from '../../db/sql.ts';
import { describingColumns, type LotForm } from './create-lot.ts';
import { findLot } from './queries.ts';

type LotEdit = Omit<LotForm, 'lot_number'> & {
  readonly is_reserved?: boolean | undefined;
  readonly revision?: number | undefined;
};

/** Replaces the fields of a lot; a changed initial weight changes the current one by the difference. */
export const updateLot = async (context: UserContext, id: string, form: LotEdit): Promise<Lot> =>
  context.sql.begin(async (tx) => {
    const currency = await holdCurrency(tx);
    const before = await lockLot(tx, id);
    if (form.revision !== undefined && form.revision !== before.revision) {
      throw new AppError('changed_meanwhile', 'Another user has changed this lot. Reload it and repeat your change.');
    }
    const isReserved = form.is_reserved ?? before.is_reserved;
    await tx`
      UPDATE lots SET ${tx({ ...describingColumns(form, currency), is_reserved: isReserved, revision: before.revision + 1 })}
       WHERE id = ${id}`;
    // Two weights with the same milligrams must not change the ledger, however often they are edited.
    const differenceMg = milligrams(form.initial_weight) - milligrams(before.initial_weight);
    if (differenceMg !== 0) {
      await moveLot(tx, { lotId: id, kg: kilograms(differenceMg), reason: 'initial_edit', byUser: context.user.id });
    }
    await recordAudit(tx, actorOf(context), {
      action: 'lot.updated',
      subject: id,
      detail: { lot_number: before.lot_number, initial_weight: form.initial_weight, is_reserved: isReserved },
    });
    const lot = await findLot(tx, id);
    if (!lot) throw notFound('Lot');
    return lot;
  });

/** Adds or removes weight by hand, with the reason in words. */
export const adjustLot = async (
  context: UserContext,
  id: string,
  { kg, note, stock_before: before }: { kg: number; note: string; stock_before?: number | undefined },
): Promise<Lot> =>
  context.sql.begin(async (tx) => {
    const { lot_number, current_weight: stock } = await lockLot(tx, id);
    // A stock count would undo movements since then.
    if (before !== undefined && milligrams(before) !== milligrams(stock)) {
      throw new AppError('changed_meanwhile', 'The stock of this lot has changed. Reload it and repeat your change.');
    }
    await moveLot(tx, { lotId: id, kg, reason: 'adjustment', note, byUser: context.user.id });
    await recordAudit(tx, actorOf(context), { action: 'lot.adjusted', subject: id, detail: { lot_number, kg, note } });
    const lot = await findLot(tx, id);
    if (!lot) throw notFound('Lot');
    return lot;
  });

/** It has movements beyond its initial weight, or roasts. */
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

export interface LockedLot {
  readonly lot_number: string;
  readonly coffee_name: string;
  readonly initial_weight: number;
  readonly current_weight: number;
  readonly is_reserved: boolean;
  readonly revision: number;
}

/**
 * Locks the lot's row until the transaction ends; `delete` also prevents links from roasts and recipes until then.
 * Throws `not_found` for a lot that is deleted or archived.
 */
export const lockLot = async (tx: Sql, id: string, purpose: 'change' | 'delete' = 'change'): Promise<LockedLot> => {
  const [lot] = await tx<LockedLot[]>`
    SELECT lot_number, coffee_name, initial_weight, current_weight, is_reserved, revision
      FROM lots WHERE id = ${id} AND archived_at IS NULL
       ${purpose === 'delete' ? tx`FOR UPDATE` : tx`FOR NO KEY UPDATE`}`;
  if (!lot) throw notFound('Lot');
  return lot;
};
