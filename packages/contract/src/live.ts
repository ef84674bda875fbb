import { z } from 'zod';
import { roastAlarmShape } from './alarms.ts';
import { endpointsOf } from './endpoint.ts';
import { connectionShape } from './machines.ts';
import { liveReadingShape, statusShape } from './mqtt.ts';
import { roastShape } from './roasts.ts';
import { idShape, instantShape } from './shapes.ts';

const endpoint = endpointsOf('Live');

/**
 * Server-sent events of a machine, each with its id. The `event:` field is `type`, `data:` is the JSON of the shape. On
 * every connect: `hello`, then `backlog` (the running roast from 60 s before charge, else the last five minutes), then
 * new samples. Samples carry (epoch, seq): a client that receives one twice keeps one.
 */
export const liveSamplesShape = z.object({
  epoch: z.string(),
  seq: z.array(z.number().int()),
  /** ms since the board's boot; subtract the charge's to get roast time. */
  mono: z.array(z.number()),
  channels: z.record(z.string(), z.array(z.number().nullable())),
});
export type LiveSamples = z.infer<typeof liveSamplesShape>;

const ofMachine = { machine_id: idShape };

export const liveEventShape = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    ...ofMachine,
    server_time: instantShape,
    connection: connectionShape,
    last_seen_at: instantShape.nullable(),
    status: statusShape.nullable(),
  }),
  z.object({
    type: z.literal('backlog'),
    ...ofMachine,
    samples: z.array(liveSamplesShape),
    roast: roastShape.nullable(),
    charge_mono: z.number().nullable(),
  }),
  /** The newest reading, sent immediately. */
  z.object({ type: z.literal('reading'), ...ofMachine, reading: liveReadingShape, received_at: instantShape }),
  /** A journal batch: it fills the gaps of the live readings. */
  z.object({ type: z.literal('samples'), ...ofMachine, samples: liveSamplesShape }),
  /** A roast of this machine began, changed or ended. */
  z.object({ type: z.literal('roast'), ...ofMachine, roast: roastShape, charge_mono: z.number().nullable() }),
  /** The running roast was deleted. The stream ends after this event: a new one starts with a fresh backlog. */
  z.object({ type: z.literal('roast_deleted'), ...ofMachine, roast_id: idShape }),
  /**
   * The alarms of the running roast: after the backlog if there are any, then whenever one is raised, cleared or
   * acknowledged.
   */
  z.object({ type: z.literal('alarms'), ...ofMachine, roast_id: idShape, alarms: z.array(roastAlarmShape) }),
  z.object({
    type: z.literal('status'),
    ...ofMachine,
    connection: connectionShape,
    last_seen_at: instantShape.nullable(),
    status: statusShape.nullable(),
  }),
  /** On a stream of several machines: the user may not, or no longer, see this machine; its other events end. */
  z.object({ type: z.literal('gone'), ...ofMachine }),
]);
export type LiveEvent = z.infer<typeof liveEventShape>;

/** An event without the id of its machine. */
export type MachineEvent = LiveEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'machine_id'>
    : never
  : never;

export const machineLive = endpoint({
  name: 'machineLive',
  method: 'GET',
  path: '/machines/{id}/live',
  summary: 'Server-sent events: the backlog, then live events. See `LiveEvent`',
  right: 'see',
  params: z.object({ id: idShape }),
  produces: 'text/event-stream',
  errors: ['not_found', 'too_many_requests', 'not_ready'],
});

/** More than a browser opens tabs for. */
export const maxLiveMachines = 40;

export const machinesLive = endpoint({
  name: 'machinesLive',
  method: 'GET',
  path: '/live',
  summary:
    'Server-sent events of several machines over one connection: the backlog of each, then live events. See `LiveEvent`',
  query: z.object({
    /** Ids, separated by commas. */
    machines: z
      .string()
      .transform((text) => text.split(','))
      .pipe(z.array(idShape).min(1).max(maxLiveMachines)),
  }),
  produces: 'text/event-stream',
  errors: ['too_many_requests', 'not_ready'],
});
