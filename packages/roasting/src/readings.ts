import type { TrustedReading } from './reading-filter.ts';

/** Readings from one moment to another, both included. */
export function within(readings: readonly TrustedReading[], fromSeconds: number, toSeconds: number): TrustedReading[] {
  return readings.filter(({ timeSeconds }) => timeSeconds >= fromSeconds && timeSeconds <= toSeconds);
}

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

/** Readings further apart than this are too few for a median: three of them would be a lag, not a smoothing. */
const medianSpanSeconds = 6;

/** The newest temperature without a lone spike: the middle one of the last three, where they lie close enough. */
export function newestLevel(readings: readonly TrustedReading[]): number | undefined {
  const newest = readings.at(-1);
  if (!newest) return undefined;
  const last = readings.slice(-3).filter(({ timeSeconds }) => newest.timeSeconds - timeSeconds <= medianSpanSeconds);
  if (last.length < 3) return newest.tempC;
  return last.map(({ tempC }) => tempC).sort((a, b) => a - b)[1];
}
