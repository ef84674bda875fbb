import type { Profile } from '@roastery/contract/profiles';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { AppError, invalid } from '../../http/app-error.ts';
import { mustFindProfile } from './save-profile.ts';

/**
 * Chooses the roast that a recipe is measured against, or leaves it to the best rated. The revision stays: whoever is
 * writing the recipe meanwhile isn't held up by it. Throws `conflict` for a roast that has nothing to measure against.
 */
export const setReference = async (context: UserContext, id: string, roastId: string | null): Promise<Profile> =>
  context.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM profiles WHERE id = ${id} FOR NO KEY UPDATE`;
    const profile = await mustFindProfile(tx, context.user, id);
    if (roastId !== null) {
      const { is_admin: isAdmin, id: userId } = context.user;
      const [roast] = await tx<{ is_drawn: boolean }[]>`
        SELECT status = 'completed' AND charge_seq IS NOT NULL AS is_drawn
        FROM roasts WHERE id = ${roastId} AND (${isAdmin} OR owner_id = ${userId})`;
      if (roast === undefined) throw invalid('roast_id', 'There is no such roast');
      if (!roast.is_drawn) throw new AppError('conflict', 'Only a finished roast with a curve can be a reference.');
    }
    await tx`UPDATE profiles SET reference_roast_id = ${roastId} WHERE id = ${id}`;
    const detail = { name: profile.name, roast_id: roastId };
    await recordAudit(tx, actorOf(context), { action: 'recipe.reference_chosen', subject: id, detail });
    return mustFindProfile(tx, context.user, id);
  });
