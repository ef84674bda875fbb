import type { LotMovement } from '@roastery/contract/inventory';
import { uuidV7 } from '@roastery/runtime/uuid';
import { lowStockKg } from '@roastery/contract/limits';
import type { Sql } from '../db/sql.ts';

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

/** The first movement of new lots: their initial weight. No recipe can watch them yet, so none is running low. */
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

/** The weight that new lots have already lost. No recipe can watch them yet, so none is running low. */
export const adjustNewLots = async (
  tx: Sql,
  { moves, note, byUser }: { moves: readonly { lotId: string; kg: number }[]; note: string; byUser: string | null },
): Promise<void> => {
  await tx`
    WITH moved AS (
      INSERT INTO lot_movements (id, lot_id, at, kg, reason, note, by_user)
      SELECT n.id, n.lot_id, clock_timestamp(), n.kg, 'adjustment', ${note}, ${byUser}
        FROM unnest(${moves.map(() => uuidV7())}::uuid[], ${moves.map(({ lotId }) => lotId)}::uuid[],
                    ${moves.map(({ kg }) => kg)}::numeric[]) AS n (id, lot_id, kg)
      RETURNING lot_id, kg)
    UPDATE lots l SET current_weight = l.current_weight + m.kg FROM moved m WHERE l.id = m.lot_id`;
};

/** On `lots l`: in the inventory, and watched by a linked recipe. */
export const isWatched = (sql: Sql) => sql`
  (l.archived_at IS NULL AND EXISTS (
    SELECT FROM profiles p WHERE p.green_coffee_lot_id = l.id AND p.alert_low_inventory AND p.archived_at IS NULL))`;

/**
 * Raises a lot's alert when it is watched and below the threshold, and removes it when the weight is back: one alert
 * per crossing, however often the lot is used or the recipe saved. Called after every movement and after a recipe began
 * to watch. The caller holds the lot's row.
 */
export const watchStock = async (tx: Sql, lotId: string): Promise<void> => {
  await tx`
    INSERT INTO lot_alerts (lot_id)
    SELECT l.id FROM lots l WHERE l.id = ${lotId} AND l.current_weight < ${lowStockKg} AND ${isWatched(tx)}
    ON CONFLICT (lot_id) DO NOTHING`;
  await tx`
    DELETE FROM lot_alerts a USING lots l
     WHERE a.lot_id = ${lotId} AND l.id = a.lot_id AND l.current_weight >= ${lowStockKg}`;
};
