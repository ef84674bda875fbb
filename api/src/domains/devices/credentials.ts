import { apiBasePath } from '@roastery/contract/endpoint';
import type { Device } from '@roastery/contract/fleet';
import { clientIdOf } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, boardActor, recordAudit } from '../../db/audit.ts';
import type { DeviceContext, UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { hashToken, newToken } from '../../http/secrets.ts';
import { endOfMachine } from '../../identity/endings.ts';
import { lockManagedMachine } from '../../identity/machines.ts';

type Credential = Device['credential'];

/** The newest valid credential of each of these machines. */
export const standingCredentials = async (
  sql: Sql,
  machineIds: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<Credential>>> => {
  const rows = await sql<(NonNullable<Credential> & { machine_id: string })[]>`
    SELECT DISTINCT ON (c.machine_id) c.machine_id, c.origin, c.created_at AS since,
           (SELECT max(p.expires_at) FROM machine_credentials p
             WHERE p.machine_id = c.machine_id AND p.id <> c.id AND p.revoked_at IS NULL AND p.expires_at > now())
             AS previous_valid_until
      FROM machine_credentials c
     WHERE c.machine_id = ANY(${[...machineIds]}::uuid[]) AND c.revoked_at IS NULL
       AND (c.expires_at IS NULL OR c.expires_at > now())
     ORDER BY c.machine_id, c.created_at DESC, c.id DESC`;
  return new Map(rows.map(({ machine_id: id, ...credential }) => [id, credential]));
};

/** A new token for the machine; the previous one stays valid for the overlap, at 0 hours not at all. */
export const rotateCredential = async (context: UserContext, machineId: string, overlapHours: number) => {
  const token = newToken();
  const { machine, until } = await context.sql.begin(async (tx) => {
    const machine = await lockManagedMachine(tx, context.user, machineId);
    if (overlapHours === 0) await endOfMachine(tx, machine.id, 'replaced', actorOf(context));
    const [overlap] = await tx<{ until: string | null }[]>`
      WITH ending AS (
        UPDATE machine_credentials
           SET expires_at = least(coalesce(expires_at, 'infinity'), now() + make_interval(hours => ${overlapHours}))
         WHERE machine_id = ${machine.id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        RETURNING expires_at)
      SELECT max(expires_at) AS until FROM ending`;
    await tx`
      INSERT INTO machine_credentials (id, machine_id, token_hash, origin)
      VALUES (${uuidV7()}, ${machine.id}, ${hashToken(token)}, 'rotation')`;
    await recordAudit(tx, actorOf(context), {
      action: 'credential.rotated',
      subject: machine.id,
      detail: { serial_number: machine.serial_number, overlap_hours: overlapHours },
    });
    return { machine, until: overlap?.until ?? null };
  });
  if (overlapHours === 0) await context.broker.disconnect(clientIdOf(machine.serial_number));
  return {
    serial_number: machine.serial_number,
    display_name: machine.display_name,
    api_url: `${context.config.publicUrl}${apiBasePath}`,
    auth_token: token,
    previous_valid_until: until,
  };
};

/**
 * Revokes all credentials of the machine until a new ticket or token is created. Its board is disconnected at once.
 */
export const revokeCredential = async (context: UserContext, machineId: string) => {
  const { serialNumber, ...revoked } = await context.sql.begin(async (tx) => {
    const machine = await lockManagedMachine(tx, context.user, machineId);
    const ended = await endOfMachine(tx, machine.id, 'credentials_revoked', actorOf(context));
    const credentials = ended.get('machine_credentials') ?? 0;
    const tickets = ended.get('pairing_tickets') ?? 0;
    await recordAudit(tx, actorOf(context), {
      action: 'credential.revoked',
      subject: machine.id,
      detail: { serial_number: machine.serial_number, credentials, tickets },
    });
    return { serialNumber: machine.serial_number, credentials, tickets };
  });
  return { ...revoked, disconnected: await context.broker.disconnect(clientIdOf(serialNumber)) };
};

/** A board revokes the credential that it called with; others of its machine stay valid. */
export const revokeOwn = async (
  { sql, machine, address, broker }: DeviceContext,
  because: string,
): Promise<{ serial_number: string }> => {
  const { id, serial_number, credential_id } = machine;
  await sql.begin(async (tx) => {
    await tx`SELECT 1 FROM machines WHERE id = ${id} FOR NO KEY UPDATE`;
    await tx`UPDATE machine_credentials SET revoked_at = now() WHERE id = ${credential_id} AND revoked_at IS NULL`;
    await recordAudit(tx, boardActor(serial_number, address), {
      action: 'credential.revoked',
      subject: id,
      detail: { serial_number, credentials: 1, because },
    });
  });
  await broker.disconnect(clientIdOf(serial_number));
  return { serial_number };
};

/** A board called with its credential. The first call after pairing confirms that the secret is on its disk. */
export const confirmPairing = async ({ sql, machine, address }: DeviceContext): Promise<void> => {
  const confirmed = await sql<{ id: string }[]>`
    UPDATE pairing_tickets t SET confirmed_at = now() FROM machine_credentials c
     WHERE c.machine_id = ${machine.id} AND c.ticket_id = t.id AND c.revoked_at IS NULL AND t.confirmed_at IS NULL
    RETURNING t.id`;
  for (const { id } of confirmed) {
    await recordAudit(sql, boardActor(machine.serial_number, address), {
      action: 'pairing.confirmed',
      subject: machine.id,
      detail: { serial_number: machine.serial_number, ticket: id },
    });
  }
};
