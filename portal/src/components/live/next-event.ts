import type { PredictedCrack } from '@roastery/contract/roast-forecasts';
import type { RoastMark } from '@roastery/contract/roasts';
import type { CurveForecast } from '@roastery/roasting/forecast/curve-forecast';
import { crackRange } from '@roastery/roasting/forecast/first-crack';
import { formatRoasts } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';

/** When an event of the running roast is expected, seconds since charge. */
export interface ExpectedEvent {
  readonly kind: 'dry_end' | 'first_crack' | 'drop';
  readonly likely: number;
  /** Eight in ten real roasts were within these times. */
  readonly earliest: number;
  readonly latest: number;
}

export interface RoastNow {
  readonly elapsedSeconds: number | null;
  /** The forecast of the curve; null where none is possible. */
  readonly forecast: CurveForecast | null;
  readonly marks: readonly RoastMark[];
  /** The predicted temperature of first crack from past roasts; undefined while it loads. */
  readonly predictedCrack: PredictedCrack | undefined;
  /** Where the recipe drops; null without a recipe. */
  readonly dropC: number | null;
  /** Whether bands of first crack have held on this machine; otherwise only its temperature is named. */
  readonly mayTimeCrack: boolean;
  /** Whether a time of first crack is shown already. */
  readonly isCrackTimed: boolean;
}

/** Where the beans turn yellow, by the convention that the detector follows. */
const dryEndC = 150;
/** An event further ahead, or a wider band, is not shown. */
const maxSeconds = 240;
/**
 * A wider band of first crack is of no use: its temperature is shown instead of a time. A shown time stays up to the
 * second limit, so that it does not flicker.
 */
const crackBandSeconds = { shown: 60, kept: 75 };

interface Target {
  readonly kind: ExpectedEvent['kind'];
  readonly tempC: number;
  readonly spreadC: number;
}

/** The next event by temperature; that of first crack is predicted from past roasts. */
const targetOf = ({ marks, predictedCrack, dropC }: RoastNow): Target | null => {
  const has = (kind: RoastMark['kind']) => marks.some((mark) => mark.kind === kind);
  if (has('drop') || !has('turning_point')) return null;
  if (has('first_crack')) return dropC === null ? null : { kind: 'drop', tempC: dropC, spreadC: 0 };
  if (!has('dry_end')) return { kind: 'dry_end', tempC: dryEndC, spreadC: 0 };
  return predictedCrack === undefined
    ? null
    : { kind: 'first_crack', tempC: predictedCrack.temp, spreadC: predictedCrack.spread };
};

/** The next event and its time; null without a reliable prediction. */
export const expectNext = (now: RoastNow): ExpectedEvent | null => {
  const target = targetOf(now);
  const { elapsedSeconds, forecast } = now;
  if (target === null || elapsedSeconds === null) return null;
  if (target.kind === 'first_crack' && !now.mayTimeCrack) return null;
  const reached = forecast?.reaches(target.tempC, target.spreadC);
  if (!reached || reached.likelySeconds > maxSeconds) return null;
  const { shown, kept } = crackBandSeconds;
  const widest = target.kind !== 'first_crack' ? maxSeconds : now.isCrackTimed ? kept : shown;
  if (reached.latestSeconds - reached.soonestSeconds > widest) return null;
  return {
    kind: target.kind,
    likely: elapsedSeconds + reached.likelySeconds,
    earliest: elapsedSeconds + reached.soonestSeconds,
    latest: elapsedSeconds + reached.latestSeconds,
  };
};

/** Bean temperatures between which eight in ten roasts crack; null if first crack is not the next event. */
export interface CrackRange {
  readonly fromC: number;
  readonly toC: number;
}
export const expectCrackBetween = (now: RoastNow): CrackRange | null => {
  const target = targetOf(now);
  return target?.kind === 'first_crack' ? crackRange(target) : null;
};

/** In place of a forecast. */
export const unforeseenText = (): string => t`Not enough earlier roasts of this machine for a forecast yet`;

/** The roasts that a predicted first crack is based on. */
export const learntFrom = ({ source, roasts }: Pick<PredictedCrack, 'source' | 'roasts'>): string => {
  if (source === 'literature') return t`typical value: no first crack has been marked yet`;
  if (source === 'roastery') return t`from ${formatRoasts(roasts)} on other machines`;
  return {
    lot: t`from ${formatRoasts(roasts)} of this lot on this machine`,
    coffee: t`from ${formatRoasts(roasts)} of this coffee on this machine`,
    batch: t`from ${formatRoasts(roasts)} of about this batch size on this machine`,
    recipe: t`from ${formatRoasts(roasts)} with this recipe on this machine`,
    machine: t`from ${formatRoasts(roasts)} on this machine`,
  }[source];
};
