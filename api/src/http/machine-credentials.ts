import type { Sql } from '../db/sql.ts';
import { hashToken } from './secrets.ts';

export interface CredentialOwner {
  readonly id: string;
  readonly serial_number: string;
  /** Which of the machine's credentials it was. */
  readonly credential_id: string;
}

/** The machine that a serial number and token belong to; undefined for a wrong, revoked or expired token and for an archived machine. */
export const findMachineByToken = async (
  sql: Sql,
  serialNumber: string,
  token: string,
): Promise<CredentialOwner | undefined> => {
  if (serialNumber.includes('\0')) return undefined;
  const [row] = await sql<CredentialOwner[]>`
    SELECT m.id, m.serial_number, c.id AS credential_id
      FROM machines m JOIN machine_credentials c ON c.machine_id = m.id
     WHERE m.serial_number = ${serialNumber} AND m.archived_at IS NULL AND c.token_hash = ${hashToken(token)}
       AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > now())
     LIMIT 1`;
  return row;
};
