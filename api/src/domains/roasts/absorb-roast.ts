import type { Sql } from '../../db/sql.ts';
import { giveBatchNumber } from '../planned/batch-number.ts';
import { announceDeletedRoast } from './announce-roast.ts';
import { countProfileUse, unsettleLot } from './settle-roast.ts';

/**
 * Merges one roast into another: its description fills empty fields of the other, its plan moves along, its green
 * coffee returns to the lot, and its row is deleted. Does nothing without a row. The caller holds the recording's row.
 */
export const absorbRoast = async (tx: Sql, id: string, into: string, byUser: string | null): Promise<void> => {
  const [roast] = await tx<{ profile_id: string | null; machine_id: string | null; status: string }[]>`
    SELECT profile_id, machine_id, status FROM roasts WHERE id = ${id} FOR UPDATE`;
  if (roast === undefined) return;
  await tx`
    UPDATE planned_roasts SET roast_id = ${into}
    WHERE roast_id = ${id} AND NOT EXISTS (SELECT FROM planned_roasts WHERE roast_id = ${into})`;
  await tx`UPDATE planned_roasts SET roast_id = NULL, bound_at = NULL, plan = NULL WHERE roast_id = ${id}`;
  await tx`
    UPDATE roasts i SET
      coffee_name = coalesce(i.coffee_name, f.coffee_name), coffee_origin = coalesce(i.coffee_origin, f.coffee_origin),
      coffee_process = coalesce(i.coffee_process, f.coffee_process),
      profile_id = coalesce(i.profile_id, f.profile_id), profile_name = coalesce(i.profile_name, f.profile_name),
      lot_id = coalesce(i.lot_id, f.lot_id), roasted_by = coalesce(i.roasted_by, f.roasted_by),
      batch_size_kg = coalesce(i.batch_size_kg, f.batch_size_kg),
      end_weight_kg = coalesce(i.end_weight_kg, f.end_weight_kg), roast_level = coalesce(i.roast_level, f.roast_level),
      roast_level_target = coalesce(i.roast_level_target, f.roast_level_target), notes = coalesce(i.notes, f.notes),
      cupping_score = coalesce(i.cupping_score, f.cupping_score), color = coalesce(i.color, f.color)
    FROM roasts f WHERE i.id = ${into} AND f.id = ${id}`;
  await tx`UPDATE profiles SET reference_roast_id = ${into} WHERE reference_roast_id = ${id}`;
  await tx`
    UPDATE roast_alarms a SET roast_id = ${into} WHERE roast_id = ${id}
      AND NOT EXISTS (SELECT FROM roast_alarms o WHERE o.roast_id = ${into} AND o.occurrence = a.occurrence)`;
  await tx`DELETE FROM roast_alarms WHERE roast_id = ${id}`;
  await tx`DELETE FROM roasts WHERE id = ${id}`;
  await countProfileUse(tx, [roast.profile_id]);
  await unsettleLot(tx, id, byUser);
  // A plan that was moved keeps its number.
  await giveBatchNumber(tx, into);
  if (roast.status === 'in_progress') await announceDeletedRoast(tx, id, roast.machine_id);
};
