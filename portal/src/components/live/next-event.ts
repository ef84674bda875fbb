import type { LearntCrack, RoastMark } from '@roastery/contract/roasts';
import { expectCrack } from '@roastery/roasting/first-crack';
import { secondsTo } from '@roastery/roasting/rate-of-rise';
import { formatRoasts } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';

/** When an event of the running roast is to be expected, seconds since charge. */
export interface ExpectedEvent {
  readonly kind: 'dry_end' | 'first_crack' | 'drop';
  readonly likely: number;
  /** Eight of ten real roasts came within these. */
  readonly earliest: number;
  readonly latest: number;
}

export interface RoastNow {
  readonly elapsedSeconds: number | null;
  readonly beanC: number | null;
  readonly rateC: number | null;
  readonly marks: readonly RoastMark[];
  /** The predicted temperature of first crack from past roasts; undefined while it loads. */
  readonly learntCrack: LearntCrack | undefined;
  /** Where the recipe drops; null without a recipe. */
  readonly dropC: number | null;
}

/** Where the beans turn yellow, by the convention that the detector follows. */
const dryEndC = 150;

/**
 * How long it really took over what a straight line said, in 18 recorded roasts with lines of up to 240 s: the median, and
 * bounds that hold eight of ten (the test counts them). The rate of rise falls, so most come later; beyond 240 s a line
 * says nothing.
 */
const overLine = { sooner: 0.8, median: 1.12, later: 1.7 };
const longestLineSeconds = 240;

/** The next event by temperature; first crack is predicted from past roasts. */
const targetOf = (now: RoastNow): { kind: 'dry_end' | 'drop'; targetC: number } | 'first_crack' | null => {
  const has = (kind: RoastMark['kind']) => now.marks.some((mark) => mark.kind === kind);
  if (has('drop') || !has('turning_point')) return null;
  if (has('first_crack')) return now.dropC === null ? null : { kind: 'drop', targetC: now.dropC };
  return has('dry_end') ? 'first_crack' : { kind: 'dry_end', targetC: dryEndC };
};

/** The next event and its time; null without a reliable prediction. */
export const expectNext = (now: RoastNow): ExpectedEvent | null => {
  const target = targetOf(now);
  const { elapsedSeconds } = now;
  if (target === null || elapsedSeconds === null) return null;
  if (target === 'first_crack') {
    const { learntCrack } = now;
    if (learntCrack === undefined) return null;
    const crack = expectCrack({ tempC: learntCrack.temp, spreadC: learntCrack.spread }, now.beanC, now.rateC);
    return (
      crack && {
        kind: 'first_crack',
        likely: elapsedSeconds + crack.likelySeconds,
        earliest: elapsedSeconds + crack.soonestSeconds,
        latest: elapsedSeconds + crack.latestSeconds,
      }
    );
  }
  const line = secondsTo(target.targetC, now.beanC, now.rateC);
  // Past its temperature without the mark: a line to what lies behind says nothing.
  if (line === null || line === 0 || line > longestLineSeconds) return null;
  return {
    kind: target.kind,
    likely: elapsedSeconds + line * overLine.median,
    earliest: elapsedSeconds + line * overLine.sooner,
    latest: elapsedSeconds + line * overLine.later,
  };
};

/** The roasts that a predicted first crack is based on. */
export const learntFrom = ({ source, roasts }: Pick<LearntCrack, 'source' | 'roasts'>): string => {
  if (source === 'literature') return t`typical value: no first crack has been marked yet`;
  if (source === 'roastery') return t`from ${formatRoasts(roasts)} on other machines`;
  return {
    lot: t`from ${formatRoasts(roasts)} of this lot on this machine`,
    coffee: t`from ${formatRoasts(roasts)} of this coffee on this machine`,
    recipe: t`from ${formatRoasts(roasts)} with this recipe on this machine`,
    machine: t`from ${formatRoasts(roasts)} on this machine`,
  }[source];
};
