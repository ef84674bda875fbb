import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

/**
 * Why there are no samples. `disk_full`, `cap_reached`, `damaged`: the board lost or dropped them. `board_off`: it was
 * switched off. `agent_stopped`: its program was not running. `machine_silent`: the machine did not answer.
 * `not_arrived`: they are still on the board or in transit.
 */
export const gapReasons = [
  'disk_full',
  'cap_reached',
  'damaged',
  'board_off',
  'agent_stopped',
  'machine_silent',
  'not_arrived',
] as const;
export const curveGapShape = z.object({
  /** Seconds since charge of the last sample before it, and of the first one after it. */
  from_seconds: z.number(),
  to_seconds: z.number(),
  reason: z.enum(gapReasons),
});
export type CurveGap = z.infer<typeof curveGapShape>;

const reading = z.number().nullable();
export const datapointShape = z.object({
  /** Seconds since charge; without a charge, since the time where one was first reported. */
  time_seconds: z.number(),
  bean_temp: reading,
  exhaust_temp: reading,
  burner_front_temp: reading,
  burner_back_temp: reading,
  /** °C/min, 5-point moving average. */
  ror: reading,
  heat_power: reading,
  fan_speed: reading,
  drum_speed: reading,
});
export type Datapoint = z.infer<typeof datapointShape>;

const curveWindowQuery = z.object({
  /** Seconds of preheat to include before charge. */
  before: z.coerce.number().min(0).max(14_400).default(0),
  /** Seconds to include after drop. */
  after: z.coerce.number().min(0).max(14_400).default(0),
});

export const getRoastCurve = endpoint({
  name: 'getRoastCurve',
  method: 'GET',
  path: '/roasts/{id}/curve',
  summary: 'The recorded curve from charge to drop, one object per sample',
  right: 'see',
  params: z.object({ id: idShape }),
  query: curveWindowQuery,
  response: z.object({ datapoints: z.array(datapointShape) }),
  errors: ['not_found'],
});

export const curveColumnsShape = z.object({
  time_seconds: z.array(z.number()),
  /** One column per recorded channel, as long as `time_seconds`. */
  channels: z.record(z.string(), z.array(reading)),
  ror: z.array(reading),
});
export type CurveColumns = z.infer<typeof curveColumnsShape>;

export const recordedCurveShape = curveColumnsShape.extend({
  /** Where the board recorded nothing, in order. Empty for a file and for a roast logged by hand. */
  gaps: z.array(curveGapShape),
});
export type RecordedCurve = z.infer<typeof recordedCurveShape>;

export const getRoastCurveColumns = endpoint({
  name: 'getRoastCurveColumns',
  method: 'GET',
  path: '/roasts/{id}/curve/columns',
  summary: 'The curve with every recorded channel as columns, a fifth of the bytes, and its gaps',
  right: 'see',
  params: z.object({ id: idShape }),
  query: curveWindowQuery,
  response: recordedCurveShape,
  errors: ['not_found'],
});
