import type { ResponseOf } from '@roastery/contract/endpoint';
import type { getPin } from '@roastery/contract/roasters';
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

type PinState = ResponseOf<typeof getPin>;

/** Whether the caller has a PIN, and its newest lock that they have not confirmed. */
export const readPin = async ({ sql, user }: UserContext): Promise<PinState> => {
  const [[pin], [locked]] = await Promise.all([
    sql<{ is_set: boolean }[]>`SELECT pin_hash IS NOT NULL AS is_set FROM users WHERE id = ${user.id}`,
    sql<NonNullable<PinState['locked']>[]>`
      SELECT a.at, coalesce(p.full_name, a.actor) AS by, (a.detail->>'everywhere')::boolean AS everywhere, (
               SELECT count(*)::int FROM audit_log w
                WHERE w.action = 'pin.refused' AND w.subject = a.subject AND w.at > now() - interval '1 day') AS wrong
        FROM audit_log a JOIN users u ON u.id = ${user.id} LEFT JOIN users p ON p.id = a.actor_id
       WHERE a.action = 'pin.locked' AND a.subject = u.id::text AND a.at > coalesce(u.pin_locks_seen_at, '-infinity')
       ORDER BY a.at DESC, a.id DESC LIMIT 1`,
  ]);
  return { is_set: pin?.is_set ?? false, locked: locked ?? null };
};

/** The notice of the locks so far disappears. */
export const confirmPinLocks = async ({ sql, user }: UserContext): Promise<{ message: string }> => {
  await sql`UPDATE users SET pin_locks_seen_at = now() WHERE id = ${user.id}`;
  return { message: 'Confirmed.' };
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
