import { detectionLimits as limits } from './detection-limits.ts';
import type { Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import { trendOf, within } from './readings.ts';

/** The state of a suspected or confirmed charge. Plain data. */
export interface ChargeState {
  timeSeconds: number;
  tempC: number;
  /** Highest reading before the fall. */
  peakC: number;
  peakSeconds: number;
  lowestC: number;
  /** Slope before the fall, °C/s; absent in older snapshots. */
  slopeBefore?: number;
  /** The lowest reading when the mark was last placed. */
  placedToC?: number;
  /** The last known turning point. */
  turnedSeconds?: number;
  /** The recording begins with the fall, so the real charge may be earlier. */
  fromStart: boolean;
  /** Charged cold: there is no fall; the mark is where the temperature starts to rise. */
  cold: boolean;
  certain: boolean;
  /** Too shallow to start a roast; a later drop may show that it was the charge. */
  slight?: boolean;
}

/** A charge that is not certain yet. */
export function chargeAt(
  readings: readonly TrustedReading[],
  knee: Moment,
  peak: TrustedReading,
  lowestC: number,
): ChargeState {
  const first = readings[0];
  const before = trendOf(within(readings, knee.timeSeconds - limits.onsetLevelSeconds, knee.timeSeconds - 1));
  return {
    timeSeconds: knee.timeSeconds,
    tempC: knee.tempC,
    peakC: peak.tempC,
    peakSeconds: peak.timeSeconds,
    lowestC,
    slopeBefore: Math.min(limits.maxSlopeBefore, Math.max(limits.minSlopeBefore, before?.slopePerSecond ?? 0)),
    fromStart: first !== undefined && knee.timeSeconds - first.timeSeconds < 2,
    cold: false,
    certain: false,
  };
}
