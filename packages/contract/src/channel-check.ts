import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { mapIdShape } from './machine-map.ts';
import { pushStates } from './machine-maps.ts';
import { idShape, instantShape, messageShape } from './shapes.ts';

/**
 * Where an own map comes from: a copy of another map, a settings file of Artisan, or else a file or found registers.
 * `catalogue` is no own map.
 */
export const mapSources = ['catalogue', 'copy', 'artisan_settings', 'other'] as const;

/** A newer revision of a catalogue map that a machine got by itself. */
export const mapUpdateShape = z.object({
  map_id: z.string(),
  from_rev: z.number().int(),
  to_rev: z.number().int(),
  /** Bean and exhaust temperature were exchanged in the earlier revision. */
  exchanged: z.boolean(),
  updated_at: instantShape,
  /** Whether the board uses it, and its reason if it does not. */
  state: z.enum(pushStates),
  reason: z.string().nullable(),
});
export type MapUpdate = z.infer<typeof mapUpdateShape>;

/** A channel in the machine's map and what it reads. */
export const channelPlaceShape = z.object({
  /** E.g. `h:40`. */
  at: z.string(),
  /** Its newest reading, °C; null where nothing valid was read, or nothing lately. */
  value: z.number().nullable(),
});

export const channelCheckShape = z.object({
  /** Null: the board reads with a file of its own. */
  map: z
    .object({ id: z.string(), rev: z.number().int(), maker: z.string(), model: z.string(), source: z.enum(mapSources) })
    .nullable(),
  bean: channelPlaceShape.nullable(),
  exhaust: channelPlaceShape.nullable(),
  /** When the values were read; null if the machine is silent. */
  read_at: instantShape.nullable(),
  /** The readings of the board look as if the two were exchanged. */
  suspected: z.boolean(),
  /** Whether the owner is asked: they may be exchanged, and no person has confirmed them. */
  asks: z.boolean(),
  /** An exchange makes an own copy for this machine: the map is of the catalogue, of another person, or has a newer revision. */
  makes_copy: z.boolean(),
  /** Other machines that get an exchanged map too; those the user may not see are only counted. */
  others: z.object({ names: z.array(z.string()), hidden: z.number().int() }),
});
export type ChannelCheck = z.infer<typeof channelCheckShape>;

const endpoint = endpointsOf('Machine maps');
const ofMachine = { params: z.object({ id: idShape }), right: 'manage' } as const;
/** The revision that the person saw: a second tap must not exchange twice. */
const seenMapShape = z.object({ map_id: mapIdShape, map_rev: z.number().int().min(1) });

export const getChannelCheck = endpoint({
  ...ofMachine,
  name: 'getChannelCheck',
  method: 'GET',
  path: '/machines/{id}/channel-check',
  summary: 'Registers and present values of bean and exhaust temperature, to see whether they are exchanged',
  response: channelCheckShape,
  errors: ['not_found'],
});

export const exchangeChannels = endpoint({
  ...ofMachine,
  name: 'exchangeChannels',
  method: 'POST',
  path: '/machines/{id}/exchange-channels',
  summary: 'Exchange bean and exhaust temperature: the next revision of an own map, else an own copy for this machine',
  body: seenMapShape,
  response: channelCheckShape,
  errors: ['not_found', 'conflict', 'changed_meanwhile'],
});

export const confirmChannels = endpoint({
  ...ofMachine,
  name: 'confirmChannels',
  method: 'POST',
  path: '/machines/{id}/confirm-channels',
  summary: 'State that bean and exhaust temperature are right in this map',
  body: seenMapShape,
  response: channelCheckShape,
  errors: ['not_found', 'conflict', 'changed_meanwhile'],
});

export const dismissMapUpdate = endpoint({
  ...ofMachine,
  name: 'dismissMapUpdate',
  method: 'POST',
  path: '/machines/{id}/map-update/dismiss',
  summary: 'Do not show the user again that the machine’s map was updated to its present revision',
  response: messageShape,
  errors: ['not_found'],
});

export const showMapUpdate = endpoint({
  ...ofMachine,
  name: 'showMapUpdate',
  method: 'POST',
  path: '/machines/{id}/map-update/show',
  summary: 'Show the user again that the machine’s map was updated: undoes `dismissMapUpdate`',
  response: messageShape,
  errors: ['not_found'],
});
