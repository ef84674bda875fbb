import { z } from 'zod';
import { alarmColourShape, alarmKinds } from './alarms.ts';
import { preferencesShape } from './auth.ts';
import { endpointsOf } from './endpoint.ts';
import { connectionShape, machineSilenceShape } from './machines.ts';
import { idShape, instantShape, lineShape, messageShape, plannedPointShape } from './shapes.ts';

const endpoint = endpointsOf('Wall', 'admin');

/**
 * The wall: all machines that the caller may see, for a television. Its stream and its list contain nothing else, so
 * that a wall link can open them without an account.
 */
export const wallRoastShape = z.object({
  id: idShape,
  batch_number: z.string().nullable(),
  coffee_name: z.string().nullable(),
  /** Of its plan or recipe; empty without one. */
  points: z.array(plannedPointShape),
  interpolated: z.boolean(),
  /** °C. */
  target_drop_temp: z.number().nullable(),
  /** Bean temperature of the recipe's reference, one value for about each 5 s. */
  reference: z.object({ time_seconds: z.array(z.number()), bean_temp: z.array(z.number().nullable()) }).nullable(),
});
export type WallRoast = z.infer<typeof wallRoastShape>;

export const wallMachineShape = z.object({
  id: idShape,
  display_name: z.string(),
  connection: connectionShape,
  last_seen_at: instantShape.nullable(),
  ...machineSilenceShape.shape,
  /** Its board has no machine map, so that it reads nothing. */
  lacks_map: z.boolean(),
  /** The running roast. */
  roast: wallRoastShape.nullable(),
  /** The first in the queue. */
  next: z
    .object({
      batch_number: z.string().nullable(),
      coffee_name: z.string().nullable(),
      batch_size_kg: z.number().nullable(),
      /** °C, of its recipe. */
      target_charge_temp: z.number().nullable(),
    })
    .nullable(),
});
export type WallMachine = z.infer<typeof wallMachineShape>;

/** The first by name; a wall with more machines than tiles shows them in pages. */
export const maxWallMachines = 120;

export const getWall = endpoint({
  name: 'getWall',
  method: 'GET',
  path: '/wall',
  summary: 'What the wall shows of each machine; wall links can read it too',
  access: 'user',
  isForWallLinks: true,
  response: z.object({
    machines: z.array(wallMachineShape).max(maxWallMachines),
    /** Of all machines that the caller may see. */
    total: z.int().min(0),
    /** The user's units and formats; on a screen without an account those of the user who created its link. */
    reads_as: preferencesShape,
  }),
  /** Its link is open on too many screens. */
  errors: ['too_many_requests'],
});

export const wallAlarmShape = z.object({
  id: idShape,
  kind: z.enum(alarmKinds),
  channel: z.string().nullable(),
  message: z.string().nullable(),
  colour: alarmColourShape,
  raised_at: instantShape,
});
export type WallAlarm = z.infer<typeof wallAlarmShape>;

const ofMachine = { machine_id: idShape };

/** Server-sent events of the wall. Each event's `event:` field is `type`. On every connect: `hello` and `curve` of each machine. */
export const wallEventShape = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    ...ofMachine,
    connection: connectionShape,
    last_seen_at: instantShape.nullable(),
    /** The machine does not answer its board, which is online. */
    is_silent: z.boolean(),
  }),
  /** The recent past, at most one value per second; ms since the board's boot. */
  z.object({
    type: z.literal('curve'),
    ...ofMachine,
    mono: z.array(z.number()),
    bean_temp: z.array(z.number().nullable()),
    charge_mono: z.number().nullable(),
    /** How long ago the last value was measured, ms; null without values. */
    age_ms: z.number().min(0).nullable(),
  }),
  z.object({
    type: z.literal('reading'),
    ...ofMachine,
    mono: z.number(),
    bean_temp: z.number().nullable(),
    /** Null while no roast runs. */
    charge_mono: z.number().nullable(),
  }),
  z.object({
    type: z.literal('status'),
    ...ofMachine,
    connection: connectionShape,
    last_seen_at: instantShape.nullable(),
    /** The machine does not answer its board, which is online. */
    is_silent: z.boolean(),
  }),
  /** The current alarms that are not acknowledged, newest first. */
  z.object({ type: z.literal('alarms'), ...ofMachine, alarms: z.array(wallAlarmShape) }),
  /** A roast began, changed or ended: read the wall again. */
  z.object({ type: z.literal('changed'), ...ofMachine, charge_mono: z.number().nullable() }),
]);
export type WallEvent = z.infer<typeof wallEventShape>;

export const wallLive = endpoint({
  name: 'wallLive',
  method: 'GET',
  path: '/wall/live',
  summary: 'Server-sent events of all machines of the wall over one connection. See `WallEvent`',
  access: 'user',
  isForWallLinks: true,
  produces: 'text/event-stream',
  errors: ['too_many_requests', 'not_ready'],
});

export const openWall = endpoint({
  name: 'openWall',
  method: 'POST',
  path: '/wall/session',
  summary: 'Exchange the token of a wall link for a cookie that opens the wall and nothing else',
  access: 'public',
  body: z.object({ token: z.string().min(1).max(200) }),
  response: messageShape,
  errors: ['not_found'],
});

export const wallLinkShape = z.object({
  id: idShape,
  name: z.string(),
  created_at: instantShape,
  created_by: z.string(),
  /** When a screen last opened it. */
  last_opened_at: instantShape.nullable(),
});
export type WallLink = z.infer<typeof wallLinkShape>;

export const listWallLinks = endpoint({
  name: 'listWallLinks',
  method: 'GET',
  path: '/admin/wall-links',
  summary: 'Links that open the wall without an account',
  response: z.object({ links: z.array(wallLinkShape) }),
});

export const createWallLink = endpoint({
  name: 'createWallLink',
  method: 'POST',
  path: '/admin/wall-links',
  summary: 'Create a wall link; its token is returned only once',
  status: 201,
  body: z.object({ name: lineShape(80).min(1, 'Enter a name') }),
  response: wallLinkShape.extend({ token: z.string() }),
});

export const revokeWallLink = endpoint({
  name: 'revokeWallLink',
  method: 'DELETE',
  path: '/admin/wall-links/{id}',
  summary: 'Revoke a wall link: its screens show nothing more within a second',
  params: z.object({ id: idShape }),
  response: messageShape,
  errors: ['not_found'],
});
