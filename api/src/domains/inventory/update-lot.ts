import type { Lot } from '@roastery/contract/inventory';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { moveLot } from '../../ledger/move-lot.ts';
import { lockLot } from './lock-lot.ts';
import { describingColumns, type LotForm } from './lot-columns.ts';
import { findLot } from './queries.ts';

type LotEdit = Omit<LotForm, 'lot_number'> & {
  readonly is_reserved?: boolean | undefined;
  readonly revision?: number | undefined;
};

/** The ledger knows milligrams: two weights it can't tell apart must not move it, however often they are edited. */
const milligrams = (kg: number): number => Math.round(kg * 1e6);

/** Replaces what is said of a lot; a changed initial weight moves the current one by the difference. */
export const updateLot = async (context: UserContext, id: string, form: LotEdit): Promise<Lot> =>
  context.sql.begin(async (tx) => {
    const before = await lockLot(tx, id);
    if (form.revision !== undefined && form.revision !== before.revision) {
      throw new AppError('changed_meanwhile', 'Somebody else has changed this lot meanwhile. Load it again');
    }
    const isReserved = form.is_reserved ?? before.is_reserved;
    await tx`
      UPDATE lots SET ${tx({ ...describingColumns(form), is_reserved: isReserved, revision: before.revision + 1 })}
       WHERE id = ${id}`;
    const differenceMg = milligrams(form.initial_weight) - milligrams(before.initial_weight);
    if (differenceMg !== 0) {
      await moveLot(tx, { lotId: id, kg: differenceMg / 1e6, reason: 'initial_edit', byUser: context.user.id });
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
