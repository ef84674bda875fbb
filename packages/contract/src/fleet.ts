import { z } from 'zod';
import { boardUpdateShape, epochShape, maxHistoryStreams, programSourceShape, updateOrderStates } from './mqtt.ts';
import { endpointsOf } from './endpoint.ts';
import { boardConfigShape } from './machine-maps.ts';
import { connectionShape } from './machines.ts';
import { idShape, instantShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Fleet', 'admin');

/**
 * State of a ticket. `paired`: exchanged for a credential; `confirmed`: the board has connected with that credential,
 * so it is on its disk.
 */
export const ticketStates = ['pending', 'paired', 'confirmed', 'expired', 'revoked'] as const;
export type TicketState = (typeof ticketStates)[number];

export const pairingTicketShape = z.object({
  id: idShape,
  machine_id: idShape,
  serial_number: z.string(),
  display_name: z.string(),
  owner_name: z.string().nullable(),
  issued_by_name: z.string().nullable(),
  created_at: instantShape,
  expires_at: instantShape,
  state: z.enum(ticketStates),
  redeemed_at: instantShape.nullable(),
  /** Address from which the ticket was exchanged. */
  redeemed_from: z.string().nullable(),
  hardware_id: z.string().nullable(),
  agent_version: z.string().nullable(),
  confirmed_at: instantShape.nullable(),
});
export type PairingTicket = z.infer<typeof pairingTicketShape>;

export const credentialShape = z.object({
  origin: z.enum(['registration', 'pairing', 'rotation']),
  since: instantShape,
  /** During a rotation: when the previous credential stops working. */
  previous_valid_until: instantShape.nullable(),
});

/** Streams on a board that were recorded for another owner: they stay there until an admin restores them. */
export const sealedHistoryShape = z.object({
  epochs: z.array(epochShape).min(1).max(maxHistoryStreams),
  entries: z.number().int(),
  /** Of the first and last entry, if the board knows them. */
  from: instantShape.nullable(),
  to: instantShape.nullable(),
});

/** The problems in a board's last retained status, its credential and its ticket. */
export const deviceWarnings = [
  'no_credential',
  'offline',
  'machine_link',
  'no_map',
  'config_refused',
  'update_turned_back',
  'update_failed',
  'journal_waiting',
  'journal_dropped',
  'history_sealed',
  'clock',
  'disk',
  'disk_refuses_writes',
  'credential_shared',
] as const;
export type DeviceWarning = (typeof deviceWarnings)[number];

/** The progress of an update that was ordered in the portal. */
export const orderedUpdateShape = z.object({
  version: z.string(),
  state: z.enum(updateOrderStates),
  reason: z.string().nullable(),
  ordered_at: instantShape,
  ordered_by: z.string(),
});

export const deviceShape = z.object({
  machine_id: idShape,
  serial_number: z.string(),
  display_name: z.string(),
  machine_type: z.string(),
  owner_name: z.string().nullable(),
  connection: connectionShape,
  last_seen_at: instantShape.nullable(),
  agent_version: z.string().nullable(),
  firmware_version: z.string().nullable(),
  /** The map that it reads with. */
  map: z.object({ id: z.string(), rev: z.number().int() }).nullable(),
  /** The source of its readings if it is not a map. */
  source: programSourceShape.nullable(),
  /** The settings that were made in the portal, and whether the board applies them. */
  config: boardConfigShape.pick({ map: true, revision: true, changed_at: true, state: true, reason: true }),
  /** The connection from the board to the machine. */
  machine_link: z.enum(['ok', 'failing', 'starting']).nullable(),
  machine_link_detail: z.string().nullable(),
  journal: z
    .object({
      entries_waiting: z.number().int(),
      bytes: z.number().int(),
      dropped_entries: z.number().int(),
      /** Readings kept in memory because the board's disk accepts no writes; null when the disk works. */
      entries_in_memory: z.number().int().nullable(),
    })
    .nullable(),
  /** The history that it holds sealed; null without any. */
  sealed_history: sealedHistoryShape.nullable(),
  clock_synced: z.boolean().nullable(),
  disk_free_bytes: z.number().int().nullable(),
  /** The newest update of its agent, and whether it was kept. */
  update: boardUpdateShape.nullable(),
  order: orderedUpdateShape.nullable(),
  /** Its agent was installed as a package and accepts orders to update. */
  takes_orders: z.boolean(),
  credential: credentialShape.nullable(),
  /** Two boards have connected alternately with this credential within the last minutes. */
  credential_shared: z.boolean(),
  /** The newest ticket of this machine. */
  ticket: pairingTicketShape.nullable(),
  warnings: z.array(z.enum(deviceWarnings)),
});
export type Device = z.infer<typeof deviceShape>;

export const listDevices = endpoint({
  name: 'listDevices',
  method: 'GET',
  path: '/admin/devices',
  summary: 'The board of every machine with its last status',
  query: z.object({ ...pageQuery(50) }),
  response: z.object({ devices: z.array(deviceShape), total: z.number().int() }),
});

export const listPairingTickets = endpoint({
  name: 'listPairingTickets',
  method: 'GET',
  path: '/admin/pairing-tickets',
  summary: 'Pairing tickets, newest first, with age, state and the address that a board was paired from',
  query: z.object({ ...pageQuery(50), state: z.enum(ticketStates).optional() }),
  response: z.object({ tickets: z.array(pairingTicketShape), total: z.number().int() }),
});

const ofMachine = { params: z.object({ id: idShape }), access: 'user', right: 'manage' } as const;

export const getPairing = endpoint({
  ...ofMachine,
  name: 'getPairing',
  method: 'GET',
  path: '/machines/{id}/pairing',
  summary: 'Whether a board is paired with this machine',
  response: z.object({ ticket: pairingTicketShape.nullable(), credential: credentialShape.nullable() }),
  errors: ['not_found'],
});

/** The pairing code, which is shown only once. */
export const issuedTicketShape = z.object({
  ticket_id: idShape,
  machine_id: idShape,
  serial_number: z.string(),
  display_name: z.string(),
  machine_type: z.string(),
  max_capacity_kg: z.number(),
  pairing_code: z.string(),
  pairing_expires_at: instantShape,
  api_url: z.string(),
  support_email: z.string().nullable(),
});
export type IssuedTicket = z.infer<typeof issuedTicketShape>;

export const reissuePairingTicket = endpoint({
  ...ofMachine,
  name: 'reissuePairingTicket',
  method: 'POST',
  path: '/machines/{id}/pairing-ticket',
  summary: 'Issue a pairing ticket and revoke the open one. A paired board stays paired until the new ticket is used',
  status: 201,
  response: issuedTicketShape,
  errors: ['not_found'],
});

export const notePairingTicket = endpoint({
  ...ofMachine,
  name: 'notePairingTicket',
  method: 'POST',
  path: '/machines/{id}/pairing-ticket/notes',
  summary: 'Record in the audit log that a code was viewed or its ticket downloaded',
  body: z.object({ what: z.enum(['viewed', 'downloaded']) }),
  response: z.object({ noted: z.boolean() }),
  errors: ['not_found'],
});

export const revokePairingTicket = endpoint({
  name: 'revokePairingTicket',
  method: 'DELETE',
  path: '/pairing-tickets/{id}',
  summary: 'Revoke an unused ticket',
  access: 'user',
  params: z.object({ id: idShape }),
  response: pairingTicketShape,
  errors: ['not_found', 'conflict'],
});

export const rotateCredential = endpoint({
  ...ofMachine,
  name: 'rotateCredential',
  method: 'POST',
  path: '/machines/{id}/credential/rotate',
  summary: 'Create a new machine token, returned only once; the earlier one stays valid for the overlap',
  body: z.object({ overlap_hours: z.number().int().min(0).max(168).default(24) }),
  response: z.object({
    serial_number: z.string(),
    display_name: z.string(),
    api_url: z.string(),
    auth_token: z.string(),
    previous_valid_until: instantShape.nullable(),
  }),
  errors: ['not_found'],
});

export const revokeCredential = endpoint({
  ...ofMachine,
  name: 'revokeCredential',
  method: 'DELETE',
  path: '/machines/{id}/credential',
  summary: 'Revoke every credential and open ticket of this machine and disconnect its board',
  response: z.object({ credentials: z.number().int(), tickets: z.number().int(), disconnected: z.boolean() }),
  errors: ['not_found'],
});

export const restoreHistory = endpoint({
  ...ofMachine,
  access: 'admin',
  name: 'restoreHistory',
  method: 'POST',
  path: '/machines/{id}/history/restore',
  summary:
    'Restore history: the board may send streams that it recorded for another owner to this machine; it sends what is missing',
  body: z.object({ epochs: z.array(epochShape).min(1).max(maxHistoryStreams) }),
  response: z.object({ streams: z.number().int() }),
  errors: ['not_found', 'conflict'],
});
