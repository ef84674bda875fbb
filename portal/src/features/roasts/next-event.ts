import type { RoastMark } from '@roastery/contract/roasts';
import { secondsTo } from '@roastery/roasting/rate-of-rise';

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
  /** Bean temperatures at first crack of this machine's past roasts; too few say nothing. */
  readonly pastCracksC: readonly number[];
  /** Where the recipe drops; null without a recipe. */
  readonly dropC: number | null;
}

/** Where the beans turn yellow, by the convention that the detector follows. */
const dryEndC = 150;
/** Fewer past cracks have no spread to go by. */
const leastCracks = 3;

/**
 * How long it really took over what a straight line said, in 18 recorded roasts with lines of up to 240 s: the median, and
 * bounds that hold eight of ten (the test counts them). The rate of rise falls, so most come later; beyond 240 s a line
 * says nothing.
 */
const overLine = { sooner: 0.8, median: 1.12, later: 1.7 };
const longestLineSeconds = 240;

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;

/** The temperatures between which the next event lies. */
const targetOf = (
  now: RoastNow,
): (Pick<ExpectedEvent, 'kind'> & { lowC: number; midC: number; highC: number }) | null => {
  const has = (kind: RoastMark['kind']) => now.marks.some((mark) => mark.kind === kind);
  if (has('drop') || !has('turning_point')) return null;
  if (has('first_crack')) {
    return now.dropC === null ? null : { kind: 'drop', lowC: now.dropC, midC: now.dropC, highC: now.dropC };
  }
  if (!has('dry_end')) return { kind: 'dry_end', lowC: dryEndC, midC: dryEndC, highC: dryEndC };
  if (now.pastCracksC.length < leastCracks) return null;
  const sorted = now.pastCracksC.toSorted((a, b) => a - b);
  const [lowC, midC, highC] = [quantile(sorted, 0.1), quantile(sorted, 0.5), quantile(sorted, 0.9)];
  return { kind: 'first_crack', lowC, midC, highC };
};

/** What comes next and when; null where nothing honest can be said. */
export const expectNext = (now: RoastNow): ExpectedEvent | null => {
  const target = targetOf(now);
  if (target === null || now.elapsedSeconds === null) return null;
  const line = (targetC: number) => secondsTo(targetC, now.beanC, now.rateC);
  const [low, middle, high] = [line(target.lowC), line(target.midC), line(target.highC)];
  if (low === null || middle === null || high === null || middle > longestLineSeconds) return null;
  // Past its temperature without the mark: a line to what lies behind says nothing.
  if (high === 0) return null;
  return {
    kind: target.kind,
    likely: now.elapsedSeconds + middle * overLine.median,
    earliest: now.elapsedSeconds + low * overLine.sooner,
    latest: now.elapsedSeconds + high * overLine.later,
  };
};
