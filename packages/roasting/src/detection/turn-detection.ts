import { detectionLimits as limits } from './detection-limits.ts';
import type { TrustedReading } from './reading-filter.ts';
import { newestLevel } from './readings.ts';

/** A turning point as far as it is known. Plain data. */
export interface TurnState {
  timeSeconds: number;
  tempC: number;
  certain: boolean;
}

/**
 * The turning point: the lowest bean temperature later than 20 s after charge, once it has clearly risen again. A flat
 * bottom (a coarse probe reads the same value for a while) gives its middle.
 */
export function findTurn(readings: readonly TrustedReading[], chargeSeconds: number): TurnState | null {
  const newest = readings.at(-1);
  if (!newest) return null;
  let first: TrustedReading | null = null;
  let last: TrustedReading | null = null;
  for (const reading of readings) {
    if (reading.timeSeconds < chargeSeconds + limits.turnAfterSeconds) continue;
    if (!first || reading.tempC < first.tempC) {
      first = reading;
      last = reading;
    } else if (reading.tempC === first.tempC) last = reading;
  }
  if (!first || !last) return null;
  const timeSeconds = (first.timeSeconds + last.timeSeconds) / 2;
  const rise = (newestLevel(readings) ?? newest.tempC) - first.tempC;
  if (rise < limits.turnRiseC || newest.timeSeconds - last.timeSeconds < limits.turnRiseSeconds) return null;
  return { timeSeconds, tempC: first.tempC, certain: rise >= limits.turnCertainRiseC };
}
