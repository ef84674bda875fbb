import type { Lot } from '@roastery/contract/inventory';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../http/app-error.ts';
import { moveLot } from '../../ledger/move-lot.ts';
import { describingColumns, type LotForm } from './lot-columns.ts';
import { findLot } from './queries.ts';

/** Puts a new lot into the inventory, within the caller's transaction; its ledger begins with the initial weight. */
export const insertLot = async (tx: Sql, context: UserContext, form: LotForm): Promise<string> => {
  const id = uuidV7();
  await tx`INSERT INTO lots ${tx({ id, lot_number: form.lot_number, ...describingColumns(form) })}`;
  await moveLot(tx, { lotId: id, kg: form.initial_weight, reason: 'initial', byUser: context.user.id });
  await recordAudit(tx, actorOf(context), {
    action: 'lot.created',
    subject: id,
    detail: { lot_number: form.lot_number, initial_weight: form.initial_weight },
  });
  return id;
};

/** Takes a lot in. */
export const createLot = async (context: UserContext, form: LotForm): Promise<Lot> => {
  try {
    return await context.sql.begin(async (tx) => {
      const lot = await findLot(tx, await insertLot(tx, context, form));
      if (!lot) throw new Error('the lot just created is not there');
      return lot;
    });
  } catch (error) {
    if (!isTaken(error, 'lots_lot_number_key')) throw error;
    throw new AppError('already_exists', `There is already a lot with the number ${form.lot_number}`);
  }
};
