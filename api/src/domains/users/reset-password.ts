import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { notFound } from '../../http/app-error.ts';
import { endSessionsOf } from '../../http/sessions.ts';
import { hashPassword } from '../../identity/passwords.ts';
import { randomPassword } from '../../identity/random-password.ts';

/** Sets a password made up here, answers it this once and ends all sessions of the user. */
export const resetPassword = async (context: UserContext, id: string): Promise<{ password: string }> => {
  const password = randomPassword();
  const hashed = await hashPassword(password);
  await context.sql.begin(async (tx) => {
    const [user] = await tx<{ email: string }[]>`
      UPDATE users SET password_hash = ${hashed} WHERE id = ${id} RETURNING email`;
    if (!user) throw notFound('User');
    await endSessionsOf(tx, id);
    await recordAudit(tx, actorOf(context), {
      action: 'user.password_reset',
      subject: id,
      detail: { email: user.email },
    });
  });
  return { password };
};
