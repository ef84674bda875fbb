import { createFrozenWatch, type ChannelReadings, type FrozenChange } from './curves/frozen-values.ts';
import { markOf, type Mark, type MarkKind } from './marks.ts';
import { phaseAt, type PhaseName } from './curves/phases.ts';
import { createLiveRateOfRise } from './curves/rate-of-rise.ts';
import { createRateShape } from './curves/rate-shape.ts';
import { isReading, type Reading } from './curves/series.ts';

export const alarmSides = ['above', 'below'] as const;
export type AlarmSide = (typeof alarmSides)[number];

/** What raises an alarm, as stored and sent. */
export type AlarmCondition =
  | { readonly kind: 'time'; readonly after: MarkKind; readonly seconds: number }
  | {
      readonly kind: 'temperature';
      readonly channel: 'bean_temp' | 'exhaust_temp';
      readonly side: AlarmSide;
      readonly temp_c: number;
    }
  | { readonly kind: 'rate_of_rise'; readonly side: AlarmSide; readonly c_per_minute: number }
  | { readonly kind: 'reference_distance'; readonly side: AlarmSide; readonly distance_c: number }
  | { readonly kind: 'phase_share'; readonly phase: PhaseName; readonly percent: number }
  | { readonly kind: 'channel_silent'; readonly channel: string; readonly seconds: number }
  | { readonly kind: 'channel_frozen'; readonly channel: string; readonly seconds: number }
  | { readonly kind: 'rate_crash' }
  | { readonly kind: 'rate_flick' };

export interface WatchedRule {
  readonly id: string;
  readonly condition: AlarmCondition;
  readonly armedAfter: MarkKind;
  /** The time, in seconds since charge, from which a rule applies that was added or changed during the roast. */
  readonly fromSeconds: number;
}

/**
 * Facts about a roast besides its samples; they may change from one sample to the next. Times are seconds since charge.
 */
export interface AlarmContext {
  readonly marks: readonly Pick<Mark, 'kind' | 'timeSeconds'>[];
  readonly rules: readonly WatchedRule[];
  /** Bean temperature of the reference at a time; null where it has none. */
  readonly referenceAt: (seconds: number) => Reading;
}

export type AlarmFinding =
  | {
      readonly kind: 'rule';
      readonly ruleId: string;
      readonly atSeconds: number;
      /**
       * The fault of the machine that the rule covers: `silent` (the board), `silent bean_temp`, `frozen bean_temp`;
       * else null.
       */
      readonly fault: string | null;
    }
  | ({ readonly kind: 'frozen'; readonly atSeconds: number } & FrozenChange);

export interface AlarmWatch {
  /** Adds the next sample, in order of time. Each rule is fulfilled at most once. */
  push(seconds: number, values: ChannelReadings, context: AlarmContext): AlarmFinding[];
  /** No sample has arrived until this time: only rules about a silent channel are evaluated. */
  pushSilence(seconds: number, context: AlarmContext): AlarmFinding[];
}

/** A time that passed before its rule was added, or before its mark was known, still counts for this long. */
const lateTimeSeconds = 30;
/**
 * A fall of the bean temperature by this much within this time, after the turning point, may be the drop. Conditions
 * that a drop fulfils wait this long for its mark; without one, the beans are cooling.
 */
const dropFallC = 0.5;
const dropFallSeconds = 5;
const dropHoldSeconds = 20;

/** A silent board is one fault, whichever channel a rule names. */
const faultOf = (condition: AlarmCondition, isBoardSilent: boolean): string | null => {
  if (condition.kind === 'channel_frozen') return `frozen ${condition.channel}`;
  if (condition.kind !== 'channel_silent') return null;
  return isBoardSilent ? 'silent' : `silent ${condition.channel}`;
};

const lies = (value: Reading | undefined, side: AlarmSide, limit: number): boolean =>
  isReading(value) && (side === 'above' ? value > limit : value < limit);

interface Moment {
  readonly seconds: number;
  /** Of the previous sample; null for the first one. */
  readonly before: number | null;
  readonly values: ChannelReadings;
  readonly rate: Reading;
  readonly shape: 'crash' | 'flick' | null;
  readonly isDropping: boolean;
}

const isArmed = ({ armedAfter, fromSeconds }: WatchedRule, seconds: number, { marks }: AlarmContext): boolean => {
  if (seconds < fromSeconds) return false;
  const armedAt = armedAfter === 'charge' ? 0 : markOf(marks, armedAfter)?.timeSeconds;
  return armedAt !== undefined && armedAt <= seconds;
};

/** Follows the samples of one roast from its charge and returns the fulfilled rules and the frozen temperatures. */
export function createAlarmWatch(): AlarmWatch {
  const frozen = createFrozenWatch();
  const rate = createLiveRateOfRise();
  const shape = createRateShape();
  const fired = new Set<string>();
  const heard = new Map<string, number>();
  let recent: { seconds: number; temp: number }[] = [];
  let fall: { readonly since: number; readonly until: number } | null = null;
  let before: number | null = null;
  let first: number | null = null;

  const isFalling = (seconds: number, temp: Reading | undefined): boolean => {
    if (isReading(temp)) recent.push({ seconds, temp });
    recent = recent.filter((one) => one.seconds >= seconds - dropFallSeconds);
    const newest = recent.at(-1)?.temp;
    return newest !== undefined && recent.some((one) => one.temp - newest >= dropFallC);
  };

  const silentSeconds = (channel: string, seconds: number): number =>
    seconds - (heard.get(channel) ?? first ?? seconds);

  const isMet = (condition: AlarmCondition, moment: Moment, { marks, referenceAt }: AlarmContext): boolean => {
    const { seconds, values } = moment;
    switch (condition.kind) {
      case 'time': {
        const from = condition.after === 'charge' ? 0 : markOf(marks, condition.after)?.timeSeconds;
        const due = from === undefined ? Number.POSITIVE_INFINITY : from + condition.seconds;
        const isNew = (moment.before !== null && moment.before < due) || seconds - due <= lateTimeSeconds;
        return seconds >= due && isNew;
      }
      case 'temperature':
        if (condition.side === 'below' && moment.isDropping) return false;
        return lies(values[condition.channel], condition.side, condition.temp_c);
      case 'rate_of_rise':
        if (condition.side === 'below' && moment.isDropping) return false;
        return lies(moment.rate, condition.side, condition.c_per_minute);
      case 'reference_distance': {
        const [bean, reference] = [values['bean_temp'], referenceAt(seconds)];
        if (!isReading(bean) || !isReading(reference) || moment.isDropping) return false;
        return (condition.side === 'above' ? bean - reference : reference - bean) > condition.distance_c;
      }
      case 'phase_share': {
        const phase = phaseAt(marks, seconds);
        return phase?.name === condition.phase && phase.share * 100 >= condition.percent;
      }
      case 'channel_silent':
        return silentSeconds(condition.channel, seconds) >= condition.seconds;
      case 'channel_frozen': {
        const held = frozen.heldSeconds(condition.channel, seconds);
        return held !== null && isReading(values[condition.channel]) && held >= condition.seconds;
      }
      case 'rate_crash':
      case 'rate_flick':
        break;
    }
    return !moment.isDropping && condition.kind === `rate_${moment.shape}`;
  };

  const findRules = (moment: Moment, context: AlarmContext, isBoardSilent = false): AlarmFinding[] =>
    context.rules.flatMap((rule) => {
      const { id: ruleId, condition } = rule;
      if (isBoardSilent && condition.kind !== 'channel_silent') return [];
      if (fired.has(ruleId) || !isArmed(rule, moment.seconds, context)) return [];
      if (!isMet(condition, moment, context)) return [];
      fired.add(ruleId);
      return [{ kind: 'rule', ruleId, atSeconds: moment.seconds, fault: faultOf(condition, isBoardSilent) }];
    });

  return {
    push(seconds, values, context) {
      if (before !== null && seconds <= before) return [];
      const bean = values['bean_temp'] ?? null;
      const slope = rate.push(seconds, bean);
      const hasTurned = markOf(context.marks, 'turning_point') !== undefined;
      const crack = markOf(context.marks, 'first_crack')?.timeSeconds;
      if (isFalling(seconds, bean) && hasTurned) fall = { since: fall?.since ?? seconds, until: seconds };
      else if (fall !== null && seconds - fall.until > dropHoldSeconds) fall = null;
      for (const [channel, value] of Object.entries(values)) if (isReading(value)) heard.set(channel, seconds);
      first ??= seconds;
      const changes = frozen.push(seconds, values);
      const found = findRules(
        {
          seconds,
          before,
          values,
          rate: slope,
          shape: shape.push(seconds, slope, bean, crack === undefined || crack > seconds),
          isDropping: fall !== null && seconds - fall.since <= dropHoldSeconds,
        },
        context,
      );
      before = seconds;
      return [...changes.map((change) => ({ kind: 'frozen' as const, atSeconds: seconds, ...change })), ...found];
    },
    pushSilence: (seconds, context) =>
      findRules({ seconds, before, values: {}, rate: null, shape: null, isDropping: false }, context, true),
  };
}
