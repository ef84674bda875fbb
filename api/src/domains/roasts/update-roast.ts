import type { ParsedBody } from '@roastery/contract/endpoint';
import {
  impossibleWeight,
  isWeightPossible,
  type Roast,
  type updateRoast as updateRoastEndpoint,
} from '@roastery/contract/roasts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { refuseOverdrawn } from '../../ledger/weights.ts';
import { announceRoast } from './life/announce-roast.ts';
import { requireRoast } from '../../identity/access.ts';
import { readRoast } from './roast-row.ts';
import { countProfileUse, settleLot } from './life/settle-roast.ts';

export type RoastEdit = ParsedBody<typeof updateRoastEndpoint>;

interface Before {
  revision: number;
  machine_id: string | null;
  profile_id: string | null;
  lot_id: string | null;
  roast_level_target: string | null;
  batch_size_kg: number | null;
  end_weight_kg: number | null;
}

type Change = Record<string, string | number | null>;

/** The recipe's name is stored with the roast: it outlives the recipe. */
const profileChange = async (tx: Sql, edit: RoastEdit, before: Before): Promise<Change> => {
  if (edit.profile_id === undefined) return {};
  if (edit.profile_id === null) {
    // A deleted recipe left its name, which a form that only contains "none" must not remove.
    return before.profile_id === null ? {} : { profile_id: null, profile_name: null, deducts: null };
  }
  const [profile] = await tx<{ name: string; roast_level: string }[]>`
    SELECT name, roast_level FROM profiles WHERE id = ${edit.profile_id}`;
  if (profile === undefined) throw invalid('profile_id', 'There is no such recipe');
  const target = edit.roast_level_target ?? before.roast_level_target ?? profile.roast_level;
  const deducts = edit.profile_id === before.profile_id ? {} : { deducts: null };
  return { profile_id: edit.profile_id, profile_name: profile.name, roast_level_target: target, ...deducts };
};

/** A newly chosen lot sets the coffee's fields, unless the edit does. */
const lotChange = async (tx: Sql, edit: RoastEdit, before: Before): Promise<Change> => {
  if (edit.lot_id === undefined || edit.lot_id === before.lot_id) return {};
  if (edit.lot_id === null) return { lot_id: null };
  const [lot] = await tx<{ coffee_name: string; origin: string; process: string | null }[]>`
    SELECT coffee_name, origin, process FROM lots WHERE id = ${edit.lot_id}`;
  if (lot === undefined) throw invalid('lot_id', 'There is no such lot');
  return {
    lot_id: edit.lot_id,
    coffee_name: edit.coffee_name || lot.coffee_name,
    coffee_origin: edit.coffee_origin || lot.origin,
    coffee_process: edit.coffee_process || lot.process,
  };
};

const plainFields = [
  'coffee_name',
  'coffee_origin',
  'coffee_process',
  'roasted_by',
  'batch_size_kg',
  'end_weight_kg',
  'roast_level',
  'roast_level_target',
  'roast_number',
  'notes',
  'cupping_score',
  'color',
] as const;

const plainChange = (edit: RoastEdit): Change =>
  Object.fromEntries(
    plainFields.flatMap((field) => {
      const value = edit[field];
      // An empty text field removes the value.
      return value === undefined ? [] : [[field, value === '' ? null : value]];
    }),
  );

/** If only one weight is edited, it must fit the other, stored one. */
const refuseImpossibleWeight = (edit: RoastEdit, before: Before): void => {
  if (edit.batch_size_kg === undefined && edit.end_weight_kg === undefined) return;
  const { batch_size_kg = before.batch_size_kg, end_weight_kg = before.end_weight_kg } = edit;
  if (!isWeightPossible({ batch_size_kg, end_weight_kg })) throw invalid('end_weight_kg', impossibleWeight);
};

/**
 * Changes the description and the roaster, never the curve. Absent fields stay. A changed batch or lot moves the
 * difference in the ledger, in the same transaction.
 */
export const updateRoast = async (context: UserContext, id: string, edit: RoastEdit): Promise<Roast> => {
  await context.sql.begin(async (tx) => {
    await requireRoast(tx, context.user, id, 'roast');
    const [before] = await tx<Before[]>`
      SELECT r.revision, r.machine_id, r.profile_id, r.lot_id, r.roast_level_target,
             r.batch_size_kg, r.end_weight_kg
      FROM roasts r WHERE r.id = ${id} FOR UPDATE`;
    if (before === undefined) throw notFound('Roast');
    if (edit.revision !== undefined && edit.revision !== before.revision) {
      throw new AppError('changed_meanwhile', 'Another user has changed this roast. Reload it and repeat your change.');
    }
    refuseImpossibleWeight(edit, before);
    const change = {
      ...plainChange(edit),
      ...(await profileChange(tx, edit, before)),
      ...(await lotChange(tx, edit, before)),
      revision: before.revision + 1,
    };
    await tx`UPDATE roasts SET ${tx(change)} WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), {
      action: 'roast.updated',
      subject: id,
      detail: { fields: Object.keys(change).filter((field) => field !== 'revision') },
    });
    await refuseOverdrawn(tx, id);
    if (edit.profile_id !== undefined) await countProfileUse(tx, [before.profile_id, edit.profile_id]);
    await settleLot(tx, id, context.user.id);
    await announceRoast(tx, id, before.machine_id);
  });
  const edited = await readRoast(context.sql, id, context.user);
  if (edited === undefined) throw notFound('Roast');
  return edited.roast;
};
