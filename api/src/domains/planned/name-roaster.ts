import type { Sql } from '../../db/sql.ts';

/** Clocks of board and server may differ a little, s. */
const toleranceSeconds = 60;

/**
 * Names the person at the machine in a roast that has just been charged: whoever was chosen last before the charge, with the plan or
 * at the machine. A name that stands on the roast already, and not from its plan, stays.
 */
export const nameRoaster = async (tx: Sql, roastId: string): Promise<void> => {
  await tx`
    UPDATE roasts r SET roasted_by = u.full_name
    FROM machines m JOIN users u ON u.id = m.roaster_id
    WHERE r.id = ${roastId} AND m.id = r.machine_id AND u.is_active
      AND m.roaster_since <= r.start_time + make_interval(secs => ${toleranceSeconds})
      AND (r.roasted_by IS NULL OR EXISTS (
        SELECT FROM planned_roasts p
        WHERE p.roast_id = r.id AND p.roasted_by = r.roasted_by AND p.created_at < m.roaster_since))`;
};
