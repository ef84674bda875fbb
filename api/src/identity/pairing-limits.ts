import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../db/sql.ts';
import { limiter, networkOf } from './sign-in-limits.ts';

const windowSeconds = 60;
/** Attempts in a minute, right codes among them: who watches the limits learns nothing about a code. */
export const perAddress = 5;
export const perRoastery = 100;

/**
 * Counts an attempt to pair before the code is checked. Answers the seconds to wait when there were too many, else
 * undefined. What one address has too many of doesn't count for all.
 */
export const countPairingAttempt = async (sql: Database, address: string | null): Promise<number | undefined> => {
  try {
    await limiter(sql, 'pairing address', perAddress, windowSeconds).consume(networkOf(address));
    await limiter(sql, 'pairing', perRoastery, windowSeconds).consume('all');
    return undefined;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
  }
};
