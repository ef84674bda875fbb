import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape } from './shapes.ts';

const endpoint = endpointsOf('Alarms');

/**
 * Alarms of roasts. `rule`: a rule of the machine or its recipe was fulfilled, once per roast. `frozen`: a temperature
 * stopped changing while the roast continued. `silent`: the board stopped sending. The last two need no rule and are
 * cleared when they are over.
 */
export const alarmKinds = ['rule', 'frozen', 'silent'] as const;
export const alarmColours = ['red', 'amber', 'green', 'blue'] as const;
export const alarmColourShape = z.enum(alarmColours);
export type AlarmColour = z.infer<typeof alarmColourShape>;

/**
 * An alarm from samples that are older than this on arrival is stored; no screen shows or sounds it as if it were now.
 */
export const lateAlarmSeconds = 30;

export const roastAlarmShape = z.object({
  id: idShape,
  roast_id: idShape,
  kind: z.enum(alarmKinds),
  /** Its rule, which may have been deleted since; null for alarms that need none. */
  rule_id: idShape.nullable(),
  /**
   * The fault of the machine: `silent` (the board), `silent bean_temp`, `frozen bean_temp`; null for any other alarm.
   * An alarm with a rule and one without a rule about the same fault are one fault: one entry in the bell's list and
   * one message to phones.
   */
  fault: z.string().nullable(),
  /** The frozen channel. */
  channel: z.string().nullable(),
  /** Of the rule; null for alarms without one. */
  message: z.string().nullable(),
  colour: alarmColourShape,
  sound: z.boolean(),
  /** Seconds since charge of the sample that fulfilled it, or after which the board was silent. Null without a charge. */
  time_seconds: z.number().nullable(),
  happened_at: instantShape,
  raised_at: instantShape,
  /** Its samples arrived more than 30 s late. */
  is_late: z.boolean(),
  /** When it was over; null for a rule, and while it lasts. */
  cleared_at: instantShape.nullable(),
  acknowledged_at: instantShape.nullable(),
  acknowledged_by: z.string().nullable(),
});
export type RoastAlarm = z.infer<typeof roastAlarmShape>;

/** Whether screens show it now: it is current, lasts, and is not acknowledged. */
export const isAlarmShown = ({
  is_late,
  cleared_at,
  acknowledged_at,
}: Pick<RoastAlarm, 'is_late' | 'cleared_at' | 'acknowledged_at'>): boolean =>
  !is_late && cleared_at === null && acknowledged_at === null;

/** A running roast stores no more alarms than this. */
export const maxRoastAlarms = 200;

export const listRoastAlarms = endpoint({
  name: 'listRoastAlarms',
  method: 'GET',
  path: '/roasts/{id}/alarms',
  summary: 'Alarms of a roast in the order of time',
  right: 'see',
  params: z.object({ id: idShape }),
  response: z.object({ alarms: z.array(roastAlarmShape) }),
  errors: ['not_found'],
});

export const acknowledgeAlarm = endpoint({
  name: 'acknowledgeAlarm',
  method: 'PUT',
  path: '/roasts/{id}/alarms/{alarm_id}/acknowledgement',
  summary: 'Acknowledge an alarm: the cockpit and the wall no longer show it; it stays with the roast',
  right: 'roast',
  params: z.object({ id: idShape, alarm_id: idShape }),
  response: roastAlarmShape,
  errors: ['not_found'],
});

export const recentAlarmShape = roastAlarmShape.extend({
  machine_id: idShape,
  machine_name: z.string(),
  batch_number: z.string().nullable(),
  coffee_name: z.string().nullable(),
  /** Its roast has not ended. */
  is_running: z.boolean(),
});
export type RecentAlarm = z.infer<typeof recentAlarmShape>;

export const listRecentAlarms = endpoint({
  name: 'listRecentAlarms',
  method: 'GET',
  path: '/alarms',
  summary: 'Alarms of the last 24 hours on the machines that the user may see, newest first; at most 50',
  response: z.object({ alarms: z.array(recentAlarmShape) }),
});
