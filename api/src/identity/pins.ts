import { RateLimiterRes } from 'rate-limiter-flexible';
import { type Actor, recordAudit } from '../db/audit.ts';
import type { Database } from '../db/sql.ts';
import { AppError, invalid } from '../http/app-error.ts';
import { isPassword } from './passwords.ts';
import { limiter } from './sign-in-limits.ts';

/** A PIN of four digits has 10,000 values: ten guesses an hour find it in weeks, and each leaves an audit row. */
const tries = 10;
const windowSeconds = 3600;

/**
 * Checks another person's PIN. Counts the attempt before the check, so that parallel guesses gain nothing; a success
 * resets it. Throws `validation` for a wrong PIN, `too_many_requests` with the seconds to wait.
 */
export const checkPin = async (sql: Database, by: Actor, userId: string, pin: string | undefined): Promise<void> => {
  if (pin === undefined) throw invalid('pin', 'Enter the PIN');
  const attempts = limiter(sql, 'pin', tries, windowSeconds);
  try {
    await attempts.consume(userId);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    throw new AppError('too_many_requests', 'Too many wrong PINs for this person. Wait and try again.', seconds);
  }
  const [stored] = await sql<{ pin_hash: string | null }[]>`SELECT pin_hash FROM users WHERE id = ${userId}`;
  if (!(await isPassword(stored?.pin_hash ?? undefined, pin))) {
    await recordAudit(sql, by, { action: 'pin.refused', subject: userId });
    throw invalid('pin', 'The PIN is wrong');
  }
  await attempts.delete(userId);
};
