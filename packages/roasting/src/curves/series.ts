/** A reading, or null where the probe or the line gave none. */
export type Reading = number | null;

/**
 * Missing readings in a row that may be bridged for display and for rates; a longer run is a gap and stays one: no
 * reading is invented.
 */
export const bridgeableMissing = 3;

/** True for a number one can calculate with. */
export function isReading(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

/**
 * Indices of usable readings, split wherever more than {@link bridgeableMissing} readings in a row are missing. A
 * reading whose time does not follow the previous one is left out, since no rate can be computed across it.
 */
export function stretchesOf(timesSeconds: ArrayLike<number>, values: ArrayLike<Reading>): number[][] {
  const stretches: number[][] = [];
  let current: number[] = [];
  let missing = 0;
  let lastTime = Number.NEGATIVE_INFINITY;
  const length = Math.min(timesSeconds.length, values.length);
  for (let index = 0; index < length; index++) {
    const time = timesSeconds[index];
    if (!isReading(values[index]) || !isReading(time)) {
      missing++;
      continue;
    }
    if (time <= lastTime) continue;
    if (missing > bridgeableMissing && current.length > 0) {
      stretches.push(current);
      current = [];
    }
    missing = 0;
    lastTime = time;
    current.push(index);
  }
  if (current.length > 0) stretches.push(current);
  return stretches;
}

/**
 * Value at a time by linear interpolation between the readings around it; null outside the series or inside a gap
 * longer than `maxGapSeconds`. Times must rise.
 */
export function valueAt(
  timesSeconds: ArrayLike<number>,
  values: ArrayLike<Reading>,
  atSeconds: number,
  maxGapSeconds = 10,
): Reading {
  let low = 0;
  let high = timesSeconds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesSeconds[middle] ?? Number.POSITIVE_INFINITY) <= atSeconds) low = middle + 1;
    else high = middle;
  }
  let left = low - 1;
  while (left >= 0 && !isReading(values[left])) left--;
  let right = low;
  while (right < timesSeconds.length && !isReading(values[right])) right++;
  const leftTime = timesSeconds[left];
  const leftValue = values[left];
  if (leftTime === undefined || !isReading(leftValue)) return null;
  if (leftTime === atSeconds) return leftValue;
  const rightTime = timesSeconds[right];
  const rightValue = values[right];
  if (rightTime === undefined || !isReading(rightValue) || rightTime - leftTime > maxGapSeconds) return null;
  return leftValue + ((rightValue - leftValue) * (atSeconds - leftTime)) / (rightTime - leftTime);
}

/** Indices of the longest strictly rising run of times, in O(n log n). */
export function risingIndices(times: readonly number[]): number[] {
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [index, time] of times.entries()) {
    if (!Number.isFinite(time)) continue;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[tails[middle] ?? 0] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  }
  const rising: number[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) rising.push(index);
  return rising.reverse();
}

/** The median of the readings; the mean of both middle ones of an even number. Null without a reading. */
export function medianOf(values: readonly Reading[]): number | null {
  const sorted = values.filter(isReading).sort((a, b) => a - b);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return lower === undefined || upper === undefined ? null : (lower + upper) / 2;
}
