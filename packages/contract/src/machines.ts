import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { batchPrefixShape } from './batch-numbers.ts';
import { mapUpdateShape } from './channel-check.ts';
import { machineDriftShape } from './machine-drift.ts';
import { mapIdShape } from './machine-map.ts';
import { machineAddressShape } from './machine-maps.ts';
import { idShape, instantShape, lineShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Machines');

/** The dot on a machine's card: `online` when its board sent a message within a minute. */
export const connectionShape = z.enum(['online', 'offline', 'never_connected']);
export type Connection = z.infer<typeof connectionShape>;

/** A machine that does not answer its board. */
export const machineSilenceShape = z.object({
  /** Since when; null while it answers, and while its board is not online. */
  silent_since: instantShape.nullable(),
  /** Where its board looks for it: `192.168.0.20:502` or `/dev/ttyUSB0`; null if its map was not chosen here. */
  address: z.string().nullable(),
});
export type MachineSilence = z.infer<typeof machineSilenceShape>;

/** The machine's relation to the caller: their own, any machine for an admin, or shared with them. */
export const machineRoleShape = z.enum(['owner', 'admin', 'roaster', 'viewer']);
export type MachineRole = z.infer<typeof machineRoleShape>;

export const machineShape = z.object({
  id: idShape,
  serial_number: z.string(),
  display_name: z.string(),
  machine_type: z.string(),
  max_capacity_kg: z.number(),
  /** Prefix of its own batch numbers; null: it uses the roastery's numbers. */
  batch_prefix: z.string().nullable(),
  total_roasts: z.number().int(),
  total_kg_roasted: z.number(),
  created_at: instantShape,
  owner_name: z.string().nullable(),
  owner_id: idShape,
  role: machineRoleShape,
  connection: connectionShape,
  last_seen_at: instantShape.nullable(),
  ...machineSilenceShape.shape,
  /** Its board last reported that it has no machine map, so that it reads nothing. */
  lacks_map: z.boolean(),
  /** Its readings come from Artisan on a computer instead of a map. */
  runs_artisan: z.boolean(),
  /** So many roasts in a row look as if bean and exhaust temperature were exchanged in its map; null while too few do. */
  channels_exchanged: z.number().int().nullable(),
  archived_at: instantShape.nullable(),
  /** A newer revision of its map that its manager has not read about yet. */
  map_update: mapUpdateShape.nullable(),
  /** Its manager is asked whether bean and exhaust temperature of its map are exchanged. */
  asks_channels: z.boolean(),
  /** Its newest drift, unless this person has dismissed it. */
  drift: machineDriftShape.nullable(),
  /** The roast that runs on it now. */
  current_roast_id: idShape.nullable(),
  /** Increases with every edit; an edit based on an older revision is refused. */
  revision: z.number().int(),
});
export type Machine = z.infer<typeof machineShape>;

const capacityShape = z
  .number('Enter the capacity in kg')
  .min(0.1, 'Capacity must be at least 0.1 kg')
  .max(10_000, 'Capacity must be at most 10,000 kg');
const displayNameShape = lineShape(120).min(1, 'Display name is required');
const machineTypeShape = lineShape(60).min(1, 'Machine type is required');

export const registerMachineShape = z.object({
  serial_number: lineShape(64).min(1, 'Serial number is required'),
  display_name: displayNameShape,
  machine_type: machineTypeShape,
  max_capacity_kg: capacityShape,
  /** The map for its board; it can be chosen later. */
  map_id: mapIdShape.nullable().optional(),
  /** The machine's address for its board; ignored without a map. */
  ...machineAddressShape.partial().shape,
});
export const editMachineShape = z.object({
  display_name: displayNameShape,
  machine_type: machineTypeShape,
  max_capacity_kg: capacityShape,
  /** Absent: unchanged. */
  batch_prefix: batchPrefixShape.nullable().optional(),
});

export const machineSorts = ['newest', 'oldest', 'most_roasts', 'name'] as const;

export const listMachines = endpoint({
  name: 'listMachines',
  method: 'GET',
  path: '/machines',
  summary: 'Machines that the user owns or shares; all for an admin. `X-Total-Count` has the number without paging',
  query: z.object({
    ...pageQuery(500),
    sort: z.enum(machineSorts).default('newest'),
    include_archived: z.enum(['true', 'false']).default('false'),
  }),
  response: z.array(machineShape),
});

export const machineTotals = endpoint({
  name: 'machineTotals',
  method: 'GET',
  path: '/machines/totals',
  summary: 'Totals of machines, roasts and kg over the machines that the user may see',
  response: z.object({ machines: z.number().int(), roasts: z.number().int(), kg_roasted: z.number() }),
});

export const getMachine = endpoint({
  name: 'getMachine',
  method: 'GET',
  path: '/machines/{id}',
  summary: 'One machine',
  right: 'see',
  params: z.object({ id: idShape }),
  response: machineShape,
  errors: ['not_found'],
});

export const registeredMachineShape = machineShape.extend({
  /** Shown once; only a hash is stored. */
  auth_token: z.string(),
  /** Twelve letters in three groups; the ticket is `PAIR-` plus this. Shown once. */
  pairing_code: z.string(),
  /** The contents of the board's environment file besides the token. */
  api_url: z.string(),
  pairing_expires_at: instantShape,
  support_email: z.string().nullable(),
});
export type RegisteredMachine = z.infer<typeof registeredMachineShape>;

export const registerMachine = endpoint({
  name: 'registerMachine',
  method: 'POST',
  path: '/machines',
  summary: 'Register a machine; token and pairing code are returned only once',
  status: 201,
  body: registerMachineShape,
  response: registeredMachineShape,
  errors: ['already_exists'],
});

export const updateMachine = endpoint({
  name: 'updateMachine',
  method: 'PUT',
  path: '/machines/{id}',
  summary: 'Change name, type or capacity; the serial number stays',
  right: 'manage',
  params: z.object({ id: idShape }),
  body: editMachineShape.extend({ revision: z.number().int().optional() }),
  response: machineShape,
  errors: ['not_found', 'changed_meanwhile', 'already_exists'],
});

export const deleteMachine = endpoint({
  name: 'deleteMachine',
  method: 'DELETE',
  path: '/machines/{id}',
  summary: 'Delete a machine, or archive it when it has roasts; its board is disconnected',
  right: 'manage',
  params: z.object({ id: idShape }),
  response: z.object({ message: z.string(), archived: z.boolean() }),
  errors: ['not_found'],
});
