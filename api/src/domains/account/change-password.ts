import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { AppError } from '../../http/app-error.ts';
import { endSessionsOf } from '../../http/sessions.ts';
import { hashPassword, isPassword, refuseCommonPassword } from '../../identity/passwords.ts';
import { countAttempt } from '../../identity/sign-in-limits.ts';

/** Changes the own password. Whoever holds only a stolen session cannot: the current one is asked for, with sign-in's limits. */
export const changePassword = async (
  context: UserContext,
  given: { current_password: string; new_password: string },
): Promise<{ message: string }> => {
  const { sql, user, sessionId, address } = context;
  refuseCommonPassword(given.new_password, user.email, 'new_password');
  const attempt = await countAttempt(sql, user.email, address, sessionId);
  const [stored] = await sql<{ password_hash: string }[]>`SELECT password_hash FROM users WHERE id = ${user.id}`;
  if (!(await isPassword(stored?.password_hash, given.current_password))) {
    throw new AppError('wrong_credentials', 'The current password is wrong');
  }
  await attempt.giveBack();
  const hashed = await hashPassword(given.new_password);
  await sql.begin(async (tx) => {
    await tx`UPDATE users SET password_hash = ${hashed} WHERE id = ${user.id}`;
    const ended = await endSessionsOf(tx, user.id, sessionId);
    await recordAudit(tx, actorOf(context), {
      action: 'password.changed',
      subject: user.id,
      detail: { sessions_ended: ended },
    });
  });
  return { message: 'Your password was changed. Other sessions have ended.' };
};
