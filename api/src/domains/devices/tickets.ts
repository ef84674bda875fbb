import { isPairingCode, lettersOfPairingCode } from '@roastery/contract/devices';
import { apiBasePath } from '@roastery/contract/endpoint';
import type { IssuedTicket, PairingTicket, TicketState } from '@roastery/contract/fleet';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { containing, type Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { hashPairingCode, issueTicket } from '../../identity/pairing-tickets.ts';
import { endOfMachine } from '../../identity/endings.ts';
import { findManagedMachine, lockManagedMachine } from '../../identity/machines.ts';

const stateOf = (sql: Sql) => sql`
  CASE WHEN t.confirmed_at IS NOT NULL THEN 'confirmed' WHEN t.redeemed_at IS NOT NULL THEN 'paired'
       WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expires_at <= now() THEN 'expired' ELSE 'pending' END`;

/** Never the hash of the code or of the secret. */
const columns = (sql: Sql) => sql`
  t.id, t.machine_id, m.serial_number, m.display_name, o.full_name AS owner_name, i.full_name AS issued_by_name,
  t.created_at, t.expires_at, ${stateOf(sql)} AS state, t.redeemed_at, t.redeemed_from, t.hardware_id, t.agent_version,
  t.confirmed_at`;

const from = (sql: Sql) => sql`
  pairing_tickets t JOIN machines m ON m.id = t.machine_id JOIN users o ON o.id = m.owner_id
  LEFT JOIN users i ON i.id = t.issued_by`;

export const findTicket = async (sql: Sql, id: string): Promise<PairingTicket | undefined> => {
  const [ticket] = await sql<PairingTicket[]>`SELECT ${columns(sql)} FROM ${from(sql)} WHERE t.id = ${id}`;
  return ticket;
};

/** The newest ticket of each of these machines. */
export const newestTickets = async (
  sql: Sql,
  machineIds: readonly string[],
): Promise<ReadonlyMap<string, PairingTicket>> => {
  const rows = await sql<PairingTicket[]>`
    SELECT DISTINCT ON (t.machine_id) ${columns(sql)} FROM ${from(sql)}
     WHERE t.machine_id = ANY(${machineIds as string[]}::uuid[]) ORDER BY t.machine_id, t.created_at DESC, t.id DESC`;
  return new Map(rows.map((ticket) => [ticket.machine_id, ticket]));
};

export interface TicketListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
  readonly state?: TicketState | undefined;
}

/** The hash of a ticket's whole ID; undefined for any other text. A part of an ID finds nothing. */
const hashOfId = (secretKey: string, text: string): Buffer | undefined =>
  isPairingCode(lettersOfPairingCode(text)) ? hashPairingCode(secretKey, text) : undefined;

export const listTickets = async (sql: Sql, secretKey: string, query: TicketListQuery) => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q);
  const hash = hashOfId(secretKey, query.q ?? '');
  const where = sql`
    true ${query.state === undefined ? sql`` : sql`AND ${stateOf(sql)} = ${query.state}`}
    ${search === undefined ? sql`` : sql`AND (m.serial_number ILIKE ${search} OR m.display_name ILIKE ${search} OR o.full_name ILIKE ${search} ${hash === undefined ? sql`` : sql`OR t.code_hash = ${hash}`})`}`;
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM ${from(sql)} WHERE ${where}`;
  const tickets = await sql<PairingTicket[]>`
    SELECT ${columns(sql)} FROM ${from(sql)} WHERE ${where}
     ORDER BY t.created_at DESC, t.id DESC LIMIT ${query.limit} OFFSET ${query.offset}`;
  return { tickets: [...tickets], total: count?.total ?? 0 };
};

/** Issues a new ticket and revokes open ones: of two tickets in a mailbox only the newer one is valid. */
export const reissueTicket = async (context: UserContext, machineId: string): Promise<IssuedTicket> => {
  const { config, user } = context;
  return context.sql.begin(async (tx) => {
    const { id, ...machine } = await lockManagedMachine(tx, user, machineId);
    await endOfMachine(tx, id, 'reissued', actorOf(context));
    const ticket = await issueTicket(tx, {
      secretKey: config.secretKey,
      machineId: id,
      serialNumber: machine.serial_number,
      by: actorOf(context),
    });
    const [settings] = await tx<{ email: string | null }[]>`SELECT email FROM roastery_settings`;
    return {
      ...machine,
      ticket_id: ticket.id,
      machine_id: id,
      pairing_code: ticket.code,
      pairing_expires_at: ticket.expires_at,
      api_url: `${config.publicUrl}${apiBasePath}`,
      support_email: config.supportEmail ?? settings?.email ?? null,
    };
  });
};

/** Revokes one open ticket. Throws `conflict` when it is no longer open. */
export const revokeTicket = async (context: UserContext, id: string): Promise<PairingTicket> =>
  context.sql.begin(async (tx) => {
    const before = await findTicket(tx, id);
    if (!before) throw notFound('Ticket');
    await lockManagedMachine(tx, context.user, before.machine_id).catch((error: unknown) => {
      throw error instanceof AppError ? notFound('Ticket') : error;
    });
    const revoked = await tx`
      UPDATE pairing_tickets SET revoked_at = now()
       WHERE id = ${id} AND revoked_at IS NULL AND redeemed_at IS NULL AND expires_at > now() RETURNING id`;
    if (revoked.length === 0) throw new AppError('conflict', 'This ticket is no longer open.');
    await recordAudit(tx, actorOf(context), {
      action: 'pairing.revoked',
      subject: before.machine_id,
      detail: { serial_number: before.serial_number, ticket: id },
    });
    return { ...before, state: 'revoked' };
  });

/** A code was viewed, or its ticket was downloaded. */
export const noteTicket = async (
  context: UserContext,
  machineId: string,
  what: 'viewed' | 'downloaded',
): Promise<{ noted: boolean }> => {
  const machine = await findManagedMachine(context.sql, context.user, machineId);
  await recordAudit(context.sql, actorOf(context), {
    action: `pairing.${what}`,
    subject: machine.id,
    detail: { serial_number: machine.serial_number },
  });
  return { noted: true };
};
