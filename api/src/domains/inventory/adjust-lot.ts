import type { Lot } from '@roastery/contract/inventory';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { notFound } from '../../http/app-error.ts';
import { moveLot } from '../../ledger/move-lot.ts';
import { lockLot } from './lock-lot.ts';
import { findLot } from './queries.ts';

/** Adds or takes weight by hand, with the reason in words. */
export const adjustLot = async (
  context: UserContext,
  id: string,
  { kg, note }: { kg: number; note: string },
): Promise<Lot> =>
  context.sql.begin(async (tx) => {
    const { lot_number } = await lockLot(tx, id);
    await moveLot(tx, { lotId: id, kg, reason: 'adjustment', note, byUser: context.user.id });
    await recordAudit(tx, actorOf(context), { action: 'lot.adjusted', subject: id, detail: { lot_number, kg, note } });
    const lot = await findLot(tx, id);
    if (!lot) throw notFound('Lot');
    return lot;
  });
