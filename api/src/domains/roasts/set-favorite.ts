import type { UserContext } from '../../context.ts';
import { notFound } from '../../http/app-error.ts';
import { visibleTo } from './roast-row.ts';

/** Marks or unmarks a roast as a favourite of the person who asks. */
export const setFavorite = async (
  { sql, user }: UserContext,
  id: string,
  isFavorite: boolean,
): Promise<{ is_favorite: boolean }> => {
  const [roast] = await sql`SELECT 1 FROM roasts r WHERE r.id = ${id} AND ${visibleTo(sql, user)}`;
  if (roast === undefined) throw notFound('Roast');
  await (isFavorite
    ? sql`INSERT INTO roast_favorites (user_id, roast_id) VALUES (${user.id}, ${id}) ON CONFLICT DO NOTHING`
    : sql`DELETE FROM roast_favorites WHERE user_id = ${user.id} AND roast_id = ${id}`);
  return { is_favorite: isFavorite };
};
