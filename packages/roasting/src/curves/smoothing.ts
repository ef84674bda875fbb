import { isReading, type Reading } from './series.ts';

/** Mean over an odd number of readings, centred. Missing readings stay missing and are not counted. */
export function movingAverage(values: ArrayLike<Reading>, width = 5): Reading[] {
  const half = halfOf(width);
  const means: Reading[] = [];
  // No list per reading: this runs over every sample of a roast.
  for (let index = 0; index < values.length; index++) {
    let sum = 0;
    let present = 0;
    const end = Math.min(values.length - 1, index + half);
    for (let at = Math.max(0, index - half); at <= end; at++) {
      const value = values[at];
      if (!isReading(value)) continue;
      sum += value;
      present += 1;
    }
    means.push(isReading(values[index]) ? sum / present : null);
  }
  return means;
}

function halfOf(width: number): number {
  if (!Number.isInteger(width) || width < 1 || width % 2 === 0) {
    throw new RangeError(`a centred window needs an odd number of readings, not ${width}`);
  }
  return (width - 1) / 2;
}
