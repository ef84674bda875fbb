import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { AppError } from '../../http/app-error.ts';
import { hashPassword, isPassword } from '../../identity/passwords.ts';
import { countAttempt } from '../../identity/sign-in-limits.ts';

/**
 * Checks the caller's own password with the sign-in limits: a stolen session alone is not enough. Returns its hash.
 */
export const checkOwnPassword = async (
  { sql, user, sessionId, address }: UserContext,
  password: string,
): Promise<string> => {
  const attempt = await countAttempt(sql, user.email, address, sessionId);
  const [stored] = await sql<{ password_hash: string }[]>`SELECT password_hash FROM users WHERE id = ${user.id}`;
  if (stored === undefined || !(await isPassword(stored.password_hash, password))) throw wrongPassword();
  await attempt.giveBack();
  return stored.password_hash;
};

export const wrongPassword = () => new AppError('wrong_credentials', 'The current password is wrong.');

export const hasPin = async ({ sql, user }: UserContext): Promise<{ is_set: boolean }> => {
  const [row] = await sql<
    { is_set: boolean }[]
  >`SELECT pin_hash IS NOT NULL AS is_set FROM users WHERE id = ${user.id}`;
  return { is_set: row?.is_set ?? false };
};

/** Sets the caller's PIN. It needs the password, because on a shared device others use this session. */
export const setPin = async (
  context: UserContext,
  given: { pin: string; current_password: string },
): Promise<{ message: string }> => {
  await checkOwnPassword(context, given.current_password);
  await storePin(context, await hashPassword(given.pin), 'pin.set');
  return { message: 'Your PIN was set.' };
};

export const removePin = async (context: UserContext): Promise<{ message: string }> => {
  await storePin(context, null, 'pin.removed');
  return { message: 'Your PIN was removed.' };
};

const storePin = (context: UserContext, hashed: string | null, action: string): Promise<void> =>
  context.sql.begin(async (tx) => {
    await tx`UPDATE users SET pin_hash = ${hashed} WHERE id = ${context.user.id}`;
    await recordAudit(tx, actorOf(context), { action, subject: context.user.id });
  });
