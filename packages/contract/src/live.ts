import { z } from 'zod';
import { roastAlarmShape } from './alarms.ts';
import { endpoint } from './endpoint.ts';
import { connectionShape } from './machines.ts';
import { liveReadingShape, statusShape } from './mqtt.ts';
import { roastShape } from './roasts.ts';
import { idShape, instantShape } from './shapes.ts';

/**
 * Server-sent events of one machine. Each event's `event:` field is `type`, its `data:` the JSON of the shape.
 * On every connect: `hello`, then `backlog` (the running roast from 60 s before charge, else the last five minutes),
 * then the tail. Samples carry (epoch, seq): whoever receives one twice keeps one.
 */
export const liveSamplesShape = z.object({
  epoch: z.string(),
  seq: z.array(z.number().int()),
  /** ms since the board's boot; subtract the charge's to get roast time. */
  mono: z.array(z.number()),
  channels: z.record(z.string(), z.array(z.number().nullable())),
});
export type LiveSamples = z.infer<typeof liveSamplesShape>;

export const liveEventShape = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    machine_id: idShape,
    server_time: instantShape,
    connection: connectionShape,
    last_seen_at: instantShape.nullable(),
    status: statusShape.nullable(),
  }),
  z.object({
    type: z.literal('backlog'),
    samples: z.array(liveSamplesShape),
    roast: roastShape.nullable(),
    charge_mono: z.number().nullable(),
  }),
  /** The newest reading, as soon as the board has it. */
  z.object({ type: z.literal('reading'), reading: liveReadingShape, received_at: instantShape }),
  /** A journal batch passing by: fills what live readings missed. */
  z.object({ type: z.literal('samples'), samples: liveSamplesShape }),
  /** A roast of this machine began, changed or ended. */
  z.object({ type: z.literal('roast'), roast: roastShape, charge_mono: z.number().nullable() }),
  /** The running roast was deleted. The stream ends after this event: a new one starts with a fresh backlog. */
  z.object({ type: z.literal('roast_deleted'), roast_id: idShape }),
  /** The alarms of the running roast: after the backlog where there are some, then whenever one is raised, cleared or acknowledged. */
  z.object({ type: z.literal('alarms'), roast_id: idShape, alarms: z.array(roastAlarmShape) }),
  z.object({
    type: z.literal('status'),
    connection: connectionShape,
    last_seen_at: instantShape.nullable(),
    status: statusShape.nullable(),
  }),
]);
export type LiveEvent = z.infer<typeof liveEventShape>;

export const machineLive = endpoint({
  name: 'machineLive',
  method: 'GET',
  path: '/machines/{id}/live',
  tag: 'Live',
  summary: 'Server-sent events: the backlog, then live events. See `LiveEvent`',
  access: 'user',
  right: 'see',
  params: z.object({ id: idShape }),
  produces: 'text/event-stream',
  errors: ['not_found', 'too_many_requests', 'not_ready'],
});
