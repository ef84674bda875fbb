import { kilograms, milligrams } from '@roastery/roasting/units';
import type { Sql } from '../../../db/sql.ts';
import { moveLot } from '../../../ledger/move-lot.ts';

interface MovementReason {
  readonly roastId: string;
  readonly reason: 'roast' | 'roast_edit' | 'roast_delete';
  readonly byUser: string | null;
}

/** The sum of each lot's ledger for a roast, mg; negative when green coffee was used. */
const movedSoFar = async (tx: Sql, roastId: string): Promise<Map<string, number>> => {
  const rows = await tx<{ lot_id: string; kg: number }[]>`
    SELECT lot_id, sum(kg) AS kg FROM lot_movements WHERE roast_id = ${roastId} GROUP BY lot_id`;
  return new Map(rows.map((row) => [row.lot_id, milligrams(row.kg)]));
};

const levelLots = async (
  tx: Sql,
  wanted: ReadonlyMap<string, number>,
  moved: ReadonlyMap<string, number>,
  why: MovementReason,
): Promise<void> => {
  const changes = [...new Set([...wanted.keys(), ...moved.keys()])]
    .map((lotId) => ({ lotId, mg: (wanted.get(lotId) ?? 0) - (moved.get(lotId) ?? 0) }))
    .filter(({ mg }) => mg !== 0)
    .sort((a, b) => (a.lotId < b.lotId ? -1 : 1));
  if (changes.length === 0) return;
  // Not FOR UPDATE: the roast's reference to its lot holds a weaker lock that two transactions could not both upgrade.
  // One order for all: two roasts on the same two lots wait for each other instead of deadlocking.
  await tx`SELECT id FROM lots WHERE id = ANY(${changes.map(({ lotId }) => lotId)}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
  for (const { lotId, mg } of changes) await moveLot(tx, { lotId, kg: kilograms(mg), ...why });
};

/**
 * Updates the ledger for a roast: the green weight of a roast that has ended is taken from its lot once, when its
 * recipe deducts (or it has none); later edits move the difference. Whether it deducts is decided when it ends and
 * stored with it: later changes of the recipe change no past roast. Idempotent. Too little stock never blocks a roast.
 * The caller holds the roast's row.
 */
export const settleLot = async (tx: Sql, roastId: string, byUser: string | null): Promise<void> => {
  const [roast] = await tx<
    { lot_id: string | null; batch_size_kg: number | null; deducts: boolean | null; recipe_deducts: boolean }[]
  >`
    SELECT r.lot_id, r.batch_size_kg, r.deducts, coalesce(p.auto_deduct_inventory, true) AS recipe_deducts
    FROM roasts r LEFT JOIN profiles p ON p.id = r.profile_id
    WHERE r.id = ${roastId} AND r.status <> 'in_progress'`;
  if (roast === undefined) return;
  const moved = await movedSoFar(tx, roastId);
  const wanted = new Map<string, number>();
  // A deduction stays when the roast's recipe is changed.
  const deducts = roast.deducts ?? (roast.recipe_deducts || [...moved.values()].some((mg) => mg !== 0));
  if (roast.deducts === null) await tx`UPDATE roasts SET deducts = ${deducts} WHERE id = ${roastId}`;
  if (deducts && roast.lot_id !== null && roast.batch_size_kg !== null) {
    wanted.set(roast.lot_id, -milligrams(roast.batch_size_kg));
  }
  await levelLots(tx, wanted, moved, { roastId, reason: moved.size === 0 ? 'roast' : 'roast_edit', byUser });
};

/** Returns the green coffee of a roast that is being deleted. The caller holds the roast's row. */
export const unsettleLot = async (tx: Sql, roastId: string, byUser: string | null): Promise<void> => {
  const moved = await movedSoFar(tx, roastId);
  await levelLots(tx, new Map(), moved, { roastId, reason: 'roast_delete', byUser });
};

/** Returns the green coffee of a roast that turned out not to have ended. The caller holds the roast's row. */
export const reopenLot = async (tx: Sql, roastId: string, byUser: string | null): Promise<void> => {
  const moved = await movedSoFar(tx, roastId);
  await levelLots(tx, new Map(), moved, { roastId, reason: 'roast_edit', byUser });
  await tx`UPDATE roasts SET deducts = NULL WHERE id = ${roastId}`;
};

/**
 * Counts the completed roasts of these recipes again. Their rows are locked first, so that concurrent counts can't miss
 * each other; and before the rows of lots, here and where a recipe is saved, so that two transactions don't deadlock.
 */
export const countProfileUse = async (tx: Sql, profileIds: readonly (string | null)[]): Promise<void> => {
  const ids = [...new Set(profileIds.filter((id) => id !== null))].sort();
  if (ids.length === 0) return;
  await tx`SELECT id FROM profiles WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
  await tx`
    UPDATE profiles p
    SET times_used = (SELECT count(*) FROM roasts r WHERE r.profile_id = p.id AND r.status = 'completed')
    WHERE p.id = ANY(${ids}::uuid[])`;
};
