import type { Profile } from '@roastery/contract/profiles';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { AppError, invalid } from '../../http/app-error.ts';
import { roastAccess } from '../../identity/access.ts';
import { mustFindProfile, watchLot } from './save-profile.ts';

const maxNameLength = 200;
const ending = ' (Copy)';

/** A copy named "… (Copy)" with its alarm rules, without use, favorites and reference roast. */
export const cloneProfile = async (context: UserContext, id: string): Promise<Profile> =>
  context.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM profiles WHERE id = ${id} FOR SHARE`;
    const original = await mustFindProfile(tx, context.user, id);
    const copyId = uuidV7();
    const name = original.name.slice(0, maxNameLength - ending.length) + ending;
    await tx`
      INSERT INTO profiles (id, name, created_by, description, coffee_origin, coffee_variety, roast_level,
                            target_charge_temp, target_drop_temp, target_roast_time, target_development_time, min_batch_size,
                            max_batch_size, green_coffee_lot_id, auto_deduct_inventory, alert_low_inventory,
                            control_profile, auto_interpolate)
      SELECT ${copyId}::uuid, ${name}, ${context.user.id}::uuid, description, coffee_origin, coffee_variety, roast_level,
             target_charge_temp, target_drop_temp, target_roast_time, target_development_time, min_batch_size,
             max_batch_size, green_coffee_lot_id, auto_deduct_inventory, alert_low_inventory,
             control_profile, auto_interpolate
        FROM profiles WHERE id = ${id}`;
    await tx`
      INSERT INTO alarm_rules (id, profile_id, created_by, is_enabled, armed_after, condition, message, colour, sound, push)
      SELECT gen_random_uuid(), ${copyId}::uuid, ${context.user.id}::uuid, is_enabled, armed_after, condition, message, colour,
             sound, push
        FROM alarm_rules WHERE profile_id = ${id}`;
    await watchLot(tx, original);
    await recordAudit(tx, actorOf(context), {
      action: 'recipe.cloned',
      subject: copyId,
      detail: { name, original: id },
    });
    return mustFindProfile(tx, context.user, copyId);
  });

/** Deletes a recipe; its roasts keep its name. */
export const deleteProfile = async (context: UserContext, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    // No roast can be linked to it between the two statements: it would lose the name.
    await tx`SELECT 1 FROM profiles WHERE id = ${id} FOR UPDATE`;
    const { name } = await mustFindProfile(tx, context.user, id);
    await tx`UPDATE roasts SET profile_name = ${name} WHERE profile_id = ${id} AND profile_name IS NULL`;
    await tx`DELETE FROM profiles WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), { action: 'recipe.deleted', subject: id, detail: { name } });
    return { message: `${name} was deleted.` };
  });

/** Toggles the caller's star; other users' stars stay. */
export const toggleFavorite = async (context: UserContext, id: string): Promise<{ is_favorite: boolean }> =>
  context.sql.begin(async (tx) => {
    // Two clicks at once: the second waits for the first and switches back.
    await tx`SELECT 1 FROM profiles WHERE id = ${id} FOR NO KEY UPDATE`;
    const { is_favorite: was } = await mustFindProfile(tx, context.user, id);
    if (was) await tx`DELETE FROM profile_favorites WHERE profile_id = ${id} AND user_id = ${context.user.id}`;
    else await tx`INSERT INTO profile_favorites (profile_id, user_id) VALUES (${id}, ${context.user.id})`;
    return { is_favorite: !was };
  });

/**
 * Chooses the reference roast of a recipe, or returns to the highest-scoring one. The revision stays: a concurrent edit
 * of the recipe is not blocked. Throws `conflict` for a roast without a curve to compare.
 */
export const setReference = async (context: UserContext, id: string, roastId: string | null): Promise<Profile> =>
  context.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM profiles WHERE id = ${id} FOR NO KEY UPDATE`;
    const profile = await mustFindProfile(tx, context.user, id);
    if (roastId !== null) {
      const [roast] = await tx<{ is_drawn: boolean }[]>`
        SELECT r.status = 'completed' AND r.charge_seq IS NOT NULL AS is_drawn
        FROM roasts r WHERE r.id = ${roastId} AND ${roastAccess(tx, context.user)}`;
      if (roast === undefined) throw invalid('roast_id', 'There is no such roast');
      if (!roast.is_drawn) throw new AppError('conflict', 'Only a finished roast with a curve can be a reference.');
    }
    await tx`UPDATE profiles SET reference_roast_id = ${roastId} WHERE id = ${id}`;
    const detail = { name: profile.name, roast_id: roastId };
    await recordAudit(tx, actorOf(context), { action: 'recipe.reference_chosen', subject: id, detail });
    return mustFindProfile(tx, context.user, id);
  });
