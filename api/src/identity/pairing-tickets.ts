import { randomInt } from 'node:crypto';
import { lettersOfPairingCode, pairingCodeLength, pairingLetters } from '@roastery/contract/devices';
import { uuidV7 } from '@roastery/runtime/uuid';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { type Actor, recordAudit } from '../db/audit.ts';
import type { Database, Sql } from '../db/sql.ts';
import { keyedHash } from '../http/secrets.ts';
import { networkOf } from '../http/client-address.ts';
import { limiter } from './sign-in-limits.ts';

export const pairingDays = 7;

/** Twelve letters in three groups: `BCDF-GHJK-LMNP`. */
export const newPairingCode = (): string =>
  Array.from({ length: pairingCodeLength }, () => pairingLetters[randomInt(pairingLetters.length)])
    .join('')
    .replaceAll(/(.{4})(?=.)/g, '$1-');

/** The stored hash of a code, however it was typed. */
export const hashPairingCode = (secretKey: string, typed: string): Buffer =>
  keyedHash(secretKey, lettersOfPairingCode(typed));

/** Issues a ticket for a machine. The code is only in this answer; a keyed hash of it is stored. */
export const issueTicket = async (
  tx: Sql,
  { secretKey, machineId, serialNumber, by }: { secretKey: string; machineId: string; serialNumber: string; by: Actor },
): Promise<{ id: string; code: string; expires_at: string }> => {
  const id = uuidV7();
  const code = newPairingCode();
  const [ticket] = await tx<{ expires_at: string }[]>`
    INSERT INTO pairing_tickets (id, machine_id, code_hash, issued_by, expires_at)
    VALUES (${id}, ${machineId}, ${hashPairingCode(secretKey, code)}, ${by.actorId},
            now() + make_interval(days => ${pairingDays}))
    RETURNING expires_at`;
  if (!ticket) throw new Error('the ticket just issued is not there');
  await recordAudit(tx, by, {
    action: 'pairing.issued',
    subject: machineId,
    detail: { serial_number: serialNumber, ticket: id },
  });
  return { id, code, expires_at: ticket.expires_at };
};

const windowSeconds = 60;
/** Attempts per minute, including right codes: the limits reveal nothing about a code. */
export const perAddress = 5;
export const perRoastery = 100;

/**
 * Counts a pairing attempt before the code is checked. Returns the seconds to wait when there were too many, else
 * undefined. The excess attempts of one address do not count for all.
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
