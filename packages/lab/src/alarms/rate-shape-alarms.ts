import { createLiveRateOfRise, smoothRateOfRise } from '@roastery/roasting/curves/rate-of-rise';
import { createRateShape, type RateShapeLimits, type RateShapeName } from '@roastery/roasting/curves/rate-shape';
import { isReading } from '@roastery/roasting/curves/series';
import type { ForecastRoast } from '../forecast/past-roasts.ts';

/* Crashes and flicks of recorded roasts before first crack. The truth is computed from the whole curve without lag,
   so that an alarm, which only sees the past, is judged by an independent measure. */

/** Smoothing of the whole curve, s. */
const spanSeconds = 40;
const windowSeconds = 60;
/** A crash: the rate without lag falls by this within a minute, to this share; °C/min. */
const crashFall = 5;
const crashShare = 0.6;
/** A flick: it rises by this within a minute, °C/min. */
const flickRise = 3;
/** An alarm within this time of the event counts. */
const earlySeconds = 30;
const lateSeconds = 60;
const fromBeanC = 140;

export interface JudgedShape {
  readonly roast: ForecastRoast;
  readonly shape: RateShapeName;
  readonly happened: boolean;
  readonly fired: boolean;
  /** Fired without such an event. */
  readonly isFalse: boolean;
}

/** The end of the judged part: the crack, or a minute before the drop if none is marked. */
const endOf = ({ crackSeconds, dropSeconds }: ForecastRoast): number => crackSeconds ?? dropSeconds - 60;

/** The seconds at which a shape was present. */
const happenedAt = (roast: ForecastRoast, shape: RateShapeName): number[] => {
  const rates = smoothRateOfRise(roast.timesSeconds, roast.tempsC, { spanSeconds });
  const found: number[] = [];
  for (const [index, seconds] of roast.timesSeconds.entries()) {
    const rate = rates[index];
    const temp = roast.tempsC[index];
    if (seconds <= roast.turnSeconds || seconds > endOf(roast) || !isReading(rate) || !isReading(temp)) continue;
    if (temp < fromBeanC) continue;
    let [highest, lowest] = [rate, rate];
    for (let before = index; before >= 0; before--) {
      const [at, other, bean] = [roast.timesSeconds[before], rates[before], roast.tempsC[before]];
      if (at === undefined || at < seconds - windowSeconds || !isReading(bean) || bean < fromBeanC) break;
      if (!isReading(other)) continue;
      highest = Math.max(highest, other);
      lowest = Math.min(lowest, other);
    }
    const isThere =
      shape === 'crash' ? highest - rate >= crashFall && rate <= highest * crashShare : rate - lowest >= flickRise;
    if (isThere) found.push(seconds);
  }
  return found;
};

/** When the alarm fires with these limits; null when it does not. */
const firedAt = (roast: ForecastRoast, shape: RateShapeName, limits: RateShapeLimits): number | null => {
  const rate = createLiveRateOfRise();
  const watch = createRateShape(limits);
  for (const [index, seconds] of roast.timesSeconds.entries()) {
    if (seconds < 0 || seconds > endOf(roast)) continue;
    const temp = roast.tempsC[index] ?? null;
    const live = rate.push(seconds, temp);
    if (watch.push(seconds, live, temp, seconds > roast.turnSeconds) === shape) return seconds;
  }
  return null;
};

export const judgeShape = (
  roast: ForecastRoast,
  shape: RateShapeName,
  limits: RateShapeLimits,
  happened: readonly number[],
): JudgedShape => {
  const at = firedAt(roast, shape, limits);
  const isFalse =
    at !== null && !happened.some((seconds) => at >= seconds - earlySeconds && at <= seconds + lateSeconds);
  return { roast, shape, happened: happened.length > 0, fired: at !== null, isFalse };
};

/** Limits to choose from, the most sensitive first. */
export const limitsToChoose: Readonly<Record<RateShapeName, readonly RateShapeLimits[]>> = {
  crash: [3, 4, 5, 6, 7, 8, 10].map((fall) => ({
    crashFall: fall,
    crashShare: 0.6,
    flickRise: Number.POSITIVE_INFINITY,
  })),
  flick: [2, 3, 4, 5, 6, 7, 8, 10].map((rise) => ({
    crashFall: Number.POSITIVE_INFINITY,
    crashShare: 0,
    flickRise: rise,
  })),
};

/** At most this share of roasts may have a false alarm with the limits that are chosen. */
export const maxFalseShare = 0.02;

interface Prepared {
  readonly roast: ForecastRoast;
  readonly happened: readonly number[];
}

const chooseLimits = (shape: RateShapeName, training: readonly Prepared[]): RateShapeLimits | undefined =>
  limitsToChoose[shape].find((limits) => {
    const isFalse = training.filter(({ roast, happened }) => judgeShape(roast, shape, limits, happened).isFalse);
    return isFalse.length <= maxFalseShare * training.length;
  }) ?? limitsToChoose[shape].at(-1);

/** Every roast with limits that were chosen on the roasts of all other owners. */
export const judgeShapesHeldOut = (roasts: readonly ForecastRoast[], shape: RateShapeName): JudgedShape[] => {
  const prepared = roasts.map((roast) => ({ roast, happened: happenedAt(roast, shape) }));
  return [...new Set(roasts.map(({ owner }) => owner))].flatMap((owner) => {
    const limits = chooseLimits(
      shape,
      prepared.filter(({ roast }) => roast.owner !== owner),
    );
    if (limits === undefined) return [];
    return prepared
      .filter(({ roast }) => roast.owner === owner)
      .map(({ roast, happened }) => judgeShape(roast, shape, limits, happened));
  });
};

/** Every roast with the limits of the product. */
export const judgeShapes = (
  roasts: readonly ForecastRoast[],
  shape: RateShapeName,
  limits: RateShapeLimits,
): JudgedShape[] => roasts.map((roast) => judgeShape(roast, shape, limits, happenedAt(roast, shape)));
