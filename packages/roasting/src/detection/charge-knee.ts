import { detectionLimits as limits } from './detection-limits.ts';
import { isTorn, onsetOfFall, type Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import { silenceSeconds, trendOf, within } from './readings.ts';

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

/** A turning point as far as it is known. Plain data. */
export interface TurnState {
  timeSeconds: number;
  tempC: number;
  certain: boolean;
}

/**
 * The last reading before the fall: less than 3 % of the whole fall lies before it, or of `minFallC` if the fall is
 * shallower or not over yet. It is a share rather than a temperature, because a thin probe in a sample roaster and a
 * thick one in a 30 kg drum only fall alike in shape.
 */
export function kneeOf(readings: readonly TrustedReading[], peak: Moment, lowestC: number, minFallC: number) {
  const still = trendOf(within(readings, peak.timeSeconds - limits.chargeBeforeSeconds, peak.timeSeconds));
  const noiseC = limits.chargeKneeScatters * (still?.scatterC ?? 0);
  const tolerance = Math.max(noiseC, Math.max(peak.tempC - lowestC, minFallC) * limits.chargeKneeShare);
  let knee: Moment = peak;
  for (const [index, reading] of readings.entries()) {
    if (reading.timeSeconds < peak.timeSeconds) continue;
    const fallen = peak.tempC - reading.tempC >= tolerance;
    // A single low reading is noise.
    if (fallen && peak.tempC - (readings[index + 1]?.tempC ?? reading.tempC) >= tolerance) break;
    if (!fallen) knee = reading;
  }
  const corner = cornerOf(readings, cornerOf(readings, knee, lowestC), lowestC);
  return fittedKnee(readings, acrossSilence(readings, corner, lowestC), lowestC);
}

/** The fitted onset of the fall near a rough knee; the knee itself when there are no readings around it. */
function fittedKnee(readings: readonly TrustedReading[], knee: Moment, lowestC: number): Moment {
  const next = readings.find(({ timeSeconds }) => timeSeconds > knee.timeSeconds);
  if (!next || next.timeSeconds - knee.timeSeconds > silenceSeconds) return knee;
  const deep = limits.chargeOnsetShare * (knee.tempC - lowestC);
  const fallen = readings.find(
    ({ timeSeconds, tempC }) => timeSeconds > knee.timeSeconds && knee.tempC - tempC >= deep,
  );
  const onset = onsetOfFall(readings, {
    fromSeconds: knee.timeSeconds - limits.onsetLevelSeconds,
    untilSeconds: (fallen ?? next).timeSeconds,
    earliestSeconds: knee.timeSeconds - limits.onsetBackSeconds,
    bends: limits.chargeBends,
  });
  return onset ?? knee;
}

/**
 * If there are no readings at the charge, the fall after the gap is extrapolated back to the level before it, as an
 * exponential decay towards a temperature slightly below its lowest reading.
 */
function acrossSilence(readings: readonly TrustedReading[], knee: Moment, lowestC: number): Moment {
  const next = readings.find(({ timeSeconds }) => timeSeconds > knee.timeSeconds);
  if (!next || next.timeSeconds - knee.timeSeconds <= silenceSeconds) return knee;
  const fall = trendOf(within(readings, next.timeSeconds, next.timeSeconds + limits.chargeFallSeconds / 2));
  if (!fall || fall.slopePerSecond > limits.chargeCoolingPerSecond) return knee;
  const tendsToC = lowestC - limits.chargeBentShare * (knee.tempC - lowestC);
  const left = Math.max(1, next.tempC - tendsToC);
  const since = (left / -fall.slopePerSecond) * Math.log(Math.max(1, (knee.tempC - tendsToC) / left));
  return { timeSeconds: Math.max(knee.timeSeconds, next.timeSeconds - since), tempC: knee.tempC };
}

/**
 * The corner where a slow decline becomes the steep fall of a charge: the reading highest above the chord to the lowest one.
 * Without a decline this is the knee itself.
 */
function cornerOf(readings: readonly TrustedReading[], knee: Moment, lowestC: number): Moment {
  const torn = (index: number) =>
    isTorn(readings[index]?.tempC ?? 0, readings[index - 1]?.tempC, readings[index + 1]?.tempC);
  const lowest = readings.find(
    ({ timeSeconds, tempC }, index) => timeSeconds > knee.timeSeconds && tempC <= lowestC && !torn(index),
  );
  if (!lowest) return knee;
  const slope = (lowestC - knee.tempC) / (lowest.timeSeconds - knee.timeSeconds);
  const above = ({ timeSeconds, tempC }: Moment) => tempC - knee.tempC - slope * (timeSeconds - knee.timeSeconds);
  const corner = readings.reduce<Moment>((highestAbove, reading, index) => {
    const falling = reading.timeSeconds > knee.timeSeconds && reading.timeSeconds < lowest.timeSeconds;
    return falling && above(reading) > above(highestAbove) && !torn(index) ? reading : highestAbove;
  }, knee);
  return above(corner) > limits.chargeCornerShare * (knee.tempC - lowestC) ? corner : knee;
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
