import { kneeOf } from './charge-knee.ts';
import { detectionLimits as limits, lookBackSeconds } from './detection-limits.ts';
import type { Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import {
  highest,
  lastWatched,
  lowestOf,
  lowestSince,
  medianOf,
  newestLevel,
  noiseBefore,
  trendOf,
  within,
} from './readings.ts';
import { recoveryOf } from './recovery.ts';

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
  /** The lowest reading at the last placement of the mark. */
  placedToC?: number;
  /** The last known turning point. */
  turnedSeconds?: number;
  /** The recording begins with the fall, so the real charge may be earlier. */
  fromStart: boolean;
  /** Charged cold: there is no fall, the mark is where the temperature starts to rise. */
  cold: boolean;
  certain: boolean;
  /** Too shallow to open a roast; a drop may prove it to have been one. */
  slight?: boolean;
}

/**
 * Finds a charge in the newest readings of a hot machine: the probe falls by 10 °C in 15 s from a steady level, or it fell more
 * slowly and has turned. `notBeforeSeconds` excludes the fall of the previous drop.
 */
export function findCharge(
  readings: readonly TrustedReading[],
  notBeforeSeconds: number,
  droppedSeconds: number | null,
): ChargeState | null {
  const cooling =
    droppedSeconds !== null && (readings.at(-1)?.timeSeconds ?? 0) - droppedSeconds < limits.chargeAfterDropSeconds;
  const fallC = cooling ? limits.chargeAfterDropFallC : limits.chargeFallC;
  return (
    findFastFall(readings, notBeforeSeconds, fallC) ??
    findSlowFall(readings, notBeforeSeconds) ??
    findFallInDrift(readings, notBeforeSeconds)
  );
}

/** Finds a slow fall in a drum that drifts down, measured from its line. It is too shallow to open a roast. */
function findFallInDrift(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
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
function findSlowFall(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  // Only recent readings: a drum that was heated up was colder before.
  const lowest = lowestSince(readings, newest.timeSeconds - limits.chargeSlowReportSeconds);
  if (!lowest || level - lowest.tempC < limits.turnRiseC) return null;
  if (newest.timeSeconds - lowest.timeSeconds < limits.turnRiseSeconds) return null;
  const turnSeconds = lowest.timeSeconds;
  const earliest = Math.max(notBeforeSeconds, turnSeconds - limits.chargeSlowTurnWithinSeconds);
  const peak = highest(within(readings, earliest, turnSeconds));
  if (!peak || peak.tempC < limits.chargeSlowMinC) return null;
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

/**
 * Finds a charge in what was reported as a drop. The drum had been emptied without a visible fall, or the roast was aborted, and
 * the next batch was charged. Only cold beans take so much heat so fast and then warm up steadily. Call it after a certain drop.
 */
export function findChargeInDrop(
  readings: readonly TrustedReading[],
  droppedSeconds: number,
  doubtful: boolean,
): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  const since = newest.timeSeconds - droppedSeconds;
  if (since < limits.turnAfterSeconds + limits.rechargeRiseSeconds || since > lookBackSeconds.waiting) return null;
  const fallen = readings.filter(({ timeSeconds }) => timeSeconds >= droppedSeconds);
  // The reading at the drop belongs to the ended roast.
  const [knee, lowest] = [fallen[1], lowestOf(fallen)];
  const top = highest(within(fallen, droppedSeconds, droppedSeconds + limits.chargeFallSeconds));
  if (!knee || !lowest || !top) return null;
  const riseC = doubtful
    ? Math.max(limits.rechargeDoubtfulRiseC, limits.rechargeDoubtfulShare * (top.tempC - lowest.tempC))
    : limits.rechargeRiseC;
  if (level - lowest.tempC < riseC) return null;
  const turned = lowest.timeSeconds - droppedSeconds;
  if (turned > limits.rechargeTurnWithinSeconds || since - turned < limits.rechargeRiseSeconds) return null;
  const recovery = recoveryOf(readings, lowest.timeSeconds, noiseBefore(readings, droppedSeconds));
  if (!recovery || recovery.latest.perSecond < limits.recoverySteadyShare * recovery.fastest.perSecond) return null;
  if (doubtful) {
    if (recovery.latest.perSecond < limits.chargeWarmingPerSecond) return null;
    return chargeAt(readings, knee, top, lowest.tempC);
  }
  // Before a drop the beans warm up; an idle drum stands, cools or is heated faster.
  const before = trendOf(within(readings, droppedSeconds - 2 * limits.chargeBeforeSeconds, droppedSeconds));
  if (!before || isRoasting(before.slopePerSecond)) return null;
  const early = lowestOf(within(fallen, top.timeSeconds, top.timeSeconds + limits.rechargeFallSeconds));
  if (!early || top.tempC - early.tempC < limits.chargeCertainFallC) return null;
  return chargeAt(readings, knee, top, lowest.tempC);
}

/**
 * Finds a charge in a roast that began with a shallow fall, below the temperature of a drop: a deeper fall, or one after a pause. The
 * shallow fall was a door or a fan in an empty drum.
 */
export function findChargeInRoast(
  readings: readonly TrustedReading[],
  { peakC, lowestC }: ChargeState,
  { peakSeconds }: { readonly peakSeconds: number },
): ChargeState | null {
  if (peakC - lowestC >= limits.chargeShallowFallC) return null;
  const again = findCharge(readings, peakSeconds - limits.onsetBackSeconds, null);
  if (!again || again.slight) return null;
  const paused = again.timeSeconds - peakSeconds >= limits.chargePauseSeconds;
  return paused || again.peakC - again.lowestC > peakC - lowestC ? again : null;
}

function isRoasting(risePerSecond: number): boolean {
  return risePerSecond > limits.rechargeStillPerSecond && risePerSecond < limits.rechargeHeatedPerSecond;
}

/** Finds the usual charge: a fast, deep fall in a preheated drum. */
function findFastFall(
  readings: readonly TrustedReading[],
  notBeforeSeconds: number,
  fallC: number,
): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  const top = highest(lastWatched(readings, limits.chargeFallSeconds));
  if (
    !top ||
    top.tempC < limits.chargeMinC ||
    top.tempC - level < (top.tempC < limits.chargeSlowMinC ? limits.chargeAfterDropFallC : fallC)
  )
    return null;
  const peak = highest(lastWatched(readings, 2 * limits.chargeFallSeconds)) ?? top;
  const knee = kneeOf(readings, peak, level, limits.chargeTypicalFallC);
  if (knee.timeSeconds < notBeforeSeconds) return null;

  const before = trendOf(within(readings, knee.timeSeconds - limits.chargeBeforeSeconds, knee.timeSeconds));
  const fallPerSecond = (level - knee.tempC) / (newest.timeSeconds - knee.timeSeconds);
  if (before && fallPerSecond > before.slopePerSecond * limits.chargeSteeperThanBefore) return null;
  return chargeAt(readings, knee, peak, level);
}

function chargeAt(readings: readonly TrustedReading[], knee: Moment, peak: TrustedReading, level: number): ChargeState {
  const first = readings[0];
  const before = trendOf(within(readings, knee.timeSeconds - limits.onsetLevelSeconds, knee.timeSeconds - 1));
  return {
    timeSeconds: knee.timeSeconds,
    tempC: knee.tempC,
    peakC: peak.tempC,
    peakSeconds: peak.timeSeconds,
    lowestC: level,
    slopeBefore: Math.min(limits.maxSlopeBefore, Math.max(limits.minSlopeBefore, before?.slopePerSecond ?? 0)),
    fromStart: first !== undefined && knee.timeSeconds - first.timeSeconds < 2,
    cold: false,
    certain: false,
  };
}

/** Finds the start of a roast in a machine that is charged cold: the temperature rises above its steady level. */
export function findColdStart(readings: readonly TrustedReading[]): ChargeState | null {
  const newest = readings.at(-1);
  const lowest = lowestOf(readings);
  if (!newest || !lowest || lowest.tempC > limits.coldStartMaxC) return null;
  if (newest.tempC - lowest.tempC < limits.coldStartRiseC) return null;
  const knee = leftLevel(readings, lowest);
  const heatOn = knee.timeSeconds - limits.coldStartDelaySeconds;
  return {
    timeSeconds: Math.max(heatOn, readings[0]?.timeSeconds ?? heatOn),
    tempC: knee.tempC,
    peakC: knee.tempC,
    peakSeconds: knee.timeSeconds,
    lowestC: knee.tempC,
    fromStart: knee === readings[0],
    cold: true,
    certain: false,
  };
}

/** The last reading on the steady level, within its noise. */
function leftLevel(readings: readonly TrustedReading[], lowest: TrustedReading): TrustedReading {
  const risen = readings.findLast(({ tempC }) => tempC - lowest.tempC <= limits.coldStartClearC) ?? lowest;
  const still = within(readings, risen.timeSeconds - limits.coldStartLevelSeconds, risen.timeSeconds);
  const level = medianOf(still.map(({ tempC }) => tempC)) ?? lowest.tempC;
  const scatter = medianOf(still.map(({ tempC }) => Math.abs(tempC - level))) ?? 0;
  const tolerance = Math.max(limits.coldStartStillC, limits.coldStartScatters * scatter);
  return (
    readings.findLast(({ timeSeconds, tempC }) => timeSeconds <= risen.timeSeconds && tempC - level <= tolerance) ??
    lowest
  );
}
