import type { MemberRole } from '@roastery/contract/members';
import { type Actor, recordAudit } from '../db/audit.ts';
import type { Sql } from '../db/sql.ts';
import { AppError, notFound } from '../http/app-error.ts';
import { endOfPerson } from './endings.ts';

export interface Membership {
  readonly machineId: string;
  readonly userId: string;
  readonly role: MemberRole;
}

/**
 * Makes a person a member of a machine, or changes their role, with its audit row. The caller has checked the right. Throws
 * `not_found` without that user, and `conflict` for the owner and for an inactive user.
 */
export const addMembership = async (tx: Sql, by: Actor, { machineId, userId, role }: Membership): Promise<void> => {
  const [user] = await tx<
    { email: string; full_name: string; is_active: boolean; is_owner: boolean; role: MemberRole | null }[]
  >`
    SELECT u.email, u.full_name, u.is_active,
           (SELECT k.role FROM machine_members k WHERE k.machine_id = ${machineId} AND k.user_id = u.id) AS role,
           EXISTS (SELECT 1 FROM machines m WHERE m.id = ${machineId} AND m.owner_id = u.id) AS is_owner
      FROM users u WHERE u.id = ${userId}`;
  if (user === undefined) throw notFound('User');
  if (user.is_owner) throw new AppError('conflict', `${user.full_name} owns this machine and needs no role.`);
  if (!user.is_active) throw new AppError('conflict', `${user.full_name} is inactive and can’t be added.`);
  await tx`
    INSERT INTO machine_members (user_id, machine_id, role, added_by) VALUES (${userId}, ${machineId}, ${role}, ${by.actorId})
    ON CONFLICT (user_id, machine_id) DO UPDATE SET role = excluded.role`;
  if (user.role === 'roaster' && role === 'viewer') await endOfPerson(tx, userId, 'machine_lost', by);
  await recordAudit(tx, by, { action: 'member.added', subject: machineId, detail: { email: user.email, role } });
};
