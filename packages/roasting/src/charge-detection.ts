import { detectionLimits as limits, lookBackSeconds } from './detection-limits.ts';
import { isTorn, onsetOfFall, type Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import {
  highest,
  lastWatched,
  lowestOf,
  lowestSince,
  medianOf,
  newestLevel,
  noiseBefore,
  silenceSeconds,
  trendOf,
  within,
} from './readings.ts';
import { recoveryOf } from './recovery.ts';
import type { TurnState } from './turn-detection.ts';

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
  return findFastFall(readings, notBeforeSeconds, fallC) ?? findSlowFall(readings, notBeforeSeconds);
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
  if (peak.tempC - lowest.tempC < (slope > 0 ? limits.chargeHeatedFallC : limits.chargeSlowFallC)) return null;
  const levelled = levelledBy(readings, slope, peak.timeSeconds);
  const bottomC = lowest.tempC - slope * (turnSeconds - peak.timeSeconds);
  const knee = kneeOf(levelled, peak, bottomC, limits.chargeSlowFallC);
  const fall = knee.tempC - bottomC;
  const falling = turnSeconds - knee.timeSeconds;
  const stillFrom = knee.timeSeconds - limits.chargeSlowStillSeconds;
  const watched = knee.timeSeconds - (readings[0]?.timeSeconds ?? knee.timeSeconds);
  if (knee.timeSeconds < notBeforeSeconds || watched < limits.chargeSlowMinSeconds) return null;
  if (falling < limits.turnAfterSeconds || fall < limits.chargeSlowFallC) return null;
  if (fall < limits.chargeSlowNoiseTimes * noiseBefore(readings, knee.timeSeconds)) return null;
  const longer = trendOf(within(levelled, knee.timeSeconds - limits.chargeCoolingSeconds, knee.timeSeconds));
  // Every 5 s with losses, the shorter line has too few readings.
  const before = trendOf(within(levelled, stillFrom, knee.timeSeconds)) ?? longer;
  const cooling = Math.min(0, longer?.slopePerSecond ?? 0);
  if (fall + cooling * falling < limits.chargeBelowLineC) return null;
  const halfway = middleOfFall(levelled, knee.timeSeconds, falling);
  const firstHalf = slope > 0 ? limits.chargeHeatedFirstHalfShare : limits.chargeSlowFirstHalfShare;
  if (!before || halfway === undefined || knee.tempC - halfway < fall * firstHalf) return null;
  // If the drum was cooling before the charge, the fall must be much steeper.
  const steepness = (halfway - knee.tempC) / (falling / 2);
  const maxSlope = Math.min(limits.chargeSlowSteepness, limits.chargeSlowSteeperThanBefore * before.slopePerSecond);
  if (steepness > maxSlope) return null;
  const kneeC = knee.tempC + slope * (knee.timeSeconds - peak.timeSeconds);
  return chargeAt(readings, { timeSeconds: knee.timeSeconds, tempC: kneeC }, peak, lowest.tempC);
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

/**
 * The last reading before the fall: less than 3 % of the whole fall lies before it, or of
 * `minFallC` where it is shallower, or not over yet. A share rather than a figure, because a thin probe in a sample roaster and a thick one in a 30 kg drum fall alike only
 * in shape.
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
  const corner = cornerOf(readings, knee, lowestC);
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
 * If there are no readings at the charge, the fall after the silence is extrapolated back to the level before it, as an
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

/** `settled`: rejected for good; later warming does not make it a charge. */
export type ChargeVerdict = 'wait' | 'certain' | 'none' | 'settled';

/**
 * Decides whether a fall is a charge. Beans make the deepest falls, or keep the probe down for long, or warm it past its former
 * level, and they keep warming. After a door or a fan the probe returns to its former level or line and settles there. A
 * cooled drum does not turn.
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

/** Decides about a fall that a door can make too. A return to a level slows down on its way; the warming of beans does not. */
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
  if (slowed && back > limits.recoverySlowedBack) {
    return wasHeated && slowedTo > limits.recoveryStoppedShare ? 'none' : 'settled';
  }
  const mayHaveSlowed = slowedToLikely < limits.recoverySlowedShare && age <= limits.chargeWithoutTurnSeconds;
  const steady = steadyAt >= limits.recoverySteadyShare && !mayHaveSlowed;
  const warming = steady && latest.perSecond >= limits.chargeWarmingPerSecond;
  if (sinceTurn >= limits.chargeFewBeansSeconds) {
    if (standsAtBottom(charge, readings)) return 'settled';
    const even = slowedToLikely >= limits.recoveryEvenShare;
    const tellingFallC = even ? limits.recoveryEvenFallC : limits.recoveryTellingFallC;
    if (warming && (back < limits.chargeRecoveredShare || fall >= tellingFallC)) return 'certain';
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
  if (age <= limits.chargeWithoutTurnSeconds) return 'wait';
  const stillWarming = warming || (past && !slowed && latest.perSecond >= limits.chargeWarmingPerSecond);
  return stillWarming ? 'certain' : 'settled';
}

/** Whether the probe was moved: it falls at once and then stands for much longer than it fell. Beans turn about as fast as they fell. */
function standsAtBottom(charge: ChargeState, readings: readonly TrustedReading[]): boolean {
  const nearC = charge.lowestC + limits.recoveryBottomShare * (charge.tempC - charge.lowestC);
  const near = readings.filter(({ timeSeconds, tempC }) => timeSeconds > charge.timeSeconds && tempC <= nearC);
  const [first, last] = [near[0], near.at(-1)];
  if (!first || !last) return false;
  const fell = first.timeSeconds - charge.timeSeconds;
  const stood = last.timeSeconds - first.timeSeconds;
  return stood > Math.max(limits.recoveryStandsSeconds, limits.recoveryStandsTimes * fell);
}

/** Whether the probe returned and all but stood still: a door, however the drum is heated later. */
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

/** Confidence from the depth of the fall; lower when the recording begins in it, lowest for a cold start. */
export function chargeConfidence(charge: ChargeState): number {
  if (charge.cold) return charge.certain ? 0.4 : 0.3;
  const depth = Math.min(1, (charge.peakC - charge.lowestC) / limits.chargeTypicalFallC);
  const confidence = 0.4 + 0.5 * depth + (charge.certain ? 0.08 : 0);
  return round(charge.fromStart ? confidence * 0.6 : confidence);
}

function round(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}
