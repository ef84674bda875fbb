import type { CurveBand } from '@roastery/contract/analytics';
import { isReading, type Reading, valueAt } from '@roastery/roasting/curves/series';
import type { AlignedCurve } from '@roastery/roasting/curves/compare';

/** More points than this are not visible in a chart. */
const stepSeconds = 5;

/** The value below which a share of the sorted numbers lies, interpolated between neighbours. */
const quantile = (sorted: readonly number[], share: number): number => {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[below + 1] ?? low;
  return low + (high - low) * (place - below);
};

const readingsAt = (curves: readonly SecondCurve[], second: number): number[] =>
  curves
    .map((curve) => curve[second])
    .filter(isReading)
    .sort((a, b) => a - b);

/** The resolution of probes is a tenth of a degree. */
const rounded = (value: number): number => Math.round(value * 10) / 10;

/** The median curve, as far as half of the curves reach. */
export const middleCurve = (curves: readonly SecondCurve[]): SecondCurve => {
  const length = Math.max(0, ...curves.map((curve) => curve.length));
  const middle = Array.from({ length }, (_, second) => {
    const readings = readingsAt(curves, second);
    return readings.length * 2 < curves.length ? null : quantile(readings, 0.5);
  });
  return middle.slice(0, middle.findLastIndex(isReading) + 1);
};

/** The temperatures between which four in five curves lie, with the reference, every five seconds. */
export const curveBand = (curves: readonly SecondCurve[], reference: SecondCurve): CurveBand => {
  const band: CurveBand = { time_seconds: [], reference: [], low: [], middle: [], high: [] };
  const end = Math.max(reference.length, middleCurve(curves).length) - 1;
  for (let second = 0; second <= end; second += stepSeconds) {
    const readings = readingsAt(curves, second);
    const enough = readings.length > 0 && readings.length * 2 >= curves.length;
    const at = (share: number) => (enough ? rounded(quantile(readings, share)) : null);
    const own = reference[second];
    band.time_seconds.push(second);
    band.reference.push(isReading(own) ? rounded(own) : null);
    band.low.push(at(0.1));
    band.middle.push(at(0.5));
    band.high.push(at(0.9));
  }
  return band;
};

/** Bean temperature, °C, at every full second after charge; null in a gap. */
export type SecondCurve = readonly Reading[];

/** Longer than any roast: a roast without a drop continues for as long as the board was read. */
const maxSeconds = 3600;

/** A recorded curve, seconds after charge, resampled to one reading a second, so that curves can be compared. */
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
