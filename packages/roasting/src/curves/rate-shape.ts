import { isReading, type Reading } from './series.ts';

/** Limits of a crash and a flick of the rate of rise, °C/min. */
export interface RateShapeLimits {
  /** The rate falls by this much below its highest of the window … */
  readonly crashFall: number;
  /** … and below this share of it. */
  readonly crashShare: number;
  /** The rate rises by this much above its lowest of the window. */
  readonly flickRise: number;
}

/**
 * The most sensitive limits that raise a false alarm in at most one of the 59 recorded roasts; `npm run bench --
 * alarms` judges each roast by limits that were chosen without its owner.
 */
export const rateShapeLimits: RateShapeLimits = { crashFall: 8, crashShare: 0.6, flickRise: 7 };

/** Applies from this bean temperature, °C: below it the rate has not settled yet. */
const fromBeanC = 140;
const windowSeconds = 45;
/** One rate per second is enough for a curve that is smoothed over 20 s. */
const stepSeconds = 1;

export type RateShapeName = 'crash' | 'flick';

export interface RateShape {
  /** Adds the live rate of rise at a time; returns the shape of the last 45 s. */
  push(seconds: number, rate: Reading, beanC: Reading, isBeforeCrack: boolean): RateShapeName | null;
}

/** A rate of rise that crashes or flicks between 140 °C and first crack, as far as it can be seen live. */
export function createRateShape(limits: RateShapeLimits = rateShapeLimits): RateShape {
  let recent: { seconds: number; rate: number }[] = [];
  return {
    push(seconds, rate, beanC, isBeforeCrack) {
      if (!isBeforeCrack || !isReading(rate) || !isReading(beanC) || beanC < fromBeanC) {
        recent = [];
        return null;
      }
      if (seconds - (recent.at(-1)?.seconds ?? Number.NEGATIVE_INFINITY) < stepSeconds) return null;
      recent = recent.filter((one) => one.seconds >= seconds - windowSeconds);
      recent.push({ seconds, rate });
      const rates = recent.map((one) => one.rate);
      const [highest, lowest] = [Math.max(...rates), Math.min(...rates)];
      if (highest - rate >= limits.crashFall && rate <= highest * limits.crashShare) return 'crash';
      return rate - lowest >= limits.flickRise ? 'flick' : null;
    },
  };
}
