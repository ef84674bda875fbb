import type { LotMovement } from '@roastery/contract/inventory';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';

/** Under this a watched lot raises an alert, kg (product document). */
export const lowStockKg = 20;

export interface Movement {
  readonly lotId: string;
  /** Rounded to the milligram by the column; negative takes away. */
  readonly kg: number;
  readonly reason: LotMovement['reason'];
  readonly note?: string | null;
  readonly roastId?: string | null;
  readonly byUser: string | null;
}

/** Raised once per crossing: the row stays until the weight is back above the threshold. */
const watchStock = async (tx: Sql, lotId: string): Promise<void> => {
  await tx`
    INSERT INTO lot_alerts (lot_id)
    SELECT l.id FROM lots l
     WHERE l.id = ${lotId} AND l.current_weight < ${lowStockKg} AND EXISTS (
           SELECT FROM profiles p
            WHERE p.green_coffee_lot_id = l.id AND p.alert_low_inventory AND p.archived_at IS NULL)
    ON CONFLICT (lot_id) DO NOTHING`;
  await tx`
    DELETE FROM lot_alerts a USING lots l
     WHERE a.lot_id = ${lotId} AND l.id = a.lot_id AND l.current_weight >= ${lowStockKg}`;
};

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
