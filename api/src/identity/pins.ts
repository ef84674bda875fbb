import { RateLimiterRes, type RateLimiterPostgres } from 'rate-limiter-flexible';
import { type Actor, recordAudit } from '../db/audit.ts';
import type { Database } from '../db/sql.ts';
import { AppError, invalid } from '../http/app-error.ts';
import { knownDevice } from '../http/cookies.ts';
import type { DeviceCookies } from '../http/server-context.ts';
import { isPassword } from './passwords.ts';
import { limiter } from './sign-in-limits.ts';

/* A PIN of four digits has 10,000 values. Guesses on devices that know the person find it in weeks, each leaves an audit
   row, and the person gets a message; guesses elsewhere find it in years. */

/** Wrong PINs of one person on one device. */
const perDevice = { tries: 5, seconds: 300, lockSeconds: 900 };
/** Wrong PINs of one person on all devices that have never known the person. */
const byStrangers = { tries: 10, seconds: 86_400 };

export interface PinOwner {
  readonly id: string;
  readonly email: string;
}

/** A browser as it presents itself: its cookies, and the session for a browser without any. */
export interface PinDevice extends DeviceCookies {
  readonly sessionId: string;
  readonly callerEmail: string;
}

/** The id by which a device knows the owner of the PIN. Undefined: it never has. */
const knownAs = (device: PinDevice, secretKey: string, { email }: PinOwner): string | undefined =>
  knownDevice(device.deviceCookie, secretKey, email) ?? knownDevice(device.pinCookie, secretKey, email, 'pin');

interface Limit {
  readonly limiter: RateLimiterPostgres;
  readonly key: string;
  readonly why: string;
}

const limitsOf = (sql: Database, secretKey: string, owner: PinOwner, device: PinDevice): readonly Limit[] => {
  const known = knownAs(device, secretKey, owner);
  const id = known ?? knownDevice(device.deviceCookie, secretKey, device.callerEmail) ?? device.sessionId;
  const ofDevice = {
    limiter: limiter(sql, 'pin device', perDevice.tries, perDevice.seconds, perDevice.lockSeconds),
    key: `${owner.id} ${id}`,
    why: 'Too many wrong PINs for this person on this device. Wait and try again.',
  };
  if (known !== undefined) return [ofDevice];
  const ofStrangers = {
    limiter: limiter(sql, 'pin strangers', byStrangers.tries, byStrangers.seconds),
    key: owner.id,
    why: 'Too many wrong PINs for this person on devices that they don’t use. They can sign in on this one once.',
  };
  return [ofDevice, ofStrangers];
};

/** Counts an attempt before the check, so that parallel guesses gain nothing. Answers how many are left. */
const count = async ({ limiter: attempts, key, why }: Limit): Promise<number> => {
  try {
    return (await attempts.consume(key)).remainingPoints;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw new AppError('too_many_requests', why, Math.max(1, Math.ceil(error.msBeforeNext / 1000)));
  }
};

/**
 * Checks another person's PIN. Five wrong ones in five minutes lock one device for a quarter of an hour, for this person
 * only; ten in a day lock all devices that have never known the person. The person reads of each lock in the portal. A
 * right PIN ends the count of its device. Throws `validation` for a wrong PIN, `too_many_requests` with the seconds to wait.
 */
export const checkPin = async (
  sql: Database,
  by: Actor,
  secretKey: string,
  { owner, device, pin }: { readonly owner: PinOwner; readonly device: PinDevice; readonly pin: string | undefined },
): Promise<void> => {
  if (pin === undefined) throw invalid('pin', 'Enter the PIN');
  const [ofDevice, ofStrangers] = limitsOf(sql, secretKey, owner, device);
  if (ofDevice === undefined) throw new Error('a device without a limit');
  const left = await count(ofDevice);
  const leftForStrangers = ofStrangers === undefined ? undefined : await count(ofStrangers);
  const [stored] = await sql<{ pin_hash: string | null }[]>`SELECT pin_hash FROM users WHERE id = ${owner.id}`;
  if (await isPassword(stored?.pin_hash ?? undefined, pin)) {
    await ofDevice.limiter.delete(ofDevice.key);
    await ofStrangers?.limiter.reward(ofStrangers.key);
    return;
  }
  await recordAudit(sql, by, { action: 'pin.refused', subject: owner.id });
  const lock = async (minutes: number, everywhere: boolean) =>
    recordAudit(sql, by, { action: 'pin.locked', subject: owner.id, detail: { minutes, everywhere } });
  if (left === 0) {
    await ofDevice.limiter.block(ofDevice.key, perDevice.lockSeconds);
    await lock(perDevice.lockSeconds / 60, false);
  }
  if (leftForStrangers === 0) await lock(byStrangers.seconds / 60, true);
  throw invalid('pin', 'The PIN is wrong');
};
