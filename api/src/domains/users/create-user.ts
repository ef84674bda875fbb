import type { User } from '@roastery/contract/auth';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import { AppError } from '../../http/app-error.ts';
import { hashPassword, refuseCommonPassword } from '../../identity/passwords.ts';
import { userColumns } from './queries.ts';

/** Creates an ordinary user; whoever is to be an administrator is promoted afterwards. */
export const createUser = async (
  context: UserContext,
  form: { full_name: string; email: string; password: string },
): Promise<User> => {
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
      return user;
    });
  } catch (error) {
    if (!isTaken(error, 'users_email_key')) throw error;
    throw new AppError('already_exists', 'There is already a user with this email');
  }
};
