import { randomInt } from 'node:crypto';
import { lettersOfPairingCode, pairingCodeLength, pairingLetters } from '@roastery/contract/devices';
import { uuidV7 } from '@roastery/runtime/uuid';
import { type Actor, recordAudit } from '../db/audit.ts';
import type { Sql } from '../db/sql.ts';
import { keyedHash } from '../http/secrets.ts';

export const pairingDays = 7;

/** Twelve letters in three groups: `BCDF-GHJK-LMNP`. */
export const newPairingCode = (): string =>
  Array.from({ length: pairingCodeLength }, () => pairingLetters[randomInt(pairingLetters.length)])
    .join('')
    .replaceAll(/(.{4})(?=.)/g, '$1-');

/** What is stored of a code, typed in whatever way. */
export const hashPairingCode = (secretKey: string, typed: string): Buffer =>
  keyedHash(secretKey, lettersOfPairingCode(typed));

/** Issues a ticket for a machine. The code leaves in this answer and is kept as a keyed hash only. */
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
