import { clientIdOf } from '@roastery/contract/mqtt';
import { createLogGate } from '@roastery/runtime/logger';
import { uuidV7 } from '@roastery/runtime/uuid';
import { type Actor, boardActor, recordAudit } from '../../db/audit.ts';
import type { ApiConfig } from '../../config.ts';
import type { RequestContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../http/app-error.ts';
import { countPairingAttempt, hashPairingCode } from '../../identity/pairing-tickets.ts';

export interface PairingRequest {
  readonly code: string;
  readonly secret_hash: string;
  readonly hardware_id: string;
  readonly agent_version: string;
}

export interface PairedMachine {
  readonly machine_id: string;
  readonly serial_number: string;
  readonly display_name: string;
  readonly mqtt_url: string;
  readonly mqtt_urls?: string[];
}

/** Where boards find the brokers: an agent that knows one keeps the first. */
export const brokerAddresses = ({ mqttPublicUrls }: Pick<ApiConfig, 'mqttPublicUrls'>) => ({
  mqtt_url: mqttPublicUrls[0] ?? '',
  ...(mqttPublicUrls.length > 1 && { mqtt_urls: [...mqttPublicUrls] }),
});

interface Ticket {
  readonly id: string;
  readonly is_expired: boolean;
  readonly is_revoked: boolean;
  readonly is_redeemed: boolean;
  /** Redeemed with this secret recently, and its credential is still valid. */
  readonly may_repeat: boolean;
  /** This machine has had this secret before: a revoked credential must not become valid again. */
  readonly secret_known: boolean;
}

interface Machine {
  readonly id: string;
  readonly serial_number: string;
  readonly display_name: string;
  readonly is_archived: boolean;
}

/** How long the board that redeemed a ticket may repeat the request: a lost answer must not use up the ticket. */
const repeatMinutes = 15;
/** A blocked address is logged once a minute, not at each attempt. */
const blockedGate = createLogGate(60_000);

/** The machine is locked before its ticket, as in every change of its credentials. */
const lockMachineOf = async (tx: Sql, codeHash: Buffer): Promise<Machine | undefined> => {
  const [machine] = await tx<Machine[]>`
    SELECT id, serial_number, display_name, archived_at IS NOT NULL AS is_archived FROM machines
     WHERE id = (SELECT machine_id FROM pairing_tickets WHERE code_hash = ${codeHash}) FOR NO KEY UPDATE`;
  return machine;
};

const readTicket = async (tx: Sql, codeHash: Buffer, secretHash: Buffer): Promise<Ticket | undefined> => {
  const [ticket] = await tx<Ticket[]>`
    SELECT t.id, t.expires_at <= now() AS is_expired, t.revoked_at IS NOT NULL AS is_revoked,
           t.redeemed_at IS NOT NULL AS is_redeemed,
           coalesce(t.redeemed_secret_hash = ${secretHash}
             AND t.redeemed_at > now() - make_interval(mins => ${repeatMinutes})
             AND EXISTS (SELECT 1 FROM machine_credentials c
                          WHERE c.ticket_id = t.id AND c.token_hash = ${secretHash} AND c.revoked_at IS NULL), false)
             AS may_repeat,
           EXISTS (SELECT 1 FROM machine_credentials c
                    WHERE c.machine_id = t.machine_id AND c.token_hash = ${secretHash}) AS secret_known
      FROM pairing_tickets t WHERE t.code_hash = ${codeHash}`;
  return ticket;
};

const expired = 'ticket expired';
/** The reason of a refusal: for the audit log; the caller only learns that the ticket has expired. */
const refusalOf = (machine: Machine | undefined, ticket: Ticket | undefined): string | undefined => {
  if (!machine || !ticket) return 'unknown code';
  if (machine.is_archived) return 'machine archived';
  if (ticket.is_revoked) return 'ticket revoked';
  if (ticket.may_repeat) return undefined;
  if (ticket.is_redeemed) return 'ticket already used';
  if (ticket.is_expired) return expired;
  if (ticket.secret_known) return 'secret used before';
  return undefined;
};

const redeem = async (tx: Sql, machine: Machine, ticket: Ticket, wish: PairingRequest, address: string | null) => {
  const secretHash = Buffer.from(wish.secret_hash, 'hex');
  await tx`UPDATE machine_credentials SET revoked_at = now() WHERE machine_id = ${machine.id} AND revoked_at IS NULL`;
  await tx`
    INSERT INTO machine_credentials (id, machine_id, token_hash, origin, ticket_id)
    VALUES (${uuidV7()}, ${machine.id}, ${secretHash}, 'pairing', ${ticket.id})`;
  await tx`
    UPDATE pairing_tickets
       SET redeemed_at = now(), redeemed_secret_hash = ${secretHash}, redeemed_from = ${address},
           hardware_id = ${wish.hardware_id}, agent_version = ${wish.agent_version}
     WHERE id = ${ticket.id}`;
};

/**
 * Exchanges a ticket for a credential. One transaction consumes the code, binds the board's hash and revokes the
 * machine's previous credentials. The same hash may repeat the request for a quarter of an hour and gets the same
 * answer. An unused ticket that has expired answers `ticket_expired`, only to its exact code; everything else is
 * refused with one error, whatever the reason. Each request counts as an attempt. Throws `wrong_credentials`,
 * `ticket_expired` or `too_many_requests`.
 */
export const pairDevice = async (context: RequestContext, wish: PairingRequest): Promise<PairedMachine> => {
  const { sql, config, address } = context;
  const stranger: Actor = { actor: 'unknown board', actorId: null, address };
  const waitSeconds = await countPairingAttempt(sql, address);
  if (waitSeconds !== undefined) {
    const before = blockedGate(address ?? 'unknown');
    if (before !== undefined)
      await recordAudit(sql, stranger, { action: 'pairing.blocked', detail: { attempts_before: before } });
    throw new AppError('too_many_requests', 'Too many pairing attempts. Wait a minute and try again.', waitSeconds);
  }
  const codeHash = hashPairingCode(config.secretKey, wish.code);
  const secretHash = Buffer.from(wish.secret_hash, 'hex');
  const { machine, isNew, isExpired } = await sql.begin(async (tx) => {
    const machine = await lockMachineOf(tx, codeHash);
    const ticket = await readTicket(tx, codeHash, secretHash);
    const reason = refusalOf(machine, ticket);
    const actor = machine ? boardActor(machine.serial_number, address) : stranger;
    const detail = { hardware_id: wish.hardware_id, agent_version: wish.agent_version };
    if (reason !== undefined || !machine || !ticket) {
      await recordAudit(tx, actor, {
        action: 'pairing.failed',
        subject: machine?.id ?? null,
        detail: {
          ...detail,
          reason: reason ?? 'unknown code',
          ...(machine && { serial_number: machine.serial_number }),
        },
      });
      return { machine: undefined, isNew: false, isExpired: reason === expired };
    }
    const isNew = !ticket.may_repeat;
    if (isNew) await redeem(tx, machine, ticket, wish, address);
    await recordAudit(tx, actor, {
      action: isNew ? 'pairing.redeemed' : 'pairing.repeated',
      subject: machine.id,
      detail: { ...detail, serial_number: machine.serial_number, ticket: ticket.id },
    });
    return { machine, isNew, isExpired: false };
  });
  if (isExpired) {
    const sentence = 'This ticket has expired. Ask the machine’s owner or an administrator for a new one.';
    throw new AppError('ticket_expired', sentence);
  }
  if (!machine) {
    throw new AppError(
      'wrong_credentials',
      'This pairing code is not valid. Check its letters or ask for a new ticket.',
    );
  }
  // Boards that are connected with the previous credential.
  if (isNew) await context.broker.disconnect(clientIdOf(machine.serial_number));
  return {
    machine_id: machine.id,
    serial_number: machine.serial_number,
    display_name: machine.display_name,
    ...brokerAddresses(config),
  };
};
