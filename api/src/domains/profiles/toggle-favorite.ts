import type { UserContext } from '../../context.ts';
import { mustFindProfile } from './save-profile.ts';

/** Switches the star of whoever asks; other people's stars stay. */
export const toggleFavorite = async (context: UserContext, id: string): Promise<{ is_favorite: boolean }> =>
  context.sql.begin(async (tx) => {
    // Two clicks at once: the second waits for the first and switches back.
    await tx`SELECT 1 FROM profiles WHERE id = ${id} FOR NO KEY UPDATE`;
    const { is_favorite: was } = await mustFindProfile(tx, context.user, id);
    if (was) await tx`DELETE FROM profile_favorites WHERE profile_id = ${id} AND user_id = ${context.user.id}`;
    else await tx`INSERT INTO profile_favorites (profile_id, user_id) VALUES (${id}, ${context.user.id})`;
    return { is_favorite: !was };
  });
