import { isReading, type Reading } from './series.ts';

/**
 * Running median over an odd number of readings. Removes single spikes and keeps edges in place. Missing readings stay
 * missing and do not count in a neighbour's window, which shrinks at the ends.
 */
export function medianFilter(values: ArrayLike<Reading>, width = 5): Reading[] {
  const half = halfOf(width);
  return windowed(values, half, (window) => {
    const sorted = window.filter(isReading).sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    const upper = sorted[middle];
    if (upper === undefined) return null;
    return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
  });
}

/**
 * Smoothing with a Hanning window over an odd number of readings, centred and therefore without lag. Missing readings
 * stay missing; the weights of the others are scaled to 1.
 */
export function hanning(values: ArrayLike<Reading>, width = 11): Reading[] {
  const half = halfOf(width);
  // sin² over width + 2 points, without the two zeros at its ends, so that every reading in the window counts.
  const weights = Array.from({ length: width }, (_, k) => Math.sin((Math.PI * (k + 1)) / (width + 1)) ** 2);
  return windowed(values, half, (window) => {
    let sum = 0;
    let weight = 0;
    for (const [k, value] of window.entries()) {
      if (!isReading(value)) continue;
      sum += value * (weights[k] ?? 0);
      weight += weights[k] ?? 0;
    }
    return weight > 0 ? sum / weight : null;
  });
}

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

function windowed(values: ArrayLike<Reading>, half: number, reduce: (window: Reading[]) => Reading): Reading[] {
  return Array.from({ length: values.length }, (_, index) => {
    if (!isReading(values[index])) return null;
    const window: Reading[] = [];
    for (let at = index - half; at <= index + half; at++) window.push(values[at] ?? null);
    return reduce(window);
  });
}
