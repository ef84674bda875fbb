import type { newProfileShape, Profile } from '@roastery/contract/profiles';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { z } from 'zod';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { roastAccess } from '../../identity/access.ts';
import { watchStock } from '../../ledger/move-lot.ts';
import { findProfile } from './queries.ts';

type ProfileForm = z.output<typeof newProfileShape>;
type ProfileEdit = ProfileForm & { readonly revision?: number | undefined };

const columnsOf = (tx: Sql, form: ProfileForm) => ({
  name: form.name,
  description: form.description ?? null,
  coffee_origin: form.coffee_origin ?? null,
  coffee_variety: form.coffee_variety ?? null,
  roast_level: form.roast_level,
  target_charge_temp: form.target_charge_temp ?? null,
  target_drop_temp: form.target_drop_temp,
  target_roast_time: form.target_roast_time,
  target_development_time: form.target_development_time,
  min_batch_size: form.min_batch_size,
  max_batch_size: form.max_batch_size,
  green_coffee_lot_id: form.green_coffee_lot_id ?? null,
  auto_deduct_inventory: form.auto_deduct_inventory,
  alert_low_inventory: form.alert_low_inventory,
  control_profile: tx.json(form.control_profile),
  auto_interpolate: form.auto_interpolate,
});

/** A lot may have been archived since the recipe was linked to it: then it may stay, but not be newly chosen. */
const checkLot = async (tx: Sql, lotId: string | null | undefined, linkedBefore: string | null): Promise<void> => {
  if (lotId === null || lotId === undefined || lotId === linkedBefore) return;
  const lots = await tx`SELECT 1 FROM lots WHERE id = ${lotId} AND archived_at IS NULL FOR KEY SHARE`;
  if (lots.length === 0) throw invalid('green_coffee_lot_id', 'There is no such lot');
};

const checkReference = async (tx: Sql, user: SignedInUser, roastId: string | null | undefined): Promise<void> => {
  if (roastId === null || roastId === undefined) return;
  const roasts = await tx`SELECT 1 FROM roasts r WHERE r.id = ${roastId} AND ${roastAccess(tx, user)}`;
  if (roasts.length === 0) throw invalid('reference_roast_id', 'There is no such roast');
};

export const mustFindProfile = async (sql: Sql, user: SignedInUser, id: string): Promise<Profile> => {
  const profile = await findProfile(sql, user, id);
  if (!profile) throw notFound('Recipe');
  return profile;
};

/** A lot that is already low when a recipe begins to watch it raises its alert immediately. */
export const watchLot = async (
  tx: Sql,
  form: { readonly alert_low_inventory: boolean; readonly green_coffee_lot_id?: string | null | undefined },
): Promise<void> => {
  const lotId = form.green_coffee_lot_id ?? null;
  if (!form.alert_low_inventory || lotId === null) return;
  await tx`SELECT 1 FROM lots WHERE id = ${lotId} FOR NO KEY UPDATE`;
  await watchStock(tx, lotId);
};

export const createProfile = async (context: UserContext, form: ProfileForm): Promise<Profile> =>
  context.sql.begin(async (tx) => {
    const id = uuidV7();
    await checkLot(tx, form.green_coffee_lot_id, null);
    await checkReference(tx, context.user, form.reference_roast_id);
    const made = { id, created_by: context.user.id, reference_roast_id: form.reference_roast_id ?? null };
    await tx`INSERT INTO profiles ${tx({ ...made, ...columnsOf(tx, form) })}`;
    await watchLot(tx, form);
    await recordAudit(tx, actorOf(context), { action: 'recipe.created', subject: id, detail: { name: form.name } });
    return mustFindProfile(tx, context.user, id);
  });

/** Replaces a recipe. A reference roast is kept unless the edit names another, or none. */
export const updateProfile = async (context: UserContext, id: string, form: ProfileEdit): Promise<Profile> =>
  context.sql.begin(async (tx) => {
    const [before] = await tx<{ revision: number; green_coffee_lot_id: string | null }[]>`
      SELECT revision, green_coffee_lot_id FROM profiles WHERE id = ${id} AND archived_at IS NULL FOR NO KEY UPDATE`;
    if (!before) throw notFound('Recipe');
    if (form.revision !== undefined && form.revision !== before.revision) {
      throw new AppError(
        'changed_meanwhile',
        'Another user has changed this recipe. Reload it and repeat your change.',
      );
    }
    await checkLot(tx, form.green_coffee_lot_id, before.green_coffee_lot_id);
    await checkReference(tx, context.user, form.reference_roast_id);
    await tx`UPDATE profiles SET ${tx({ ...columnsOf(tx, form), revision: before.revision + 1 })} WHERE id = ${id}`;
    if (form.reference_roast_id !== undefined) {
      await tx`UPDATE profiles SET reference_roast_id = ${form.reference_roast_id} WHERE id = ${id}`;
    }
    await watchLot(tx, form);
    await recordAudit(tx, actorOf(context), { action: 'recipe.updated', subject: id, detail: { name: form.name } });
    return mustFindProfile(tx, context.user, id);
  });
