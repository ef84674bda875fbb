import { actorOf } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { notFound } from '../../http/app-error.ts';
import { requireRoast } from '../../identity/access.ts';
import { endRoast } from './life/end-roast.ts';

/**
 * Deletes a roast and leaves a tombstone, so that it is not created again when its board sends it again. Its lot gets
 * its green coffee back. The samples stay with the recording.
 */
export const deleteRoast = async (context: UserContext, id: string): Promise<{ message: string }> => {
  await context.sql.begin(async (tx) => {
    await requireRoast(tx, context.user, id, 'roast');
    if (!(await endRoast(tx, id, { how: 'deleted' }, actorOf(context)))) throw notFound('Roast');
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
