import type { MachineRight } from '@roastery/contract/endpoint';
import type { Sql } from '../db/sql.ts';
import { AppError, notFound } from '../http/app-error.ts';
import type { SignedInUser } from '../http/server-context.ts';

/* Who may see and change what. Every statement that depends on the caller uses a condition from here. Each condition
   names the table by the alias in its comment. */

/** Machines that are shared with the caller: by membership, or all of them by the roastery's setting. */
const sharedMachines = (sql: Sql, user: SignedInUser, right: 'see' | 'roast') => sql`
  SELECT k.machine_id FROM machine_members k
   WHERE k.user_id = ${user.id} ${right === 'roast' ? sql`AND k.role = 'roaster'` : sql``}
  UNION ALL
  SELECT k.id FROM machines k WHERE (SELECT all_users_see_all_machines FROM roastery_settings)`;

/** Condition on `machines m`. It is evaluated each time: open streams check it again. */
export const machineAccess = (sql: Sql, user: SignedInUser, right: MachineRight = 'see') => {
  if (user.is_admin) return sql`true`;
  if (right === 'manage') return sql`m.owner_id = ${user.id}`;
  // The array is computed once for the statement, and an index can look for its elements.
  return sql`(m.owner_id = ${user.id} OR m.id = ANY(ARRAY(${sharedMachines(sql, user, right)})))`;
};

/** The relation of a machine `m` to the caller, who may see it. */
export const machineRole = (sql: Sql, user: SignedInUser) => sql`
  CASE WHEN m.owner_id = ${user.id} THEN 'owner' WHEN ${user.is_admin} THEN 'admin'
       WHEN ${machineAccess(sql, user, 'roast')} THEN 'roaster' ELSE 'viewer' END`;

/**
 * Condition on `roasts r`: the machine's people; for a roast without a machine the person who logged it. The machines
 * are those of the request: with their number known, Postgres reads the roasts by an index.
 */
export const roastAccess = (sql: Sql, user: SignedInUser, right: 'see' | 'roast' = 'see') => {
  if (user.is_admin) return sql`true`;
  if (user.shared.all) return sql`(r.owner_id = ${user.id} OR r.machine_id IS NOT NULL)`;
  const shared = user.shared[right];
  if (shared.length === 0) return sql`r.owner_id = ${user.id}`;
  return sql`(r.owner_id = ${user.id} OR r.machine_id = ANY(${[...shared]}::uuid[]))`;
};

/** Condition on `blends b`: its creator. */
export const blendAccess = (sql: Sql, user: SignedInUser) => (user.is_admin ? sql`true` : sql`b.owner_id = ${user.id}`);

/** Condition on `machine_maps p`: its author, and the managers of a machine that uses it. */
export const mapAccess = (sql: Sql, user: SignedInUser) =>
  user.is_admin
    ? sql`true`
    : sql`(p.owner_id = ${user.id} OR EXISTS (
        SELECT 1 FROM machines m WHERE m.map_id = p.id AND m.archived_at IS NULL AND ${machineAccess(sql, user, 'manage')}))`;

const refusal: Readonly<Record<MachineRight, string>> = {
  see: 'You don’t have access to this machine.',
  roast: 'You can only view this machine. Its owner can make you a roaster.',
  manage: 'Only the owner of this machine and administrators can do this.',
};

interface Found {
  readonly may: boolean;
}

const refuse = (found: Found | undefined, right: MachineRight, name: string): void => {
  if (found === undefined) throw notFound(name);
  if (!found.may) throw new AppError('forbidden', refusal[right]);
};

/** Throws `not_found` where the caller may not see the machine, and `forbidden` where the right is missing. */
export const requireMachine = async (sql: Sql, user: SignedInUser, id: string, right: MachineRight): Promise<void> => {
  const [found] = await sql<Found[]>`
    SELECT ${machineAccess(sql, user, right)} AS may FROM machines m WHERE m.id = ${id} AND ${machineAccess(sql, user)}`;
  refuse(found, right, 'Machine');
};

/** The machines among these that the caller may see. */
export const seenMachineIds = async (sql: Sql, user: SignedInUser, ids: readonly string[]): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    SELECT m.id FROM machines m WHERE m.id = ANY(${[...ids]}::uuid[]) AND ${machineAccess(sql, user)}`;
  return rows.map(({ id }) => id);
};

/** As `requireMachine`, for the machine of a roast. */
export const requireRoast = async (sql: Sql, user: SignedInUser, id: string, right: 'see' | 'roast'): Promise<void> => {
  const [found] = await sql<Found[]>`
    SELECT ${roastAccess(sql, user, right)} AS may FROM roasts r WHERE r.id = ${id} AND ${roastAccess(sql, user)}`;
  refuse(found, right, 'Roast');
};

/** The same for the machine of a planned roast. */
export const requirePlan = async (sql: Sql, user: SignedInUser, id: string, right: 'see' | 'roast'): Promise<void> => {
  const [found] = await sql<Found[]>`
    SELECT ${machineAccess(sql, user, right)} AS may FROM planned_roasts p JOIN machines m ON m.id = p.machine_id
     WHERE p.id = ${id} AND ${machineAccess(sql, user)}`;
  refuse(found, right, 'Queued roast');
};

/** The right to restore a roast that was discarded: that of its roasters. */
export const requireDiscardedRoast = async (sql: Sql, user: SignedInUser, id: string): Promise<void> => {
  const [found] = await sql<Found[]>`
    SELECT ${roastAccess(sql, user, 'roast')} AS may
      FROM roast_tombstones t CROSS JOIN LATERAL jsonb_populate_record(NULL::roasts, t.kept->'roast') r
     WHERE t.roast_id = ${id} AND t.kept IS NOT NULL AND ${roastAccess(sql, user)}`;
  refuse(found, 'roast', 'Roast');
};

/** Condition on `users u` and `machines m`: the machine's owner and roasters, or all users by the roastery's setting. */
export const mayRoastOn = (sql: Sql) => sql`(
  u.id = m.owner_id
  OR EXISTS (SELECT 1 FROM machine_members k WHERE k.machine_id = m.id AND k.user_id = u.id AND k.role = 'roaster')
  OR (SELECT all_users_see_all_machines FROM roastery_settings))`;
