import type { UserContext } from '../../context.ts';
import { AppError } from '../../http/app-error.ts';
import { isPassword } from '../../identity/passwords.ts';
import { countAttempt } from '../../identity/sign-in-limits.ts';

/** Checks the caller's own password with sign-in's limits: whoever holds only a stolen session does not know it. */
export const checkOwnPassword = async (
  { sql, user, sessionId, address }: UserContext,
  password: string,
): Promise<void> => {
  const attempt = await countAttempt(sql, user.email, address, sessionId);
  const [stored] = await sql<{ password_hash: string }[]>`SELECT password_hash FROM users WHERE id = ${user.id}`;
  if (!(await isPassword(stored?.password_hash, password))) {
    throw new AppError('wrong_credentials', 'The current password is wrong');
  }
  await attempt.giveBack();
};
