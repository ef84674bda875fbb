import { lowStockKg } from '@roastery/contract/low-stock';
import type { Sql } from '../db/sql.ts';

/** On `lots l`: on the shelf, and a recipe linked to it asks to be told when it runs low. */
export const isWatched = (sql: Sql) => sql`
  (l.archived_at IS NULL AND EXISTS (
    SELECT FROM profiles p WHERE p.green_coffee_lot_id = l.id AND p.alert_low_inventory AND p.archived_at IS NULL))`;

/**
 * Raises a lot's alert when it is watched and below the threshold, and takes it away when the weight is back: so there is one a
 * crossing, however often the lot is used or the recipe saved in between. Called after every movement and after a recipe began to
 * watch. The caller holds the lot's row.
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
