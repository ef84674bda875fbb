import type { Roast } from '@roastery/contract/roasts';
import { actorOf, recordAudit } from '../../../db/audit.ts';
import type { UserContext } from '../../../context.ts';
import type { Sql } from '../../../db/sql.ts';
import { notFound } from '../../../http/app-error.ts';
import { requireDiscardedRoast, requireRoast } from '../../../identity/access.ts';
import { placeBoardRoasts } from '../boards/board-roasts.ts';
import { refreshRoasts } from './recompute-roast.ts';
import { endRoast } from './end-roast.ts';
import { lockRecording } from './lock-roast.ts';
import { refuseOverlap } from './overlap.ts';
import { readRoast } from '../roast-row.ts';

/**
 * Discards a false roast. The window is free again and the samples stay; its lot gets its green coffee back, its plan
 * returns to the queue, and later reports of its board create no roast. It is stored so that it can be restored.
 */
export const discardRoast = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await context.sql.begin(async (tx) => {
    await requireRoast(tx, context.user, id, 'roast');
    if (!(await endRoast(tx, id, { how: 'discarded' }, actorOf(context)))) throw notFound('Roast');
  });
  return { message: 'The roast was discarded. Its samples stay on the timeline.' };
};

interface KeptRow {
  recording_id: string | null;
  charge_seq: number | null;
  drop_seq: number | null;
  made_by_hand: boolean;
  plan_id: string | null;
}

const restoreRow = async (tx: Sql, id: string): Promise<void> => {
  // A column that the row had then and that is not derived.
  const columns = await tx<{ name: string }[]>`
    SELECT c.column_name AS name FROM information_schema.columns c, roast_tombstones t
    WHERE t.roast_id = ${id} AND c.table_schema = current_schema() AND c.table_name = 'roasts'
      AND c.is_generated = 'NEVER' AND t.kept->'roast' ? c.column_name`;
  const names = tx(columns.map(({ name }) => name));
  await tx`
    INSERT INTO roasts (${names})
    SELECT ${names} FROM roast_tombstones t, jsonb_populate_record(NULL::roasts, t.kept->'roast'
      -- Its lot or recipe may have been deleted since, and its number be that of another roast by its plan.
      || jsonb_build_object(
        'lot_id', (SELECT l.id FROM lots l WHERE l.id = (t.kept->'roast'->>'lot_id')::uuid),
        'profile_id', (SELECT p.id FROM profiles p WHERE p.id = (t.kept->'roast'->>'profile_id')::uuid),
        'batch_number', (SELECT t.kept->'roast'->>'batch_number' WHERE NOT EXISTS (
          SELECT FROM roasts o WHERE o.batch_number = t.kept->'roast'->>'batch_number'))))
    WHERE t.roast_id = ${id}`;
  await tx`
    INSERT INTO roast_favorites (user_id, roast_id)
    SELECT u.id, ${id} FROM roast_tombstones t, jsonb_array_elements_text(t.kept->'favorites') f
    JOIN users u ON u.id = f::uuid WHERE t.roast_id = ${id}`;
  await tx`
    UPDATE profiles p SET reference_roast_id = ${id} FROM roast_tombstones t
    WHERE t.roast_id = ${id} AND p.reference_roast_id IS NULL AND t.kept->'references' ? p.id::text`;
};

/** It gets its plan back if that still waits; if another roast has taken the plan, that roast used the coffee. */
const restorePlan = async (tx: Sql, id: string, planId: string | null): Promise<void> => {
  if (planId === null) return;
  const bound = await tx`
    UPDATE planned_roasts SET roast_id = ${id}, bound_at = now() WHERE id = ${planId} AND bound_at IS NULL`;
  if (bound.count > 0) return;
  await tx`
    UPDATE roasts SET lot_id = NULL, profile_id = NULL, profile_name = NULL, batch_size_kg = NULL, batch_number = NULL
    WHERE id = ${id}`;
};

/** Restores a discarded roast, with later entries of its board. */
export const restoreRoast = async (context: UserContext, id: string): Promise<Roast> => {
  await context.sql.begin(async (tx) => {
    const { user } = context;
    const kept = tx`
      SELECT (t.kept->'roast'->>'recording_id')::uuid AS recording_id, (t.kept->'roast'->>'charge_seq')::bigint AS charge_seq,
             (t.kept->'roast'->>'drop_seq')::bigint AS drop_seq, (t.kept->'roast'->>'made_by_hand')::boolean AS made_by_hand,
             (t.kept->>'plan_id')::uuid AS plan_id
      FROM roast_tombstones t
      WHERE t.roast_id = ${id} AND t.kept IS NOT NULL`;
    await requireDiscardedRoast(tx, user, id);
    const [found] = await tx<KeptRow[]>`${kept}`;
    if (found === undefined) throw notFound('Roast');
    await lockRecording(tx, found.recording_id);
    const [roast] = await tx<KeptRow[]>`${kept} FOR UPDATE`;
    if (roast === undefined) throw notFound('Roast');
    if (roast.recording_id !== null && roast.charge_seq !== null) {
      const window = { fromSeq: roast.charge_seq, toSeq: roast.drop_seq ?? roast.charge_seq };
      await refuseOverlap(tx, roast.recording_id, window, [id]);
    }
    await restoreRow(tx, id);
    await restorePlan(tx, id, roast.plan_id);
    await tx`DELETE FROM roast_tombstones WHERE roast_id = ${id}`;
    const touched = new Set([id]);
    if (roast.recording_id !== null) {
      const [board, handMade] = roast.made_by_hand ? [[], [id]] : [[id], []];
      for (const one of await placeBoardRoasts(tx, roast.recording_id, board, handMade)) touched.add(one);
    }
    await refreshRoasts(tx, touched, user.id);
    await tx`UPDATE roasts SET revision = revision + 1 WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), { action: 'roast.restored', subject: id });
  });
  const read = await readRoast(context.sql, id, context.user);
  if (read === undefined) throw notFound('Roast');
  return read.roast;
};
