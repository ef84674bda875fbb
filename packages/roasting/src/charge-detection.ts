import { detectionLimits as limits } from './detection-limits.ts';
import type { TrustedReading } from './reading-filter.ts';
import { highest, newestLevel, trendOf, within } from './readings.ts';

/** A charge as far as it is known. Plain data. */
export interface ChargeState {
  timeSeconds: number;
  tempC: number;
  /** Highest reading before the fall. */
  peakC: number;
  peakSeconds: number;
  lowestC: number;
  /** The recording begins with the fall: the beans may have been in before. */
  fromStart: boolean;
  /** Beans went into a cold machine: no fall, the mark is where the heat shows. */
  cold: boolean;
  certain: boolean;
}

/**
 * A charge that the newest readings suggest: in a hot machine the probe, which stood or crept, falls by 7 °C in 15 s.
 * `notBeforeSeconds` keeps a drop's own fall from being taken for one.
 */
export function findCharge(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  const recent = within(readings, newest.timeSeconds - limits.chargeFallSeconds, newest.timeSeconds);
  const top = highest(recent);
  if (!top || top.tempC < limits.chargeMinC || top.tempC - level < limits.chargeFallC) return null;
  const peak = highest(within(readings, newest.timeSeconds - 2 * limits.chargeFallSeconds, newest.timeSeconds)) ?? top;
  const knee = kneeOf(readings, peak, level);
  if (knee.timeSeconds < notBeforeSeconds) return null;

  const before = trendOf(within(readings, knee.timeSeconds - limits.chargeBeforeSeconds, knee.timeSeconds));
  const fallPerSecond = (level - knee.tempC) / (newest.timeSeconds - knee.timeSeconds);
  if (before && fallPerSecond > before.slopePerSecond * limits.chargeSteeperThanBefore) return null;

  const first = readings[0];
  return {
    timeSeconds: knee.timeSeconds,
    tempC: knee.tempC,
    peakC: peak.tempC,
    peakSeconds: peak.timeSeconds,
    lowestC: level,
    fromStart: first !== undefined && knee.timeSeconds - first.timeSeconds < 2,
    cold: false,
    certain: false,
  };
}

/**
 * The last reading before the fall: with the whole fall known, the last one that has less than 3% of it behind it. A
 * share rather than a figure, because a thin probe in a sample roaster and a thick one in a 30 kg drum fall alike only
 * in shape.
 */
export function kneeOf(
  readings: readonly TrustedReading[],
  peak: Pick<TrustedReading, 'timeSeconds' | 'tempC'>,
  lowestC: number,
) {
  const tolerance = Math.max(peak.tempC - lowestC, limits.chargeTypicalFallC) * limits.chargeKneeShare;
  let knee: Pick<TrustedReading, 'timeSeconds' | 'tempC'> = peak;
  for (const reading of readings) {
    if (reading.timeSeconds < peak.timeSeconds) continue;
    if (peak.tempC - reading.tempC >= tolerance) break;
    knee = reading;
  }
  return knee;
}

/** Beans in a cold machine: the temperature leaves the level it stood at. For machines that are charged cold. */
export function findColdStart(readings: readonly TrustedReading[]): ChargeState | null {
  const newest = readings.at(-1);
  const lowest = readings.reduce<TrustedReading | undefined>(
    (low, reading) => (low && low.tempC < reading.tempC ? low : reading),
    undefined,
  );
  if (!newest || !lowest || lowest.tempC > limits.coldStartMaxC) return null;
  if (newest.tempC - lowest.tempC < limits.coldStartRiseC) return null;
  const knee = readings.findLast(({ tempC }) => tempC - lowest.tempC <= limits.coldStartStillC) ?? lowest;
  return {
    timeSeconds: knee.timeSeconds,
    tempC: knee.tempC,
    peakC: knee.tempC,
    peakSeconds: knee.timeSeconds,
    lowestC: knee.tempC,
    fromStart: knee === readings[0],
    cold: true,
    certain: false,
  };
}

/** Whether the fall turned out to be something else: it came back, fizzled out, or never turned. */
export function isNoCharge(charge: ChargeState, newest: TrustedReading, turned: boolean): boolean {
  if (charge.cold) return newest.tempC < charge.tempC - limits.chargeFallC;
  const fall = charge.peakC - charge.lowestC;
  const age = newest.timeSeconds - charge.timeSeconds;
  if (fall < limits.chargeCertainFallC && newest.tempC - charge.lowestC > fall * limits.chargeRecoveredShare)
    return true;
  if (fall < limits.chargeCertainFallC && age > limits.chargeShallowSeconds) return true;
  return !turned && age > limits.chargeWithoutTurnSeconds;
}

/** How sure: by the depth of the fall; less when the recording begins in it, least for a cold start. */
export function chargeConfidence(charge: ChargeState): number {
  if (charge.cold) return charge.certain ? 0.4 : 0.3;
  const depth = Math.min(1, (charge.peakC - charge.lowestC) / limits.chargeTypicalFallC);
  const confidence = 0.4 + 0.5 * depth + (charge.certain ? 0.08 : 0);
  return round(charge.fromStart ? confidence * 0.6 : confidence);
}

function round(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}
