import type { TrustedReading } from './reading-filter.ts';

/** Readings between two times, both included. */
export function within(readings: readonly TrustedReading[], fromSeconds: number, toSeconds: number): TrustedReading[] {
  return readings.filter(({ timeSeconds }) => timeSeconds >= fromSeconds && timeSeconds <= toSeconds);
}

/** Readings of the last seconds with data: a gap of up to a minute counts as one step. */
export function lastWatched(readings: readonly TrustedReading[], watchedSeconds: number): TrustedReading[] {
  let watched = 0;
  let from = readings.length - 1;
  for (; from > 0; from--) {
    const step = (readings[from]?.timeSeconds ?? 0) - (readings[from - 1]?.timeSeconds ?? 0);
    if (step > maxSilenceSeconds) break;
    watched += step > silenceSeconds ? silenceSeconds : step;
    if (watched > watchedSeconds) break;
  }
  return readings.slice(Math.max(0, from));
}

/** Readings further apart than this have a gap between them. */
export const silenceSeconds = 6;
const maxSilenceSeconds = 60;

export function highest(readings: readonly TrustedReading[]): TrustedReading | undefined {
  return readings.reduce<TrustedReading | undefined>(
    (high, reading) => (high && high.tempC > reading.tempC ? high : reading),
    undefined,
  );
}

/** The first of the lowest. */
export function lowestOf(readings: readonly TrustedReading[]): TrustedReading | undefined {
  return readings.reduce<TrustedReading | undefined>(
    (low, reading) => (low && low.tempC <= reading.tempC ? low : reading),
    undefined,
  );
}

/**
 * The first of the lowest readings since a time. No list is built, because it runs at every sample of an idle machine.
 */
export function lowestSince(readings: readonly TrustedReading[], fromSeconds: number): TrustedReading | undefined {
  let lowest: TrustedReading | undefined;
  for (let at = readings.length - 1; at >= 0; at--) {
    const reading = readings[at];
    if (!reading || reading.timeSeconds < fromSeconds) break;
    if (!lowest || reading.tempC <= lowest.tempC) lowest = reading;
  }
  return lowest;
}

export interface TrendLine {
  readonly at: (timeSeconds: number) => number;
  readonly slopePerSecond: number;
  /** Root of the mean squared distance of the readings from the line, °C. */
  readonly scatterC: number;
}

/** The least-squares line through readings; undefined for fewer than 3 or no time between them. */
export function trendOf(readings: readonly TrustedReading[]): TrendLine | undefined {
  const n = readings.length;
  if (n < 3) return undefined;
  const meanT = readings.reduce((sum, reading) => sum + reading.timeSeconds, 0) / n;
  const meanC = readings.reduce((sum, reading) => sum + reading.tempC, 0) / n;
  let tt = 0;
  let tc = 0;
  for (const { timeSeconds, tempC } of readings) {
    tt += (timeSeconds - meanT) ** 2;
    tc += (timeSeconds - meanT) * (tempC - meanC);
  }
  if (!(tt > 0)) return undefined;
  const slopePerSecond = tc / tt;
  const at = (timeSeconds: number) => meanC + slopePerSecond * (timeSeconds - meanT);
  const squares = readings.reduce((sum, { timeSeconds, tempC }) => sum + (tempC - at(timeSeconds)) ** 2, 0);
  return { at, slopePerSecond, scatterC: Math.sqrt(squares / n) };
}

/** A median of three readings further apart than this would add a lag. */
const medianSpanSeconds = 6;

/** The newest temperature without a single spike: the median of the last three readings within the span. */
export function newestLevel(
  readings: readonly TrustedReading[],
  spanSeconds: number = medianSpanSeconds,
): number | undefined {
  const newest = readings.at(-1);
  if (!newest) return undefined;
  const [before, oldest] = [readings.at(-2), readings.at(-3)];
  if (!before || !oldest) return newest.tempC;
  const isRecent = ({ timeSeconds }: TrustedReading) => newest.timeSeconds - timeSeconds <= spanSeconds;
  if (!isRecent(before) || !isRecent(oldest)) return newest.tempC;
  // No list is sorted, because it runs several times at every sample.
  const [low, high] = [Math.min(before.tempC, oldest.tempC), Math.max(before.tempC, oldest.tempC)];
  return Math.min(Math.max(newest.tempC, low), high);
}

/** The median; the upper one of two. */
export function medianOf(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

/** Enough readings to estimate the noise. */
const noiseReadings = 40;

/**
 * Standard deviation of the noise up to a time, °C. It is estimated from the median distance of readings from the mean
 * of their neighbours, so neither a bend nor a few outliers count.
 */
export function noiseBefore(readings: readonly TrustedReading[], untilSeconds: number): number {
  const off: number[] = [];
  for (let at = readings.length - 2; at > 0 && off.length < noiseReadings; at--) {
    const [before, here, after] = [readings[at - 1], readings[at], readings[at + 1]];
    if (!before || !here || !after || after.timeSeconds > untilSeconds) continue;
    off.push(Math.abs(here.tempC - (before.tempC + after.tempC) / 2));
  }
  // The median of these distances is 0.83 of the standard deviation of normal noise.
  return 1.21 * (medianOf(off) ?? 0);
}
