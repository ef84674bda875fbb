import { alarmSides } from '@roastery/roasting/alarm-rules';
import { markKinds } from '@roastery/roasting/marks';
import { phaseNames } from '@roastery/roasting/curves/phases';
import { z } from 'zod';
import { alarmColourShape } from './alarms.ts';
import { channelNameShape } from './channels.ts';
import { endpointsOf } from './endpoint.ts';
import { idShape, lineShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Alarms');

const sideShape = z.enum(alarmSides);
const timeShape = z.number('Enter a time').min(0, 'Use 0:00 or later').max(3600, 'Use 60:00 or less');
/** A channel that is silent or frozen for less than this raises no alarm. */
export const minLastingSeconds = 5;
const lastingShape = z
  .number('Enter seconds')
  .min(minLastingSeconds, `Use ${minLastingSeconds} s or more`)
  .max(600, 'Use 600 s or less');

/** The condition of a rule, by `kind`. Units are part of the names: °C, °C per minute, seconds, percent. */
export const alarmConditionShape = z.discriminatedUnion('kind', [
  /** This long after the charge or a mark. */
  z.object({ kind: z.literal('time'), after: z.enum(markKinds), seconds: timeShape }),
  z.object({
    kind: z.literal('temperature'),
    channel: z.enum(['bean_temp', 'exhaust_temp']),
    side: sideShape,
    temp_c: z.number('Enter a temperature').min(0, 'Use 0 °C or more').max(500, 'Use 500 °C or less'),
  }),
  z.object({
    kind: z.literal('rate_of_rise'),
    side: sideShape,
    c_per_minute: z
      .number('Enter a rate of rise')
      .min(-50, 'Use −50 °C/min or more')
      .max(100, 'Use 100 °C/min or less'),
  }),
  /** Bean temperature against the recipe's reference roast at the same time. */
  z.object({
    kind: z.literal('reference_distance'),
    side: sideShape,
    distance_c: z.number('Enter a distance').min(0.5, 'Use 0.5 °C or more').max(100, 'Use 100 °C or less'),
  }),
  /** The current phase has this share of the time since the charge. */
  z.object({
    kind: z.literal('phase_share'),
    phase: z.enum(phaseNames),
    percent: z.number('Enter a share').min(1, 'Use 1 % or more').max(100, 'Use 100 % or less'),
  }),
  /** The channel gave no reading for this long. */
  z.object({ kind: z.literal('channel_silent'), channel: channelNameShape, seconds: lastingShape }),
  /** The channel gave the same value for this long. */
  z.object({ kind: z.literal('channel_frozen'), channel: channelNameShape, seconds: lastingShape }),
  /** Ready-made: the rate of rise falls suddenly between 140 °C and first crack. */
  z.object({ kind: z.literal('rate_crash') }),
  /** Ready-made: the rate of rise rises again between 140 °C and first crack. */
  z.object({ kind: z.literal('rate_flick') }),
]);

/** Marks after which a rule can be armed: those that a roast has before its drop. */
export const armingMarks = [
  'charge',
  'turning_point',
  'dry_end',
  'first_crack',
  'first_crack_end',
  'second_crack',
] as const satisfies (typeof markKinds)[number][];

export const alarmRuleBodyShape = z.object({
  condition: alarmConditionShape,
  /** It is evaluated from this mark on. */
  armed_after: z.enum(armingMarks).default('charge'),
  message: lineShape(120).min(1, 'Enter a message'),
  colour: alarmColourShape.default('amber'),
  sound: z.boolean().default(true),
  /** Sent to the phones of people with access to the machine who turned alarms on. */
  push: z.boolean().default(false),
  is_enabled: z.boolean().default(true),
});

export const alarmRuleShape = z.object({
  id: idShape,
  condition: alarmConditionShape,
  armed_after: z.enum(markKinds),
  message: z.string(),
  colour: alarmColourShape,
  sound: z.boolean(),
  push: z.boolean(),
  is_enabled: z.boolean(),
  /** Increases with every change; a change based on an older one is refused. */
  revision: z.number().int(),
});
export type AlarmRule = z.infer<typeof alarmRuleShape>;
export type AlarmRuleBody = z.infer<typeof alarmRuleBodyShape>;

/** Rules of one machine or recipe. */
export const maxAlarmRules = 30;

const listShape = z.object({ rules: z.array(alarmRuleShape) });
const changeShape = alarmRuleBodyShape.extend({ revision: z.number().int().optional() });
const byId = z.object({ id: idShape });
const byRule = z.object({ id: idShape, rule_id: idShape });

export const listMachineAlarmRules = endpoint({
  name: 'listMachineAlarmRules',
  method: 'GET',
  path: '/machines/{id}/alarm-rules',
  summary: 'Alarm rules of a machine, oldest first: they apply to each of its roasts',
  right: 'see',
  params: byId,
  response: listShape,
  errors: ['not_found'],
});

export const createMachineAlarmRule = endpoint({
  name: 'createMachineAlarmRule',
  method: 'POST',
  path: '/machines/{id}/alarm-rules',
  summary: 'Add an alarm rule to a machine; it fires once per roast',
  right: 'roast',
  status: 201,
  params: byId,
  body: alarmRuleBodyShape,
  response: alarmRuleShape,
  errors: ['not_found', 'conflict'],
});

export const updateMachineAlarmRule = endpoint({
  name: 'updateMachineAlarmRule',
  method: 'PUT',
  path: '/machines/{id}/alarm-rules/{rule_id}',
  summary: 'Change an alarm rule of a machine; in a running roast it applies from now on',
  right: 'roast',
  params: byRule,
  body: changeShape,
  response: alarmRuleShape,
  errors: ['not_found', 'changed_meanwhile'],
});

export const deleteMachineAlarmRule = endpoint({
  name: 'deleteMachineAlarmRule',
  method: 'DELETE',
  path: '/machines/{id}/alarm-rules/{rule_id}',
  summary: 'Delete an alarm rule of a machine; its alarms stay with their roasts',
  right: 'roast',
  params: byRule,
  response: messageShape,
  errors: ['not_found'],
});

export const listRecipeAlarmRules = endpoint({
  name: 'listRecipeAlarmRules',
  method: 'GET',
  path: '/profiles/{id}/alarm-rules',
  summary: 'Alarm rules of a recipe, oldest first: they apply to each roast that follows it',
  params: byId,
  response: listShape,
  errors: ['not_found'],
});

export const createRecipeAlarmRule = endpoint({
  name: 'createRecipeAlarmRule',
  method: 'POST',
  path: '/profiles/{id}/alarm-rules',
  summary: 'Add an alarm rule to a recipe; it fires once per roast',
  status: 201,
  params: byId,
  body: alarmRuleBodyShape,
  response: alarmRuleShape,
  errors: ['not_found', 'conflict'],
});

export const updateRecipeAlarmRule = endpoint({
  name: 'updateRecipeAlarmRule',
  method: 'PUT',
  path: '/profiles/{id}/alarm-rules/{rule_id}',
  summary: 'Change an alarm rule of a recipe; in a running roast it applies from now on',
  params: byRule,
  body: changeShape,
  response: alarmRuleShape,
  errors: ['not_found', 'changed_meanwhile'],
});

export const deleteRecipeAlarmRule = endpoint({
  name: 'deleteRecipeAlarmRule',
  method: 'DELETE',
  path: '/profiles/{id}/alarm-rules/{rule_id}',
  summary: 'Delete an alarm rule of a recipe; its alarms stay with their roasts',
  params: byRule,
  response: messageShape,
  errors: ['not_found'],
});
