import { chargeAt, kneeOf, type ChargeState } from './charge-knee.ts';
import { detectionLimits as limits, lookBackSeconds } from './detection-limits.ts';
import type { TrustedReading } from './reading-filter.ts';
import { highest, lastWatched, lowestOf, medianOf, newestLevel, noiseBefore, trendOf, within } from './readings.ts';
import { recoveryOf } from './recovery.ts';
import { findFallAfterValley, findFallInDrift, findSlowFall } from './slow-fall.ts';

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
  const fall =
    findFastFall(readings, notBeforeSeconds, fallC) ??
    findSlowFall(readings, notBeforeSeconds) ??
    findFallInDrift(readings, notBeforeSeconds);
  if (fall && !fall.slight) return fall;
  const later = findFallAfterValley(readings, notBeforeSeconds);
  return fall && later && later.timeSeconds < fall.timeSeconds ? fall : (later ?? fall);
}

/**
 * Finds a charge in a fall that was reported as a drop. The drum had been emptied without a visible fall, or the roast
 * was aborted, and the next batch was charged. Only cold beans take so much heat so fast and then warm up steadily.
 * Call it after a certain drop.
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
  // The reading at the drop belongs to the roast that has ended.
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
  // Beans warm up before a drop; an idle drum keeps its temperature, cools, or is heated faster.
  const before = trendOf(within(readings, droppedSeconds - 2 * limits.chargeBeforeSeconds, droppedSeconds));
  if (!before || isRoasting(before.slopePerSecond)) return null;
  const early = lowestOf(within(fallen, top.timeSeconds, top.timeSeconds + limits.rechargeFallSeconds));
  if (!early || top.tempC - early.tempC < limits.chargeCertainFallC) return null;
  return chargeAt(readings, knee, top, lowest.tempC);
}

/**
 * Finds a charge in a roast that began with a shallow fall, below the temperature of a drop: a deeper fall, or one
 * after a pause. The shallow fall was a door or a fan in an empty drum.
 */
export function findChargeInRoast(
  readings: readonly TrustedReading[],
  { timeSeconds, peakC, lowestC }: ChargeState,
  drop: { readonly peakSeconds: number; readonly peakC: number },
): ChargeState | null {
  if (peakC - lowestC >= limits.chargeShallowFallC) return null;
  const long = drop.peakSeconds - timeSeconds >= limits.dropMinRoastSeconds;
  if (long && drop.peakC >= limits.chargeInRoastMaxC) return null;
  const again = findCharge(readings, drop.peakSeconds - limits.onsetBackSeconds, null);
  if (!again || again.slight) return null;
  const paused = again.timeSeconds - drop.peakSeconds >= limits.chargePauseSeconds;
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
  if (!top || top.tempC - level < fallC) return null;
  const peak = highest(lastWatched(readings, 2 * limits.chargeFallSeconds)) ?? top;
  const knee = kneeOf(readings, peak, level, limits.chargeTypicalFallC);
  if (knee.timeSeconds < notBeforeSeconds) return null;

  const before = trendOf(within(readings, knee.timeSeconds - limits.chargeBeforeSeconds, knee.timeSeconds));
  const fallPerSecond = (level - knee.tempC) / (newest.timeSeconds - knee.timeSeconds);
  if (before && fallPerSecond > before.slopePerSecond * limits.chargeSteeperThanBefore) return null;
  // A fall that a slow probe shows late may have begun before these readings.
  const above = knee.timeSeconds < peak.timeSeconds && knee.tempC > peak.tempC;
  return chargeAt(readings, knee, above ? { ...peak, ...knee } : peak, level);
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
