import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { mustFindProfile } from './save-profile.ts';

/** Deletes a recipe; roasts that followed it keep its name. */
export const deleteProfile = async (context: UserContext, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    const { name } = await mustFindProfile(tx, context.user, id);
    await tx`UPDATE roasts SET profile_name = ${name} WHERE profile_id = ${id} AND profile_name IS NULL`;
    await tx`DELETE FROM profiles WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), { action: 'recipe.deleted', subject: id, detail: { name } });
    return { message: `${name} was deleted.` };
  });
