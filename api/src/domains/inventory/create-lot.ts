import type { Lot, lotBodyShape } from '@roastery/contract/inventory';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { z } from 'zod';
import { actorOf, recordAudits } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../http/app-error.ts';
import { holdCurrency, priceOf } from '../../ledger/money.ts';
import { openLedgers } from '../../ledger/move-lot.ts';
import { findLot } from './queries.ts';

/**
 * Adds new lots to the inventory, within the caller's transaction; the ledger of each begins with its initial weight. A
 * few statements for all of them, so at most some thousand lots.
 * @returns their ids, in the order of the forms
 */
export const insertLots = async (
  tx: Sql,
  by: Parameters<typeof actorOf>[0],
  forms: readonly LotForm[],
): Promise<string[]> => {
  const currency = await holdCurrency(tx);
  const lots = forms.map((form) => ({
    id: uuidV7(),
    lot_number: form.lot_number,
    ...describingColumns(form, currency),
  }));
  await tx`INSERT INTO lots ${tx(lots)}`;
  await openLedgers(tx, { lotIds: lots.map(({ id }) => id), byUser: by.user.id });
  await recordAudits(
    tx,
    actorOf(by),
    lots.map(({ id, lot_number, initial_weight }) => ({
      action: 'lot.created',
      subject: id,
      detail: { lot_number, initial_weight },
    })),
  );
  return lots.map(({ id }) => id);
};

/** Adds one lot. */
export const createLot = async (context: UserContext, form: LotForm): Promise<Lot> => {
  try {
    return await context.sql.begin(async (tx) => {
      const [id = ''] = await insertLots(tx, context, [form]);
      const lot = await findLot(tx, id);
      if (!lot) throw new Error('the lot just created is not there');
      return lot;
    });
  } catch (error) {
    if (!isTaken(error, 'lots_lot_number_key')) throw error;
    throw new AppError('already_exists', `A lot with the number ${form.lot_number} already exists.`);
  }
};

export type LotForm = z.output<typeof lotBodyShape>;

/** The fields of a form about the coffee, as columns: an absent field is empty. */
export const describingColumns = (form: Omit<LotForm, 'lot_number'>, currency: string) => ({
  coffee_name: form.coffee_name,
  origin: form.origin,
  region: form.region ?? null,
  farm: form.farm ?? null,
  variety: form.variety ?? null,
  process: form.process ?? null,
  altitude: form.altitude ?? null,
  harvest_date: form.harvest_date ?? null,
  supplier: form.supplier ?? null,
  purchase_date: form.purchase_date ?? null,
  ...priceOf(form.cost_per_kg ?? null, currency),
  initial_weight: form.initial_weight,
  location: form.location ?? null,
  cupping_score: form.cupping_score ?? null,
  moisture_content: form.moisture_content ?? null,
  water_activity: form.water_activity ?? null,
  density: form.density ?? null,
  screen_size: form.screen_size ?? null,
  notes: form.notes ?? null,
});
