import { detectionLimits as limits } from './detection-limits.ts';
import type { ChargeState, TurnState } from './charge-knee.ts';
import type { TrustedReading } from './reading-filter.ts';
import { lastWatched, newestLevel, noiseBefore, trendOf } from './readings.ts';
import { recoveryOf } from './recovery.ts';

/** `settled`: rejected for good; later warming does not make it a charge. */
export type ChargeVerdict = 'wait' | 'certain' | 'none' | 'settled';

/**
 * Decides whether a fall is a charge. Beans make the deepest falls, or keep the probe low for long, or warm it past its
 * former level, and they keep warming. After a door or a fan the probe returns to its former level or line and settles
 * there. A cooled drum does not turn.
 */
export function judgeCharge(
  charge: ChargeState,
  readings: readonly TrustedReading[],
  turn: TurnState | null,
  mayBeDrop = false,
): ChargeVerdict {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return 'wait';
  const age = newest.timeSeconds - charge.timeSeconds;
  if (charge.cold) {
    if (newest.tempC < charge.tempC - limits.chargeFallC) return 'none';
    return newest.tempC > limits.dryEndC ? 'certain' : 'wait';
  }
  const fall = charge.peakC - charge.lowestC;
  const back = (level - charge.lowestC) / fall;
  // The drop of a batch whose charge was retracted can be as deep, but the probe does not keep warming after it.
  const deep = fall >= limits.chargeCertainFallC && !mayBeDrop;
  if (!turn) {
    if (age > (mayBeDrop ? limits.doubtedDropSeconds : limits.chargeWithoutTurnSeconds)) return 'none';
    const fizzled = fall < limits.chargeShallowFallC && age > limits.chargeShallowSeconds;
    return !deep && (fizzled || back > limits.chargeRecoveredShare) ? 'none' : 'wait';
  }
  if (deep) return turn.certain ? 'certain' : 'wait';
  return judgeShallowCharge(charge, readings, turn, level);
}

/**
 * Decides about a fall that an opened door can also cause. A return to the former level slows down on its way; beans
 * keep warming.
 */
function judgeShallowCharge(
  charge: ChargeState,
  readings: readonly TrustedReading[],
  turn: TurnState,
  level: number,
): ChargeVerdict {
  const nowSeconds = readings.at(-1)?.timeSeconds ?? turn.timeSeconds;
  const age = nowSeconds - charge.timeSeconds;
  const fall = charge.peakC - charge.lowestC;
  const back = (level - charge.lowestC) / fall;
  const sinceTurn = nowSeconds - turn.timeSeconds;
  const recovery = recoveryOf(readings, turn.timeSeconds, noiseBefore(readings, nowSeconds));
  if (!recovery) return 'wait';
  const { latest, slowedTo, slowedToLikely, steadyAt } = recovery;
  const slowed = slowedTo < limits.recoverySlowedShare;
  const slopeBefore = charge.slopeBefore ?? 0;
  const wasHeated = slopeBefore >= limits.chargeWarmingPerSecond;
  // In a drum that was being heated, the probe may still rise above its former line.
  if (slowed && (back > limits.recoverySlowedBack || fall >= limits.chargeCertainFallC)) {
    return wasHeated && slowedTo > limits.recoveryStoppedShare ? 'none' : 'settled';
  }
  const mayHaveSlowed = slowedToLikely < limits.recoverySlowedShare && age <= limits.chargeWithoutTurnSeconds;
  const steady = steadyAt >= limits.recoverySteadyShare && !mayHaveSlowed;
  const warming = steady && latest.perSecond >= limits.chargeWarmingPerSecond;
  const lineC = charge.peakC + Math.max(0, slopeBefore) * age;
  const belowLine = (lineC - level) / fall;
  const past = level - charge.peakC >= limits.chargePastPeakC;
  const ownWay = !wasHeated || belowLine > limits.chargeBelowLineShare || level > lineC + limits.chargePastPeakC;
  if (sinceTurn >= limits.chargeFewBeansSeconds) {
    if (standsAtBottom(charge, readings)) return 'settled';
    const even = slowedToLikely >= limits.recoveryEvenShare;
    const tellingFallC = even ? limits.recoveryEvenFallC : limits.recoveryTellingFallC;
    if (warming && (back < limits.chargeRecoveredShare || (fall >= tellingFallC && ownWay))) return 'certain';
  }
  if (past && warming && ownWay && sinceTurn >= limits.chargeFewBeansSeconds / 2) return 'certain';
  const settled =
    back > limits.chargeSettledShare &&
    level - charge.peakC < limits.chargePastPeakC / 2 &&
    latest.perSecond < limits.chargeSettledPerSecond;
  const backOnLine =
    !ownWay &&
    Math.abs(belowLine) < limits.chargeBelowLineShare &&
    latest.perSecond < slopeBefore + limits.chargeSettledPerSecond;
  if (settled) return 'settled';
  if (backOnLine) return 'none';
  if (age <= limits.chargeWithoutTurnSeconds) return 'wait';
  const stillWarming = warming || (past && !slowed && latest.perSecond >= limits.chargeWarmingPerSecond);
  return stillWarming ? 'certain' : 'settled';
}

/**
 * Whether the probe was moved: it falls at once and then stays low for much longer than it fell. Beans turn about as
 * fast as they fell.
 */
function standsAtBottom(charge: ChargeState, readings: readonly TrustedReading[]): boolean {
  const nearC = charge.lowestC + limits.recoveryBottomShare * (charge.tempC - charge.lowestC);
  const near = readings.filter(({ timeSeconds, tempC }) => timeSeconds > charge.timeSeconds && tempC <= nearC);
  const [first, last] = [near[0], near.at(-1)];
  if (!first || !last) return false;
  const fell = first.timeSeconds - charge.timeSeconds;
  const stood = last.timeSeconds - first.timeSeconds;
  return stood > Math.max(limits.recoveryStandsSeconds, limits.recoveryStandsTimes * fell);
}

/** Whether the probe returned and almost stood still: a door, however the drum is heated later. */
export function hasComeBack(readings: readonly TrustedReading[], turn: TurnState): boolean {
  const noiseC = noiseBefore(readings, readings.at(-1)?.timeSeconds ?? turn.timeSeconds);
  const recovery = recoveryOf(readings, turn.timeSeconds, noiseC);
  return recovery !== null && recovery.slowedTo < limits.recoveryStoppedShare;
}

/** Whether the probe has risen well above its former level and line and keeps warming. */
export function isWarmingPast(charge: ChargeState, readings: readonly TrustedReading[]): boolean {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  const rate = trendOf(lastWatched(readings, limits.chargeRateSeconds));
  if (!newest || level === undefined || !rate) return false;
  const lineC = charge.peakC + Math.max(0, charge.slopeBefore ?? 0) * (newest.timeSeconds - charge.timeSeconds);
  return level >= lineC + limits.chargeReconsiderC && rate.slopePerSecond >= limits.chargeWarmingPerSecond;
}

/** Confidence from the depth of the fall; lower when the recording begins during the fall, lowest for a cold start. */
export function chargeConfidence(charge: ChargeState): number {
  if (charge.cold) return charge.certain ? 0.4 : 0.3;
  const depth = Math.min(1, (charge.peakC - charge.lowestC) / limits.chargeTypicalFallC);
  const confidence = 0.4 + 0.5 * depth + (charge.certain ? 0.08 : 0);
  return round(charge.fromStart ? confidence * 0.6 : confidence);
}

function round(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}
