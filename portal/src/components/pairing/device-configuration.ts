import type { RegisteredMachine } from '@roastery/contract/machines';
import { exactWeight } from '../../format/weights.ts';

/** Content of an environment file. */
type Credentials = Pick<RegisteredMachine, 'serial_number' | 'api_url' | 'auth_token'>;

/** Content of a ticket. */
export type TicketFacts = Pick<
  RegisteredMachine,
  | 'serial_number'
  | 'display_name'
  | 'machine_type'
  | 'max_capacity_kg'
  | 'api_url'
  | 'pairing_code'
  | 'pairing_expires_at'
  | 'support_email'
>;

export const firmwareVersion = '1.0.0';

/** Quoted where needed, in a form that systemd's EnvironmentFile and a shell both read. */
const environmentValue = (value: string): string =>
  /^[\w.,:/@+-]+$/.test(value) ? value : `"${value.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;

/** The environment file of the board. Contains the machine token, so it is shown once. */
export const environmentFile = (machine: Credentials): string =>
  [
    '# /etc/roastery-agent/agent.env, mode 0600',
    `API_URL=${environmentValue(machine.api_url)}`,
    `MACHINE_SERIAL=${environmentValue(machine.serial_number)}`,
    `MACHINE_TOKEN=${environmentValue(machine.auth_token)}`,
    '# Optional',
    `FIRMWARE_VERSION=${firmwareVersion}`,
    '',
  ].join('\n');

/** Whether only the computer itself reaches this address: the server runs without a public one. */
export const isOwnAddress = (url: string): boolean =>
  /^https?:\/\/(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])(?:[:/]|$)/i.test(url);

export const ticketId = (pairingCode: string): string => `PAIR-${pairingCode}`;

/** The text file for support to pair the board, without a token. */
export const pairingTicket = (machine: TicketFacts, requestedBy: string, validUntil: string): string =>
  [
    'PAIRING TICKET',
    '',
    `Ticket ID:      ${ticketId(machine.pairing_code)}`,
    `Valid until:    ${validUntil}`,
    '',
    `Serial number:  ${machine.serial_number}`,
    `Display name:   ${machine.display_name}`,
    `Machine type:   ${machine.machine_type}`,
    `Capacity:       ${exactWeight(machine.max_capacity_kg)}`,
    `API URL:        ${machine.api_url}`,
    `Requested by:   ${requestedBy}`,
    '',
    'How to pair',
    `1. Send this ticket to support by email${machine.support_email === null ? '' : ` (${machine.support_email})`}, with the ticket ID in the subject.`,
    '2. Support pairs the board with:',
    `   device-agent pair ${ticketId(machine.pairing_code)} --api ${machine.api_url}`,
    '3. The ticket works once. Pairing replaces the machine token that was shown at registration.',
    '',
  ].join('\n');

/** Opens the person's mail program with the ticket ID in the subject. */
export const supportMail = (machine: Pick<TicketFacts, 'support_email' | 'pairing_code'>): string | undefined =>
  machine.support_email === null
    ? undefined
    : `mailto:${encodeURIComponent(machine.support_email)}?subject=${encodeURIComponent(`Pairing ticket ${ticketId(machine.pairing_code)}`)}`;
