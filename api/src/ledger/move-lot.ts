import type { LotMovement } from '@roastery/contract/inventory';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { watchStock } from './watch-stock.ts';

export interface Movement {
  readonly lotId: string;
  /** Rounded to the milligram by the column; negative takes away. */
  readonly kg: number;
  readonly reason: LotMovement['reason'];
  readonly note?: string | null;
  readonly roastId?: string | null;
  readonly byUser: string | null;
}

/** Writes one movement and the lot's new weight, which stays the sum of its movements. The caller's transaction holds the lot's row. */
export const moveLot = async (tx: Sql, movement: Movement): Promise<void> => {
  const { lotId, kg } = movement;
  await tx`
    INSERT INTO lot_movements (id, lot_id, at, kg, reason, note, roast_id, by_user)
    VALUES (${uuidV7()}, ${lotId}, clock_timestamp(), ${kg}, ${movement.reason}, ${movement.note ?? null},
            ${movement.roastId ?? null}, ${movement.byUser})`;
  await tx`UPDATE lots SET current_weight = current_weight + ${kg}::numeric(14, 6) WHERE id = ${lotId}`;
  await watchStock(tx, lotId);
};

/** The first movement of lots that were just put in: their initial weight. No recipe can watch them yet, so none is running low. */
export const openLedgers = async (
  tx: Sql,
  { lotIds, byUser }: { lotIds: readonly string[]; byUser: string | null },
): Promise<void> => {
  await tx`
    INSERT INTO lot_movements (id, lot_id, at, kg, reason, by_user)
    SELECT opened.id, l.id, clock_timestamp(), l.initial_weight, 'initial', ${byUser}
      FROM unnest(${lotIds.map(() => uuidV7())}::uuid[], ${[...lotIds]}::uuid[]) AS opened (id, lot_id)
      JOIN lots l ON l.id = opened.lot_id`;
  await tx`
    UPDATE lots SET current_weight = initial_weight::numeric(14, 6) WHERE id = ANY(${[...lotIds]}::uuid[])`;
};
