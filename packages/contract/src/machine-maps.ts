import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { linkKinds, linkShape, machineMapShape, mapIdShape, storedMapShape, verificationShape } from './machine-map.ts';
import { statusPageModes, timeServersShape } from './mqtt.ts';
import { idShape, instantShape, lineShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Machine maps');

/** A map of the catalogue, the same for all, or one of this roastery. */
export const mapOrigins = ['catalogue', 'own'] as const;

export const mapSummaryShape = z.object({
  id: mapIdShape,
  /** The newest revision. */
  rev: z.number().int(),
  maker: z.string(),
  model: z.string(),
  link_kind: z.enum(linkKinds),
  capacity_kg: z.number().nullable(),
  channels: z.number().int(),
  outputs: z.number().int(),
  verified: verificationShape,
  origin: z.enum(mapOrigins),
  owner_name: z.string().nullable(),
  saved_at: instantShape.nullable(),
});
export type MapSummary = z.infer<typeof mapSummaryShape>;

export const listMachineMaps = endpoint({
  name: 'listMachineMaps',
  method: 'GET',
  path: '/machine-maps',
  summary: 'The roastery’s own maps and those of the catalogue; search by make and model',
  query: z.object({ ...pageQuery(50), origin: z.enum(mapOrigins).optional() }),
  response: z.object({ maps: z.array(mapSummaryShape), total: z.number().int() }),
});

export const mapDetailShape = mapSummaryShape.extend({
  /** The requested revision, else the newest. */
  map: storedMapShape,
  based_on: z.string().nullable(),
  may_edit: z.boolean(),
  /** Machines that the user may see and that use it. */
  machines: z.array(z.object({ id: idShape, display_name: z.string(), rev: z.number().int() })),
});
export type MapDetail = z.infer<typeof mapDetailShape>;

const ofMap = { params: z.object({ id: mapIdShape }) } as const;
const revisionQuery = z.object({ rev: z.coerce.number().int().min(1).max(1_000_000).optional() });

export const getMachineMap = endpoint({
  ...ofMap,
  name: 'getMachineMap',
  method: 'GET',
  path: '/machine-maps/{id}',
  summary: 'One map',
  query: revisionQuery,
  response: mapDetailShape,
  errors: ['not_found'],
});

export const mapRevisionShape = z.object({
  rev: z.number().int(),
  saved_at: instantShape.nullable(),
  saved_by_name: z.string().nullable(),
  note: z.string().nullable(),
  map: storedMapShape,
});
export type MapRevision = z.infer<typeof mapRevisionShape>;

export const listMapRevisions = endpoint({
  ...ofMap,
  name: 'listMapRevisions',
  method: 'GET',
  path: '/machine-maps/{id}/revisions',
  summary: 'Every revision of a map, newest first',
  response: z.object({ revisions: z.array(mapRevisionShape) }),
  errors: ['not_found'],
});

export const downloadMachineMap = endpoint({
  ...ofMap,
  name: 'downloadMachineMap',
  method: 'GET',
  path: '/machine-maps/{id}/file',
  summary: 'Download a map as a file for boards and other roasteries',
  query: revisionQuery,
  produces: 'application/json',
  errors: ['not_found'],
});

/** The most own maps a person may have; more than machines are built. */
export const maxOwnMaps = 200;

const noteShape = lineShape(200);

export const createMachineMap = endpoint({
  name: 'createMachineMap',
  method: 'POST',
  path: '/machine-maps',
  summary: 'Create an own map from a file or a copy. It gets an id of its own and revision 1',
  status: 201,
  body: z.object({ map: machineMapShape, based_on: mapIdShape.optional(), note: noteShape.optional() }),
  response: mapDetailShape,
  errors: ['conflict'],
});

export const importArtisanSettings = endpoint({
  name: 'importArtisanSettings',
  method: 'POST',
  path: '/machine-maps/artisan-settings',
  summary: 'Create an own map from a settings file of Artisan (.aset) that reads its machine over Modbus',
  status: 201,
  query: z.object({ file_name: lineShape(200).min(1, 'The file needs a name') }),
  accepts: { type: 'application/octet-stream', maxBytes: 2 * 1024 * 1024 },
  response: z.object({
    map: mapDetailShape,
    /** Parts of the file that could not be imported, in words. */
    remarks: z.array(z.string()),
  }),
  errors: ['conflict', 'too_large', 'too_many_requests'],
});

export const saveMachineMap = endpoint({
  ...ofMap,
  name: 'saveMachineMap',
  method: 'PUT',
  path: '/machine-maps/{id}',
  summary: 'Save an own map as its next revision; boards that use it receive it',
  body: z.object({
    map: machineMapShape,
    /** The revision on which the change is based. */
    rev: z.number().int().min(1),
    note: noteShape.optional(),
  }),
  response: mapDetailShape,
  errors: ['not_found', 'conflict', 'changed_meanwhile'],
});

export const deleteMachineMap = endpoint({
  ...ofMap,
  name: 'deleteMachineMap',
  method: 'DELETE',
  path: '/machine-maps/{id}',
  summary: 'Delete an own map that no machine uses; its revisions stay stored',
  response: z.object({ message: z.string() }),
  errors: ['not_found', 'conflict'],
});

/** Log levels that a person may set remotely. */
export const boardLogLevels = ['error', 'warn', 'info', 'debug'] as const;

export const hzShape = z.number('Enter readings per second').min(0.1, 'At least 0.1').max(10, 'At most 10');

/** The address of a machine, if it differs from its map. */
export const machineAddressShape = z.object({
  host: lineShape(253).min(1, 'Enter the machine’s address').nullable(),
  port: z.number('Enter a port').int().min(1, 'At least 1').max(65_535, 'At most 65535').nullable(),
  /** Serial adapter, e.g. /dev/ttyUSB0. */
  path: lineShape(200).min(1, 'Enter the serial adapter').nullable(),
});

/** Settings for one board in addition to the map; null: as the map or the board has it. */
export const boardSettingsShape = machineAddressShape.extend({
  hz: hzShape.nullable(),
  log_level: z.enum(boardLogLevels).nullable(),
  timeout_ms: z.number('Enter milliseconds').int().min(50, 'At least 50').max(10_000, 'At most 10000').nullable(),
  gap_ms: z.number('Enter milliseconds').int().min(0, 'At least 0').max(1000, 'At most 1000').nullable(),
  status_page: z.enum(statusPageModes).nullable(),
  time_servers: timeServersShape.nullable(),
});
export type BoardSettings = z.infer<typeof boardSettingsShape>;

/**
 * `none`: nothing was ever set here; `waiting`: the board has not reported on it yet, or waits for a roast to end;
 * `trial`: the board uses it and reverts it unless it reaches server and machine; `reverted`: it did.
 */
export const pushStates = ['none', 'waiting', 'trial', 'running', 'reverted', 'refused'] as const;
export type PushState = (typeof pushStates)[number];

const mapNameShape = z.object({ id: z.string(), rev: z.number().int() });

export const boardConfigShape = z.object({
  /** The map that was chosen here; null: the board reads with a file of its own. */
  map: mapNameShape
    .extend({ maker: z.string(), model: z.string(), verified: verificationShape, notes: z.string().nullable() })
    .nullable(),
  /** The machine's address by that map and the settings. */
  link: linkShape.nullable(),
  /** Readings per second that the map has. */
  map_hz: z.number().nullable(),
  settings: boardSettingsShape,
  /** The revision of the settings; the board reports the one it runs. */
  revision: z.number().int(),
  changed_at: instantShape.nullable(),
  state: z.enum(pushStates),
  /** Why it waits or was refused, as the board reports it. */
  reason: z.string().nullable(),
  /** The map in the board's status. */
  running_map: mapNameShape.nullable(),
});
export type BoardConfig = z.infer<typeof boardConfigShape>;

const ofMachine = { params: z.object({ id: idShape }), right: 'manage' } as const;

export const getBoardConfig = endpoint({
  ...ofMachine,
  name: 'getBoardConfig',
  method: 'GET',
  path: '/machines/{id}/board-config',
  summary: 'Map and settings of a machine’s board, and whether it runs them',
  response: boardConfigShape,
  errors: ['not_found'],
});

export const setBoardConfig = endpoint({
  ...ofMachine,
  name: 'setBoardConfig',
  method: 'PUT',
  path: '/machines/{id}/board-config',
  summary: 'Set map and settings of a machine’s board; it applies them between two roasts',
  body: boardSettingsShape.partial().extend({
    map_id: mapIdShape.nullable(),
    /** Default the newest. */
    map_rev: z.number().int().min(1).optional(),
    /** The revision of the settings on which the edit is based; an older one is refused. */
    revision: z.number().int().optional(),
  }),
  response: boardConfigShape,
  errors: ['not_found', 'changed_meanwhile'],
});
