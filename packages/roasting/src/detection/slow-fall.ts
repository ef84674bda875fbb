import { chargeAt, kneeOf, type ChargeState } from './charge-knee.ts';
import { detectionLimits as limits } from './detection-limits.ts';
import type { TrustedReading } from './reading-filter.ts';
import { highest, lowestSince, newestLevel, noiseBefore, trendOf, within } from './readings.ts';

/** Finds a slow fall in a drum that drifts down, measured from its line. It is too shallow to open a roast. */
export function findFallInDrift(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  const lowest = newest && lowestSince(readings, newest.timeSeconds - limits.chargeSlowReportSeconds);
  if (!newest || !lowest || level === undefined || level - lowest.tempC < limits.turnRiseC) return null;
  const turnSeconds = lowest.timeSeconds;
  const sinceTurn = newest.timeSeconds - turnSeconds;
  // Only soon after the turn: it runs at every sample of an idle machine, and the fit is the most expensive part.
  if (sinceTurn < limits.turnRiseSeconds || sinceTurn > limits.chargeDriftReportSeconds) return null;
  const until = turnSeconds - limits.chargeHeatedTurnWithinSeconds;
  const slope = trendOf(within(readings, until - limits.chargeCoolingSeconds, until))?.slopePerSecond ?? 0;
  if (slope > -limits.chargeWarmingPerSecond || slope < limits.minSlopeBefore) return null;
  const charge = findSlowFall(levelledBy(readings, slope, turnSeconds), notBeforeSeconds);
  if (!charge) return null;
  const tempC = charge.tempC + slope * (charge.timeSeconds - turnSeconds);
  return { ...charge, tempC, peakC: tempC, peakSeconds: charge.timeSeconds, lowestC: lowest.tempC, slight: true };
}

/**
 * Finds the charge of a small batch, or one seen by a slow probe. It is reported after the turning point, because a drum that
 * cools between two batches falls the same way. A cooling drum turns later and does not slow down before it turns.
 */
export function findSlowFall(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  if (!newest) return null;
  // Only recent readings: a drum that was heated up was colder before.
  const lowest = lowestSince(readings, newest.timeSeconds - limits.chargeSlowReportSeconds);
  return lowest ? findFallTo(lowest, readings, notBeforeSeconds) : null;
}

/**
 * Finds a slow fall soon after another: beans that follow a door, or a drum that was heated only briefly. Only readings
 * after the valley between them count. It starts no roast.
 */
export function findFallAfterValley(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const { lowest, valleySeconds } = lastDip(readings);
  const sinceTurn = (readings.at(-1)?.timeSeconds ?? 0) - (lowest?.timeSeconds ?? 0);
  if (!lowest || valleySeconds === undefined || sinceTurn > limits.chargeDriftReportSeconds) return null;
  const charge = findFallTo(lowest, readings, Math.max(notBeforeSeconds, valleySeconds));
  return charge && { ...charge, slight: true };
}

/** The charge before a fall that has turned. */
function findFallTo(
  lowest: TrustedReading,
  readings: readonly TrustedReading[],
  notBeforeSeconds: number,
): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined || level - lowest.tempC < limits.turnRiseC) return null;
  if (newest.timeSeconds - lowest.timeSeconds < limits.turnRiseSeconds) return null;
  const turnSeconds = lowest.timeSeconds;
  const earliest = Math.max(notBeforeSeconds, turnSeconds - limits.chargeSlowTurnWithinSeconds);
  const peak = highest(within(readings, earliest, turnSeconds));
  if (!peak) return null;
  if (level - lowest.tempC < limits.chargeSlowRiseShare * (peak.tempC - lowest.tempC)) return null;
  const soon = turnSeconds - peak.timeSeconds <= limits.chargeHeatedTurnWithinSeconds;
  const slope = soon ? heatingBefore(readings, peak.timeSeconds) : 0;
  if (peak.tempC - lowest.tempC < (slope > 0 ? limits.chargeHeatedFallC : limits.chargeSlightFallC)) return null;
  const levelled = levelledBy(readings, slope, peak.timeSeconds);
  const bottomC = lowest.tempC - slope * (turnSeconds - peak.timeSeconds);
  const knee = kneeOf(levelled, peak, bottomC, limits.chargeSlowFallC);
  const fall = knee.tempC - bottomC;
  const falling = turnSeconds - knee.timeSeconds;
  const stillFrom = knee.timeSeconds - limits.chargeSlowStillSeconds;
  const watched = knee.timeSeconds - (readings[0]?.timeSeconds ?? knee.timeSeconds);
  if (knee.timeSeconds < notBeforeSeconds || watched < limits.chargeSlowMinSeconds) return null;
  if (falling < limits.turnAfterSeconds || fall < limits.chargeSlightFallC) return null;
  if (fall < limits.chargeSlowNoiseTimes * noiseBefore(readings, knee.timeSeconds)) return null;
  const longer = trendOf(within(levelled, knee.timeSeconds - limits.chargeCoolingSeconds, knee.timeSeconds));
  // Every 5 s with losses, the shorter line has too few readings.
  const before = trendOf(within(levelled, stillFrom, knee.timeSeconds)) ?? longer;
  const cooling = Math.min(0, longer?.slopePerSecond ?? 0);
  const belowLineC = fall + cooling * falling;
  if (belowLineC < limits.chargeSlightBelowLineC) return null;
  const halfway = middleOfFall(levelled, knee.timeSeconds, falling);
  const firstHalf = slope > 0 ? limits.chargeHeatedFirstHalfShare : limits.chargeSlowFirstHalfShare;
  if (!before || halfway === undefined || knee.tempC - halfway < fall * firstHalf) return null;
  // If the drum was cooling before the charge, the fall must be much steeper.
  const steepness = (halfway - knee.tempC) / (falling / 2);
  const maxSlope = Math.min(limits.chargeSlowSteepness, limits.chargeSlowSteeperThanBefore * before.slopePerSecond);
  if (steepness > maxSlope) return null;
  const kneeC = knee.tempC + slope * (knee.timeSeconds - peak.timeSeconds);
  const deepC = slope > 0 ? limits.chargeHeatedFallC : limits.chargeSlowFallC;
  const slight =
    peak.tempC - lowest.tempC < deepC || fall < limits.chargeSlowFallC || belowLineC < limits.chargeBelowLineC;
  return { ...chargeAt(readings, { timeSeconds: knee.timeSeconds, tempC: kneeC }, peak, lowest.tempC), slight };
}

/**
 * The lowest reading of the last dip, and the time at which the probe was coldest before its top: in an earlier dip, or
 * while the drum was heated up.
 */
function lastDip(readings: readonly TrustedReading[]) {
  // A smaller swing is noise.
  const dipC = Math.max(
    limits.chargeDipC,
    limits.chargeDipNoiseTimes * noiseBefore(readings, Number.POSITIVE_INFINITY),
  );
  let lowest: TrustedReading | undefined;
  let top: TrustedReading | undefined;
  for (const reading of readings.toReversed()) {
    if (!top) {
      if (!lowest || reading.tempC <= lowest.tempC) lowest = reading;
      else if (reading.tempC - lowest.tempC >= dipC) top = reading;
    } else if (reading.tempC >= top.tempC) top = reading;
    else if (top.tempC - reading.tempC >= dipC) return { lowest, valleySeconds: reading.timeSeconds };
  }
  return { lowest };
}

/** How fast the drum was heated up to a moment, °C/s; 0 if it was not. */
function heatingBefore(readings: readonly TrustedReading[], untilSeconds: number): number {
  const { chargeHeatedSeconds: span, chargeWarmingPerSecond, maxSlopeBefore } = limits;
  const slope = trendOf(within(readings, untilSeconds - span, untilSeconds))?.slopePerSecond ?? 0;
  return slope < chargeWarmingPerSecond ? 0 : Math.min(slope, maxSlopeBefore);
}

/** Readings without the slope that they had before: the fall of a small batch is measured from the line of a heated drum. */
function levelledBy(readings: readonly TrustedReading[], slope: number, aroundSeconds: number) {
  if (slope === 0) return readings;
  return readings.map((reading) => ({
    ...reading,
    tempC: reading.tempC - slope * (reading.timeSeconds - aroundSeconds),
  }));
}

/** The temperature in the middle of a fall, from the readings around it. */
function middleOfFall(readings: readonly TrustedReading[], fromSeconds: number, falling: number): number | undefined {
  const half = fromSeconds + falling / 2;
  const line = trendOf(within(readings, half - falling / 4, half + falling / 4));
  const before = readings.findLast(({ timeSeconds }) => timeSeconds <= half);
  const after = readings.find(({ timeSeconds }) => timeSeconds > half);
  if (line || !before || !after) return line?.at(half);
  const share = (half - before.timeSeconds) / (after.timeSeconds - before.timeSeconds);
  return before.tempC + share * (after.tempC - before.tempC);
}
