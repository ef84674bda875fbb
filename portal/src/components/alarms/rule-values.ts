import {
  alarmConditionShape,
  alarmRuleBodyShape,
  armingMarks,
  type AlarmRule,
  type AlarmRuleBody,
} from '@roastery/contract/alarm-rules';
import type { AlarmColour } from '@roastery/contract/alarms';
import { parseShape, type Refusal } from '@roastery/contract/parse-shape';
import type { AlarmCondition, AlarmSide } from '@roastery/roasting/alarm-rules';
import type { MarkKind } from '@roastery/roasting/marks';
import type { PhaseName } from '@roastery/roasting/curves/phases';
import { fToC, formatDuration, parseDuration, rateFToC } from '@roastery/roasting/units';
import type { Resolver } from 'react-hook-form';
import { formatNumber } from '../../format/numbers.ts';
import { inUnitsOf, unitOf, type Quantity, type Units } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';

/** The kinds with a figure; the ready-made ones have none. */
export type FormKind = Exclude<AlarmCondition['kind'], 'rate_crash' | 'rate_flick'>;

/** A rule as it is typed: the figure in the person's units. */
export interface RuleValues {
  readonly kind: FormKind;
  readonly side: AlarmSide;
  readonly channel: string;
  readonly after: MarkKind;
  readonly phase: PhaseName;
  readonly figure: string;
  readonly armedAfter: (typeof armingMarks)[number];
  readonly message: string;
  readonly colour: AlarmColour;
  readonly sound: boolean;
  readonly push: boolean;
}

export const emptyRule: RuleValues = {
  kind: 'temperature',
  side: 'above',
  channel: 'bean_temp',
  after: 'charge',
  phase: 'development',
  figure: '',
  armedAfter: 'turning_point',
  message: '',
  colour: 'amber',
  sound: true,
  push: false,
};

/** The type of a kind's figure: a time, seconds, or a number in the unit of a quantity. */
export const figureOf = (kind: FormKind): Quantity | 'time' | 'seconds' | 'difference' => {
  const kinds = {
    time: 'time',
    temperature: 'temperature',
    rate_of_rise: 'rate',
    reference_distance: 'difference',
    phase_share: 'percent',
    channel_silent: 'seconds',
    channel_frozen: 'seconds',
  } as const;
  return kinds[kind];
};

/** A time or a phase is armed by its own start. */
export const isArmedByItself = (kind: FormKind): boolean => kind === 'time' || kind === 'phase_share';

/** A difference of temperatures converts by 1.8, without the offset of 32. */
export const differenceIn = (c: number, units: Units): number => (units.temperature_unit === 'F' ? c * 1.8 : c);

/** By the fields of a condition that are in °C. */
const limitQuantities: Readonly<Record<string, (c: number, units: Units) => { value: number; unit: string }>> = {
  temp_c: (c, units) => ({ value: inUnitsOf('temperature', c, units), unit: unitOf('temperature', units) }),
  c_per_minute: (c, units) => ({ value: inUnitsOf('rate', c, units), unit: unitOf('rate', units) }),
  distance_c: (c, units) => ({ value: differenceIn(c, units), unit: unitOf('temperature', units) }),
};

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

const figureText = (condition: AlarmCondition, units: Units): string => {
  switch (condition.kind) {
    case 'time':
      return formatDuration(condition.seconds);
    case 'temperature':
      return rounded(inUnitsOf('temperature', condition.temp_c, units));
    case 'rate_of_rise':
      return rounded(inUnitsOf('rate', condition.c_per_minute, units));
    case 'reference_distance':
      return rounded(differenceIn(condition.distance_c, units));
    case 'phase_share':
      return rounded(condition.percent);
    case 'channel_silent':
    case 'channel_frozen':
      return rounded(condition.seconds);
    case 'rate_crash':
    case 'rate_flick':
      break;
  }
  return '';
};

/** What the form shows of a stored rule. */
export const valuesOfRule = (
  { condition, armed_after, message, colour, sound, push }: AlarmRule,
  units: Units,
): RuleValues => {
  const { kind } = condition;
  const armedAfter = armingMarks.find((mark) => mark === armed_after) ?? 'charge';
  return {
    ...emptyRule,
    kind: kind === 'rate_crash' || kind === 'rate_flick' ? 'rate_of_rise' : kind,
    ...('side' in condition && { side: condition.side }),
    ...('channel' in condition && { channel: condition.channel }),
    ...('after' in condition && { after: condition.after }),
    ...('phase' in condition && { phase: condition.phase }),
    figure: figureText(condition, units),
    armedAfter,
    message,
    colour,
    sound,
    push,
  };
};

const storedFigure = ({ kind, figure }: RuleValues, units: Units): number => {
  const typed = figureOf(kind) === 'time' ? (parseDuration(figure) ?? Number.NaN) : Number.parseFloat(figure);
  const isFahrenheit = units.temperature_unit === 'F';
  if (kind === 'temperature') return isFahrenheit ? fToC(typed) : typed;
  if (kind === 'reference_distance') return isFahrenheit ? typed / 1.8 : typed;
  if (kind !== 'rate_of_rise') return typed;
  const perMinute = units.rate_unit === 'per_minute' ? typed : typed * 2;
  return isFahrenheit ? rateFToC(perMinute) : perMinute;
};

const conditionOf = (values: RuleValues, units: Units): object => {
  const { kind, side, channel, after, phase } = values;
  const figure = storedFigure(values, units);
  const forms = {
    time: { after, seconds: figure },
    temperature: { channel, side, temp_c: figure },
    rate_of_rise: { side, c_per_minute: figure },
    reference_distance: { side, distance_c: figure },
    phase_share: { phase, percent: figure },
    channel_silent: { channel, seconds: figure },
    channel_frozen: { channel, seconds: figure },
  } as const;
  return { kind, ...forms[kind] };
};

/**
 * The error of a figure. The sentences of the contract have its limits in °C: a limit of a temperature is formatted
 * again from its number, in the person's units.
 */
const problemWith = (refusal: Refusal, units: Units): string => {
  const [issue] = refusal.issues;
  const limit = issue?.code === 'too_big' ? issue.maximum : issue?.code === 'too_small' ? issue.minimum : undefined;
  const inUnits = limitQuantities[String(issue?.path.at(-1))];
  if (issue === undefined || limit === undefined || inUnits === undefined) return issue?.message ?? t`Enter a number`;
  const { value, unit } = inUnits(Number(limit), units);
  const text = `${formatNumber(value, Number.isInteger(value) ? 0 : 1)} ${unit}`;
  return issue.code === 'too_big' ? t`Use ${text} or less` : t`Use ${text} or more`;
};

type ReadRule =
  | { readonly ok: true; readonly body: AlarmRuleBody }
  | { readonly ok: false; readonly figure?: string; readonly message?: string };

/** The rule to save, or the error of its figure or its message. */
export const readRule = (values: RuleValues, units: Units): ReadRule => {
  const condition = parseShape(alarmConditionShape, conditionOf(values, units));
  const armed_after = isArmedByItself(values.kind) ? 'charge' : values.armedAfter;
  const { message, colour, sound, push } = values;
  const body = parseShape(alarmRuleBodyShape, { condition: condition.data, armed_after, message, colour, sound, push });
  if (body.success && condition.success) return { ok: true, body: body.data };
  return {
    ok: false,
    ...(!condition.success && { figure: problemWith(condition, units) }),
    ...(message.trim() === '' && { message: t`Enter a message` }),
  };
};

export const ruleResolver =
  (units: Units): Resolver<RuleValues, unknown, AlarmRuleBody> =>
  (values) => {
    const read = readRule(values, units);
    if (read.ok) return { values: read.body, errors: {} };
    const { figure, message } = read;
    return {
      values: {},
      errors: {
        ...(figure !== undefined && { figure: { type: 'figure', message: figure } }),
        ...(message !== undefined && { message: { type: 'required', message } }),
      },
    };
  };
