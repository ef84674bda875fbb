import { type Actor, actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { requireRoast } from '../../identity/access.ts';
import { announceDeletedRoast } from './announce-roast.ts';
import { noteUseOfNumber } from '../planned/batch-number.ts';
import { lockRecordingOf } from './lock-roast.ts';
import { countProfileUse, unsettleLot } from './settle-roast.ts';

interface DeletedRow {
  machine_id: string | null;
  status: string;
  profile_id: string | null;
  coffee_name: string | null;
  batch_number: string | null;
}

/**
 * Deletes a roast and leaves a tombstone, so that it is not created again when its board sends it again. Its lot gets
 * its green coffee back. The samples stay with the recording. The caller has checked the right.
 */
export const removeRoast = async (tx: Sql, id: string, byUser: string, actor: Actor): Promise<void> => {
  // No event of its board can arrive between the delete and the tombstone.
  await lockRecordingOf(tx, id);
  const [roast] = await tx<DeletedRow[]>`
    SELECT machine_id, status, profile_id, coffee_name, batch_number FROM roasts WHERE id = ${id} FOR UPDATE`;
  if (roast === undefined) throw notFound('Roast');
  await tx`INSERT INTO roast_tombstones (roast_id, deleted_by) VALUES (${id}, ${byUser})`;
  // A roast that receives its marks keeps receiving them.
  await tx`
    DELETE FROM roast_marks WHERE roast_id = ${id}
      AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = ${id})`;
  await tx`
    DELETE FROM replaced_marks WHERE roast_id = ${id}
      AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.board_roast_id = ${id})`;
  await tx`DELETE FROM roast_alarms WHERE roast_id = ${id}`;
  await tx`UPDATE roast_sources SET said = true WHERE roast_id = ${id}`;
  await noteUseOfNumber(tx, roast.batch_number, roast.coffee_name);
  await tx`DELETE FROM roasts WHERE id = ${id}`;
  await tx`UPDATE profiles SET reference_roast_id = NULL WHERE reference_roast_id = ${id}`;
  await countProfileUse(tx, [roast.profile_id]);
  await unsettleLot(tx, id, byUser);
  if (roast.status === 'in_progress') await announceDeletedRoast(tx, id, roast.machine_id);
  await recordAudit(tx, actor, {
    action: 'roast.deleted',
    subject: id,
    detail: { coffee_name: roast.coffee_name },
  });
};

export const deleteRoast = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await context.sql.begin(async (tx) => {
    await requireRoast(tx, context.user, id, 'roast');
    await removeRoast(tx, id, context.user.id, actorOf(context));
  });
  return { message: 'The roast was deleted.' };
};

/** Marks or unmarks a roast as a favourite of the caller. */
export const setFavorite = async (
  { sql, user }: UserContext,
  id: string,
  isFavorite: boolean,
): Promise<{ is_favorite: boolean }> => {
  await requireRoast(sql, user, id, 'see');
  await (isFavorite
    ? sql`INSERT INTO roast_favorites (user_id, roast_id) VALUES (${user.id}, ${id}) ON CONFLICT DO NOTHING`
    : sql`DELETE FROM roast_favorites WHERE user_id = ${user.id} AND roast_id = ${id}`);
  return { is_favorite: isFavorite };
};
