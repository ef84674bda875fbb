import type { ParsedBody } from '@roastery/contract/endpoint';
import type { updateRoast } from '@roastery/contract/roasts';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Sql } from '../../db/sql.ts';
import { invalid } from '../../http/app-error.ts';
import { machineAccess, requireMachine } from '../../identity/access.ts';

export type RoastFacts = Omit<ParsedBody<typeof updateRoast>, 'revision'>;

const orNull = <T>(value: T | '' | undefined): T | null => (value === undefined || value === '' ? null : value);

/**
 * The owner of the new roast: its machine's owner, else the person who logs it. That person must be allowed to roast on
 * the machine.
 */
export const machineOf = async (
  tx: Sql,
  user: SignedInUser,
  machineId: string | null,
): Promise<{ machine_id: string | null; owner_id: string }> => {
  if (machineId === null) return { machine_id: null, owner_id: user.id };
  const [machine] = await tx<{ owner_id: string }[]>`
    SELECT m.owner_id FROM machines m WHERE m.id = ${machineId} AND ${machineAccess(tx, user)}`;
  if (machine === undefined) throw invalid('machine_id', 'There is no such machine');
  await requireMachine(tx, user, machineId, 'roast');
  return { machine_id: machineId, owner_id: machine.owner_id };
};

/** The description columns of a new roast: from its lot and recipe unless the person sets them. */
export const factColumns = async (tx: Sql, facts: RoastFacts) => {
  const [profile] =
    facts.profile_id === undefined || facts.profile_id === null
      ? []
      : await tx<{ name: string; roast_level: string }[]>`
          SELECT name, roast_level FROM profiles WHERE id = ${facts.profile_id}`;
  if (orNull(facts.profile_id) !== null && !profile) throw invalid('profile_id', 'There is no such recipe');
  const [lot] =
    facts.lot_id === undefined || facts.lot_id === null
      ? []
      : await tx<{ coffee_name: string; origin: string; process: string | null }[]>`
          SELECT coffee_name, origin, process FROM lots WHERE id = ${facts.lot_id}`;
  if (orNull(facts.lot_id) !== null && !lot) throw invalid('lot_id', 'There is no such lot');
  return {
    coffee_name: orNull(facts.coffee_name) ?? lot?.coffee_name ?? null,
    coffee_origin: orNull(facts.coffee_origin) ?? lot?.origin ?? null,
    coffee_process: orNull(facts.coffee_process) ?? lot?.process ?? null,
    profile_id: orNull(facts.profile_id),
    profile_name: profile?.name ?? null,
    lot_id: orNull(facts.lot_id),
    roasted_by: orNull(facts.roasted_by),
    batch_size_kg: orNull(facts.batch_size_kg),
    end_weight_kg: orNull(facts.end_weight_kg),
    roast_level: orNull(facts.roast_level),
    roast_level_target: orNull(facts.roast_level_target) ?? profile?.roast_level ?? null,
    roast_number: orNull(facts.roast_number),
    notes: orNull(facts.notes),
    cupping_score: orNull(facts.cupping_score),
    color: orNull(facts.color),
  };
};
