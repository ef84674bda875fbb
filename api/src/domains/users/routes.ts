import * as contract from '@roastery/contract/users';
import type { User } from '@roastery/contract/auth';
import type { ParsedBody } from '@roastery/contract/endpoint';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Domain } from '../../app.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { hashPassword, randomPassword, refuseCommonPassword } from '../../identity/passwords.ts';
import type { Sql } from '../../db/sql.ts';
import { endOfPerson } from '../../identity/endings.ts';
import { addMembership, type Membership } from '../../identity/add-membership.ts';
import { listUsers, userColumns } from './queries.ts';

export const userRoutes: Domain = (routes) => {
  routes.forUser(contract.listUsers, ({ sql }, { query }) => listUsers(sql, query));
  routes.forUser(contract.createUser, (context, { body }) => createUser(context, body));
  routes.forUser(contract.updateUser, (context, { params, body }) => updateUser(context, params.id, body));
  routes.forUser(contract.resetPassword, (context, { params }) => resetPassword(context, params.id));
};

const shareMachine = async (tx: Sql, context: UserContext, membership: Membership): Promise<void> => {
  const [machine] = await tx`
    SELECT 1 FROM machines WHERE id = ${membership.machineId} AND archived_at IS NULL FOR KEY SHARE`;
  if (machine === undefined) throw invalid('machines', 'There is no such machine');
  await addMembership(tx, actorOf(context), membership);
};

/** Creates an ordinary user with shared machines; an administrator is promoted afterwards. */
export const createUser = async (context: UserContext, form: ParsedBody<typeof contract.createUser>): Promise<User> => {
  refuseCommonPassword(form.password, form.email, 'password');
  const hashed = await hashPassword(form.password);
  const id = uuidV7();
  try {
    return await context.sql.begin(async (tx) => {
      const [user] = await tx<User[]>`
        INSERT INTO users (id, full_name, email, password_hash) VALUES (${id}, ${form.full_name}, ${form.email}, ${hashed})
        RETURNING ${userColumns(tx)}`;
      if (!user) throw new Error('the user just created is not there');
      await recordAudit(tx, actorOf(context), {
        action: 'user.created',
        subject: id,
        detail: { email: form.email, full_name: form.full_name },
      });
      for (const { machine_id: machineId, role } of form.machines ?? []) {
        await shareMachine(tx, context, { machineId, userId: id, role });
      }
      return user;
    });
  } catch (error) {
    if (!isTaken(error, 'users_email_key')) throw error;
    throw new AppError('already_exists', 'A user with this email already exists.');
  }
};

interface UserEdit {
  readonly full_name?: string | undefined;
  readonly is_active?: boolean | undefined;
  readonly is_admin?: boolean | undefined;
}

/** Locks all active admins in one order, so that two of them cannot remove each other at once. */
const checkAdminRemains = async (tx: Sql, leavingId: string): Promise<void> => {
  const admins = await tx<{ id: string }[]>`
    SELECT id FROM users WHERE is_admin AND is_active ORDER BY id FOR NO KEY UPDATE`;
  if (admins.length === 1 && admins[0]?.id === leavingId) {
    throw new AppError('last_admin', 'This is the last active administrator.');
  }
};

/**
 * Renames, activates, deactivates, promotes or demotes. What a deactivated or demoted user was given ends with the
 * commit (`identity/endings.ts`).
 */
export const updateUser = async (context: UserContext, id: string, edit: UserEdit): Promise<User> =>
  context.sql.begin(async (tx) => {
    if (edit.is_active === false || edit.is_admin === false) await checkAdminRemains(tx, id);
    const [before] = await tx<User[]>`SELECT ${userColumns(tx)} FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
    if (!before) throw notFound('User');
    const after = {
      full_name: edit.full_name ?? before.full_name,
      is_active: edit.is_active ?? before.is_active,
      is_admin: edit.is_admin ?? before.is_admin,
    };
    await tx`UPDATE users SET ${tx(after)} WHERE id = ${id}`;
    if (before.is_active && !after.is_active) await endOfPerson(tx, id, 'deactivated', actorOf(context));
    if (before.is_admin && !after.is_admin) await endOfPerson(tx, id, 'demoted', actorOf(context));
    await recordAudit(tx, actorOf(context), {
      action: 'user.updated',
      subject: id,
      detail: { email: before.email, ...after },
    });
    return { ...before, ...after };
  });

/** Sets a generated password, returns it once and ends all sessions of the user. */
export const resetPassword = async (context: UserContext, id: string): Promise<{ password: string }> => {
  const password = randomPassword();
  const hashed = await hashPassword(password);
  await context.sql.begin(async (tx) => {
    const [user] = await tx<{ email: string }[]>`
      UPDATE users SET password_hash = ${hashed} WHERE id = ${id} RETURNING email`;
    if (!user) throw notFound('User');
    await endOfPerson(tx, id, 'password_reset', actorOf(context));
    await recordAudit(tx, actorOf(context), {
      action: 'user.password_reset',
      subject: id,
      detail: { email: user.email },
    });
  });
  return { password };
};
