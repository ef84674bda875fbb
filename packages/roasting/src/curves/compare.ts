import { valueAt } from './series.ts';
import type { RoastCurve } from './phases.ts';

/** A curve and the time of its charge (or first crack) on its own axis, where two roasts are aligned. */
export interface AlignedCurve extends RoastCurve {
  readonly zeroSeconds: number;
  /** The end of the roast, usually its drop; the end of the curve when absent. */
  readonly endSeconds?: number;
}

export interface CurveDistance {
  /** Root of the mean squared difference of bean temperature, °C. */
  readonly rmsC: number;
  /** Largest difference, °C, and its time after charge. */
  readonly maxC: number;
  readonly maxAtSeconds: number;
  /** Seconds at which both roasts had a reading. */
  readonly comparedSeconds: number;
}

/**
 * The deviation of a roast's bean temperature from another's, second by second from `fromSeconds` after alignment to
 * the end of the shorter one. Seconds in which either has a gap do not count. Null when they share less than 30 s,
 * which is too little to compare.
 */
export function curveDistance(a: AlignedCurve, b: AlignedCurve, fromSeconds = 0): CurveDistance | null {
  const end = Math.min(lengthOf(a), lengthOf(b));
  let squares = 0;
  let comparedSeconds = 0;
  let maxC = 0;
  let maxAtSeconds = fromSeconds;
  for (let at = fromSeconds; at <= end; at++) {
    const left = valueAt(a.timesSeconds, a.beanTempC, a.zeroSeconds + at);
    const right = valueAt(b.timesSeconds, b.beanTempC, b.zeroSeconds + at);
    if (left === null || right === null) continue;
    const difference = Math.abs(left - right);
    squares += difference * difference;
    comparedSeconds++;
    if (difference > maxC) {
      maxC = difference;
      maxAtSeconds = at;
    }
  }
  if (comparedSeconds < 30) return null;
  return { rmsC: Math.sqrt(squares / comparedSeconds), maxC, maxAtSeconds, comparedSeconds };
}

function lengthOf(curve: AlignedCurve): number {
  const last = curve.endSeconds ?? curve.timesSeconds[curve.timesSeconds.length - 1] ?? curve.zeroSeconds;
  return last - curve.zeroSeconds;
}
