import * as contract from '@roastery/contract/members';
import type { MachineMember, MemberRole } from '@roastery/contract/members';
import type { Domain } from '../../app.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { containing, type Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { machineAccess, requireMachine } from '../../identity/access.ts';
import { endOfPerson } from '../../identity/endings.ts';
import { addMembership } from '../../identity/add-membership.ts';
import { mountRoasters } from './roasters.ts';

export const memberRoutes: Domain = (routes) => {
  routes.forUser(contract.listMachineMembers, (context, { params }) => listMembers(context, params.id));
  routes.forUser(contract.listMemberCandidates, (context, { params, query }) =>
    listCandidates(context, params.id, query.q),
  );
  routes.forUser(contract.putMachineMember, (context, { params, body }) =>
    putMember(context, params.id, params.user_id, body.role),
  );
  mountRoasters(routes);
  routes.forUser(contract.removeMachineMember, (context, { params }) =>
    removeMember(context, params.id, params.user_id),
  );
};

/** The owner of a machine first, then its members by name. */
const readMembers = async (sql: Sql, machineId: string): Promise<MachineMember[]> => {
  const rows = await sql<MachineMember[]>`
    SELECT u.id AS user_id, u.full_name, u.email, p.role, u.is_active
      FROM (SELECT owner_id AS user_id, 'owner' AS role FROM machines WHERE id = ${machineId}
            UNION ALL
            SELECT k.user_id, k.role FROM machine_members k JOIN machines m ON m.id = k.machine_id
             WHERE k.machine_id = ${machineId} AND k.user_id <> m.owner_id) p
      JOIN users u ON u.id = p.user_id
     ORDER BY p.role <> 'owner', lower(u.full_name), u.id`;
  return [...rows];
};

const listMembers = async ({ sql, user }: UserContext, machineId: string) => {
  const [machine] = await sql<{ manages: boolean }[]>`
    SELECT ${machineAccess(sql, user, 'manage')} AS manages FROM machines m
     WHERE m.id = ${machineId} AND ${machineAccess(sql, user)}`;
  if (machine === undefined) throw notFound('Machine');
  const [members, [settings]] = await Promise.all([
    readMembers(sql, machineId),
    sql<{ all: boolean }[]>`SELECT all_users_see_all_machines AS "all" FROM roastery_settings`,
  ]);
  return {
    members: members.map((member) => (machine.manages ? member : { ...member, email: null })),
    all_users: settings?.all ?? false,
  };
};

const maxCandidates = 50;

const listCandidates = async ({ sql, user }: UserContext, machineId: string, q: string | undefined) => {
  await requireMachine(sql, user, machineId, 'manage');
  const search = q === undefined || q === '' ? undefined : containing(q);
  const users = await sql<{ user_id: string; full_name: string; email: string }[]>`
    SELECT u.id AS user_id, u.full_name, u.email FROM users u
     WHERE u.is_active
       AND NOT EXISTS (SELECT 1 FROM machine_members k WHERE k.machine_id = ${machineId} AND k.user_id = u.id)
       AND NOT EXISTS (SELECT 1 FROM machines m WHERE m.id = ${machineId} AND m.owner_id = u.id)
       ${search === undefined ? sql`` : sql`AND (u.full_name ILIKE ${search} OR u.email ILIKE ${search})`}
     ORDER BY lower(u.full_name), u.id LIMIT ${maxCandidates}`;
  return { users: [...users] };
};

const putMember = async (
  context: UserContext,
  machineId: string,
  userId: string,
  role: MemberRole,
): Promise<MachineMember> =>
  context.sql.begin(async (tx) => {
    await requireMachine(tx, context.user, machineId, 'manage');
    await addMembership(tx, actorOf(context), { machineId, userId, role });
    const member = (await readMembers(tx, machineId)).find((one) => one.user_id === userId);
    if (member === undefined) throw notFound('Member');
    return member;
  });

/** Removes a member. Their live streams end with the commit and are refused afterwards. */
const removeMember = async (context: UserContext, machineId: string, userId: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    await requireMachine(tx, context.user, machineId, 'manage');
    const [removed] = await tx<{ full_name: string; email: string }[]>`
      DELETE FROM machine_members k USING users u
       WHERE k.machine_id = ${machineId} AND k.user_id = ${userId} AND u.id = k.user_id
      RETURNING u.full_name, u.email`;
    if (removed === undefined) throw notFound('Member');
    await endOfPerson(tx, userId, 'machine_lost', actorOf(context));
    await recordAudit(tx, actorOf(context), {
      action: 'member.removed',
      subject: machineId,
      detail: { email: removed.email },
    });
    return { message: `${removed.full_name} was removed from this machine.` };
  });
