import { valueAt, type Reading } from '@roastery/roasting/series';
import type { AlignedCurve } from '@roastery/roasting/compare';

/** Bean temperature, °C, at every full second after charge; null in a gap. */
export type SecondCurve = readonly Reading[];

/** Longer than any roast: a roast that was never dropped goes on for as long as the board was read. */
const maxSeconds = 3600;

/** A recorded curve, seconds after charge, brought to one reading a second, so that curves can be laid over each other. */
export const secondCurve = (timeSeconds: readonly number[], beanTempC: readonly Reading[]): SecondCurve => {
  const end = Math.min(maxSeconds, Math.floor(timeSeconds.at(-1) ?? -1));
  return Array.from({ length: end + 1 }, (_, second) => valueAt(timeSeconds, beanTempC, second));
};

const secondsAxis = Array.from({ length: maxSeconds + 1 }, (_, second) => second);

export const alignedCurve = (curve: SecondCurve): AlignedCurve => ({
  timesSeconds: secondsAxis,
  beanTempC: curve,
  zeroSeconds: 0,
  endSeconds: curve.length - 1,
});
