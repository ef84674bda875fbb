import { createHash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database, Sql } from '../db/sql.ts';
import { AppError } from '../http/app-error.ts';
import { networkOf } from '../http/client-address.ts';

const windowSeconds = 300;
/** Failures in one window. An address may be a whole office. */
const perAccount = 5;
const perAddress = 30;

/** The limiter uses `pg`'s query; ours returns only the rows. */
const clientOf = (sql: Database) => ({
  query: async ({ text, values }: { text: string; values: (string | number | null)[] }) => {
    const rows = await sql.unsafe(text, values);
    return { rows, rowCount: rows.count };
  },
});

/**
 * Counts attempts under a key, shared by all instances: `points` of them in `seconds` from the first one. One more is
 * refused until then, or for `blockSeconds` from it.
 */
export const limiter = (
  sql: Database,
  keyPrefix: string,
  points: number,
  seconds: number = windowSeconds,
  blockSeconds: number = 0,
): RateLimiterPostgres =>
  new RateLimiterPostgres({
    storeClient: clientOf(sql),
    storeType: 'pool',
    tableName: 'sign_in_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix,
    points,
    duration: seconds,
    blockDuration: blockSeconds,
  });

/** A typed email may be a password in the wrong field: only its hash is kept. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Has this account signed in from this address in the last 30 days? */
const isKnownAddress = async (sql: Sql, email: string, address: string | null): Promise<boolean> => {
  const rows = await sql`
    SELECT 1 FROM audit_log a JOIN users u ON u.id = a.actor_id
     WHERE u.email = ${email} AND a.action = 'sign_in.succeeded' AND a.address = ${address}
       AND a.at > now() - interval '30 days' LIMIT 1`;
  return rows.length > 0;
};

/** The origin of failures: a browser, a known address, or any stranger. */
const countedAs = async (sql: Database, email: string, address: string | null, device: string | undefined) => {
  if (device !== undefined) return `${email} with ${device}`;
  return (await isKnownAddress(sql, email, address)) ? `${email} from ${networkOf(address)}` : email;
};

/**
 * Counts an attempt before the password is checked, so that parallel guesses gain nothing; a success resets it.
 * Addresses from which the account has signed in recently are counted separately: a stranger's guesses do not lock the
 * owner out. A browser that the account has used before has a count of its own, whatever else its address sends: a
 * colleague's wrong passwords do not lock out the office. A limit lasts five minutes from its first failure and never
 * longer. Throws `too_many_requests` with the seconds to wait.
 */
export const countAttempt = async (
  sql: Database,
  email: string,
  address: string | null,
  device: string | undefined,
) => {
  const network = networkOf(address);
  const accountKey = hashed(await countedAs(sql, email, address, device));
  const addresses = device === undefined ? limiter(sql, 'address', perAddress) : undefined;
  const accounts = limiter(sql, 'account', perAccount);
  try {
    await addresses?.consume(network);
    await accounts.consume(accountKey);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    throw new AppError('too_many_requests', 'Too many attempts. Wait a few minutes and try again.', seconds);
  }
  return {
    async giveBack(): Promise<void> {
      await accounts.delete(accountKey);
      await addresses?.reward(network);
    },
  };
};

export const deleteExpiredLimits = async (sql: Sql): Promise<void> => {
  await sql`DELETE FROM sign_in_limits WHERE expire < ${Date.now()}`;
};
