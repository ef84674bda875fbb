import type { Sql } from '../../db/sql.ts';
import { bindPlan } from '../planned/bind-plan.ts';
import { announceRoast } from './announce-roast.ts';
import { recomputeRoast } from './recompute-roast.ts';
import { countProfileUse, reopenLot, settleLot } from './settle-roast.ts';

/**
 * Window, figures, status, plan, stock and count of use of one roast, after its marks or its state changed. The caller holds
 * the recording's row. Calling it again changes nothing.
 */
export const bringInLine = async (tx: Sql, roastId: string, byUser: string | null): Promise<void> => {
  const [roast] = await tx<{ machine_id: string | null; status: string }[]>`
    SELECT machine_id, status FROM roasts WHERE id = ${roastId} FOR UPDATE`;
  // Marks can be here before the event that makes the roast; it will find them then.
  if (roast === undefined) return;
  await recomputeRoast(tx, roastId);
  // A charge takes the plan that waits for it; only then is it known which recipe and lot the roast has.
  await bindPlan(tx, roastId);
  const [now] = await tx<{ profile_id: string | null; status: string }[]>`
    SELECT profile_id, status FROM roasts WHERE id = ${roastId}`;
  if (now !== undefined && now.status !== 'in_progress') await settleLot(tx, roastId, byUser);
  else if (roast.status !== 'in_progress') await reopenLot(tx, roastId, byUser);
  if (roast.status !== 'in_progress' || now?.status !== 'in_progress') {
    await countProfileUse(tx, [now?.profile_id ?? null]);
  }
  await announceRoast(tx, roastId, roast.machine_id);
};
