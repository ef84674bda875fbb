import type { Profile } from '@roastery/contract/profiles';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { mustFindProfile, watchLot } from './save-profile.ts';

const longestName = 200;
const ending = ' (Copy)';

/** A copy named "… (Copy)" that nobody has used, starred or measured yet. */
export const cloneProfile = async (context: UserContext, id: string): Promise<Profile> =>
  context.sql.begin(async (tx) => {
    const original = await mustFindProfile(tx, context.user, id);
    const copyId = uuidV7();
    const name = original.name.slice(0, longestName - ending.length) + ending;
    await tx`
      INSERT INTO profiles (id, name, created_by, description, coffee_origin, coffee_variety, roast_level,
                            target_drop_temp, target_roast_time, target_development_time, min_batch_size,
                            max_batch_size, green_coffee_lot_id, auto_deduct_inventory, alert_low_inventory,
                            control_profile, auto_interpolate)
      SELECT ${copyId}::uuid, ${name}, ${context.user.id}::uuid, description, coffee_origin, coffee_variety, roast_level,
             target_drop_temp, target_roast_time, target_development_time, min_batch_size,
             max_batch_size, green_coffee_lot_id, auto_deduct_inventory, alert_low_inventory,
             control_profile, auto_interpolate
        FROM profiles WHERE id = ${id}`;
    await watchLot(tx, original);
    await recordAudit(tx, actorOf(context), {
      action: 'recipe.cloned',
      subject: copyId,
      detail: { name, original: id },
    });
    return mustFindProfile(tx, context.user, copyId);
  });
