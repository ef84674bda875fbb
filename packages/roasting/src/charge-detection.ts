import { detectionLimits as limits, lookBackSeconds } from './detection-limits.ts';
import { isTorn, onsetOfFall, type Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import {
  highest,
  lastWatched,
  lowestOf,
  lowestSince,
  middleOf,
  newestLevel,
  noiseBefore,
  silenceSeconds,
  trendOf,
  within,
} from './readings.ts';
import { recoveryOf } from './recovery.ts';
import type { TurnState } from './turn-detection.ts';

/** A charge as far as it is known. Plain data. */
export interface ChargeState {
  timeSeconds: number;
  tempC: number;
  /** Highest reading before the fall. */
  peakC: number;
  peakSeconds: number;
  lowestC: number;
  /** How the probe rose or sank before the fall, °C/s; an older snapshot doesn't say. */
  slopeBefore?: number;
  /** The lowest reading when the mark was placed last. */
  placedToC?: number;
  /** When the probe was last seen to have turned. */
  turnedSeconds?: number;
  /** The recording begins with the fall: the beans may have been in before. */
  fromStart: boolean;
  /** Beans went into a cold machine: no fall, the mark is where the heat shows. */
  cold: boolean;
  certain: boolean;
}

/**
 * A charge that the newest readings suggest: in a hot machine the probe, which stood or crept, falls by 10 °C in 15 s; or
 * it fell more slowly and has turned by now. `notBeforeSeconds` keeps a drop's own fall from being taken for one.
 */
export function findCharge(
  readings: readonly TrustedReading[],
  notBeforeSeconds: number,
  droppedSeconds: number | null,
): ChargeState | null {
  const cooling =
    droppedSeconds !== null && (readings.at(-1)?.timeSeconds ?? 0) - droppedSeconds < limits.chargeAfterDropSeconds;
  const fallC = cooling ? limits.chargeAfterDropFallC : limits.chargeFallC;
  return findFastFall(readings, notBeforeSeconds, fallC) ?? findSlowFall(readings, notBeforeSeconds);
}

/**
 * Few beans in a big drum, or a thick probe: looked for only when the probe has turned, since a drum that is cooled
 * between two batches falls alike. That one doesn't turn as soon, and falls as fast in the end as at first.
 */
function findSlowFall(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  // A drum that was heated up may have been colder before.
  const lowest = lowestSince(readings, newest.timeSeconds - limits.chargeSlowToldSeconds);
  if (!lowest || level - lowest.tempC < limits.turnRiseC) return null;
  if (newest.timeSeconds - lowest.timeSeconds < limits.turnRiseSeconds) return null;
  const turnSeconds = lowest.timeSeconds;
  const earliest = Math.max(notBeforeSeconds, turnSeconds - limits.chargeSlowTurnWithinSeconds);
  const peak = highest(within(readings, earliest, turnSeconds));
  if (!peak || peak.tempC < limits.chargeSlowMinC || peak.tempC - lowest.tempC < limits.chargeSlowFallC) return null;
  if (level - lowest.tempC < limits.chargeSlowRiseShare * (peak.tempC - lowest.tempC)) return null;
  const knee = kneeOf(readings, peak, lowest.tempC, limits.chargeSlowFallC);
  const fall = knee.tempC - lowest.tempC;
  const falling = turnSeconds - knee.timeSeconds;
  const stillFrom = knee.timeSeconds - limits.chargeSlowStillSeconds;
  const watched = knee.timeSeconds - (readings[0]?.timeSeconds ?? knee.timeSeconds);
  if (knee.timeSeconds < notBeforeSeconds || watched < limits.chargeSlowLeastSeconds) return null;
  if (falling < limits.turnAfterSeconds || fall < limits.chargeSlowFallC) return null;
  if (fall < limits.chargeSlowNoiseTimes * noiseBefore(readings, knee.timeSeconds)) return null;
  const before = trendOf(within(readings, stillFrom, knee.timeSeconds));
  const halfway = newestLevel(within(readings, knee.timeSeconds, knee.timeSeconds + falling / 2));
  if (!before || halfway === undefined || knee.tempC - halfway < fall * limits.chargeSlowFirstHalfShare) return null;
  // A drum may drift down before it is charged; then the fall must be far steeper.
  const steepness = (halfway - knee.tempC) / (falling / 2);
  const steepest = Math.min(limits.chargeSlowSteepness, limits.chargeSteeperThanBefore * before.slopePerSecond);
  if (steepness > steepest) return null;
  return chargeAt(readings, knee, peak, lowest.tempC);
}

/**
 * What was taken for a drop was the next charge: the drum had been emptied without the probe showing it, or the roast
 * broken off, and then stood at its temperature. Only cold beans take so much off the probe so fast and then warm up again
 * steadily. Asked after a drop that is certain.
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
  // The reading of the drop belongs to the roast it ended.
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
  // Beans warm steadily up to their drop; an empty drum stands or cools, or is heated up.
  const before = trendOf(within(readings, droppedSeconds - 2 * limits.chargeBeforeSeconds, droppedSeconds));
  if (!before || isRoasting(before.slopePerSecond)) return null;
  const early = lowestOf(within(fallen, top.timeSeconds, top.timeSeconds + limits.rechargeFallSeconds));
  if (!early || top.tempC - early.tempC < limits.chargeCertainFallC) return null;
  return chargeAt(readings, knee, top, lowest.tempC);
}

function isRoasting(risePerSecond: number): boolean {
  return risePerSecond > limits.rechargeStillPerSecond && risePerSecond < limits.rechargeHeatedPerSecond;
}

/** As most charges look: beans in a drum that was heated for them. */
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
    slopeBefore: Math.min(limits.chargeSlopeMost, Math.max(limits.chargeSlopeLeast, before?.slopePerSecond ?? 0)),
    fromStart: first !== undefined && knee.timeSeconds - first.timeSeconds < 2,
    cold: false,
    certain: false,
  };
}

/**
 * The last reading before the fall: with the whole fall known, the last one that has less than 3% of it behind it; of
 * `leastFallC` where it is shallower, or not over yet. A share rather than a figure, because a thin probe in a sample roaster and a thick one in a 30 kg drum fall alike only
 * in shape.
 */
export function kneeOf(readings: readonly TrustedReading[], peak: Moment, lowestC: number, leastFallC: number) {
  const still = trendOf(within(readings, peak.timeSeconds - limits.chargeBeforeSeconds, peak.timeSeconds));
  const noiseC = limits.chargeKneeScatters * (still?.scatterC ?? 0);
  const tolerance = Math.max(noiseC, Math.max(peak.tempC - lowestC, leastFallC) * limits.chargeKneeShare);
  let knee: Moment = peak;
  for (const [index, reading] of readings.entries()) {
    if (reading.timeSeconds < peak.timeSeconds) continue;
    const fallen = peak.tempC - reading.tempC >= tolerance;
    // One noisy reading is no fall.
    if (fallen && peak.tempC - (readings[index + 1]?.tempC ?? reading.tempC) >= tolerance) break;
    if (!fallen) knee = reading;
  }
  const corner = cornerOf(readings, knee, lowestC);
  return fittedKnee(readings, acrossSilence(readings, corner, lowestC), lowestC);
}

/** The fitted onset of the fall around a rough knee; the knee itself where nothing was read around it. */
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
 * Where nothing was read when the beans went in, the fall that was seen afterwards is followed back to the level it left:
 * it tends to a little below its lowest, where the heat has bent it up, and was the steeper the earlier.
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
 * A drum that cools or drifts down is charged where its fall becomes a steep one: at the corner, the reading that lies
 * highest above the straight line to the lowest. Without a drift that is the knee itself.
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

/** Beans in a cold machine: the temperature leaves the level it stood at. For machines that are charged cold. */
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

/** The last reading on the level the probe stood at; its noise is allowed for. */
function leftLevel(readings: readonly TrustedReading[], lowest: TrustedReading): TrustedReading {
  const risen = readings.findLast(({ tempC }) => tempC - lowest.tempC <= limits.coldStartClearC) ?? lowest;
  const still = within(readings, risen.timeSeconds - limits.coldStartLevelSeconds, risen.timeSeconds);
  const level = middleOf(still.map(({ tempC }) => tempC)) ?? lowest.tempC;
  const scatter = middleOf(still.map(({ tempC }) => Math.abs(tempC - level))) ?? 0;
  const tolerance = Math.max(limits.coldStartStillC, limits.coldStartScatters * scatter);
  return (
    readings.findLast(({ timeSeconds, tempC }) => timeSeconds <= risen.timeSeconds && tempC - level <= tolerance) ??
    lowest
  );
}

/** `settled`: the probe came back and stands; nothing that follows can make it a charge. */
export type ChargeVerdict = 'wait' | 'certain' | 'none' | 'settled';

/**
 * Whether a fall was beans. Beans take so much off the probe as nothing else does, or keep it down for long, or warm it up
 * past where it was, and always go on warming. A door, a fan or a cooled drum comes back to the level or the line that it
 * left and settles there, or doesn't come back at all.
 */
export function judgeCharge(
  charge: ChargeState,
  readings: readonly TrustedReading[],
  turn: TurnState | null,
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
  const deep = fall >= limits.chargeCertainFallC;
  if (!turn) {
    if (age > limits.chargeWithoutTurnSeconds) return 'none';
    const fizzled = fall < limits.chargeShallowFallC && age > limits.chargeShallowSeconds;
    return !deep && (fizzled || back > limits.chargeRecoveredShare) ? 'none' : 'wait';
  }
  if (deep) return turn.certain ? 'certain' : 'wait';
  return judgeShallowCharge(charge, readings, turn, level);
}

/** A fall that a door makes too. What comes back to a level slows down on its way there, beans don't. */
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
  const { fastest, latest, slowest } = recovery;
  const slowed = slowest.perSecond + slowest.error < limits.recoverySlowedShare * (fastest.perSecond - fastest.error);
  const slopeBefore = charge.slopeBefore ?? 0;
  const wasHeated = slopeBefore >= limits.chargeWarmingPerSecond;
  // In a drum that was being heated up it may still leave the line of before.
  if (slowed && back > limits.recoverySlowedBack) return wasHeated ? 'none' : 'settled';
  const steady = latest.perSecond + latest.error >= limits.recoverySteadyShare * fastest.perSecond;
  const warming = steady && latest.perSecond >= limits.chargeWarmingPerSecond;
  if (sinceTurn >= limits.chargeFewBeansSeconds) {
    if (standsAtBottom(charge, readings)) return 'settled';
    if (warming && (back < limits.chargeRecoveredShare || fall >= limits.recoveryTellingFallC)) return 'certain';
  }
  const lineC = charge.peakC + Math.max(0, slopeBefore) * age;
  const belowLine = (lineC - level) / fall;
  const past = level - charge.peakC >= limits.chargePastPeakC;
  const ownWay = !wasHeated || belowLine > limits.chargeBelowLineShare || level > lineC + limits.chargePastPeakC;
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
  if (age > limits.chargeWithoutTurnSeconds) return warming ? 'certain' : 'settled';
  return 'wait';
}

/** A probe that was moved falls at once and then stands for much longer than it fell. Beans turn it as slowly as they cooled it. */
function standsAtBottom(charge: ChargeState, readings: readonly TrustedReading[]): boolean {
  const nearC = charge.lowestC + limits.recoveryBottomShare * (charge.tempC - charge.lowestC);
  const near = readings.filter(({ timeSeconds, tempC }) => timeSeconds > charge.timeSeconds && tempC <= nearC);
  const [first, last] = [near[0], near.at(-1)];
  if (!first || !last) return false;
  const fell = first.timeSeconds - charge.timeSeconds;
  const stood = last.timeSeconds - first.timeSeconds;
  return stood > Math.max(limits.recoveryStandsSeconds, limits.recoveryStandsTimes * fell);
}

/** Whether the probe is far above where it fell from, above the line it followed, and goes on warming up. */
export function isWarmingPast(charge: ChargeState, readings: readonly TrustedReading[]): boolean {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  const rate = trendOf(lastWatched(readings, limits.chargeRateSeconds));
  if (!newest || level === undefined || !rate) return false;
  const lineC = charge.peakC + Math.max(0, charge.slopeBefore ?? 0) * (newest.timeSeconds - charge.timeSeconds);
  return level >= lineC + limits.chargeReconsiderC && rate.slopePerSecond >= limits.chargeWarmingPerSecond;
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
