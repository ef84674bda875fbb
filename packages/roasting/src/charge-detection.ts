import { detectionLimits as limits, lookBackSeconds } from './detection-limits.ts';
import { onsetOfFall, type Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import {
  highest,
  lastWatched,
  lowestOf,
  lowestSince,
  middleOf,
  newestLevel,
  silenceSeconds,
  trendOf,
  within,
} from './readings.ts';
import type { TurnState } from './turn-detection.ts';

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
 * A charge that the newest readings suggest: in a hot machine the probe, which stood or crept, falls by 10 °C in 15 s; or
 * it fell more slowly and has turned by now. `notBeforeSeconds` keeps a drop's own fall from being taken for one.
 */
export function findCharge(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  return findFastFall(readings, notBeforeSeconds) ?? findSlowFall(readings, notBeforeSeconds);
}

/**
 * Few beans in a big drum, or a thick probe: looked for only when the probe has turned, since a drum that is cooled
 * between two batches falls alike. That one doesn't turn as soon, and falls as fast in the end as at first.
 */
function findSlowFall(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  const lowest = lowestSince(readings, newest.timeSeconds - limits.chargeSlowTurnWithinSeconds);
  if (!lowest || level - lowest.tempC < limits.turnRiseC) return null;
  if (newest.timeSeconds - lowest.timeSeconds < limits.turnRiseSeconds) return null;
  const turnSeconds = lowest.timeSeconds;
  const peak = highest(within(readings, turnSeconds - limits.chargeSlowTurnWithinSeconds, turnSeconds));
  if (!peak || peak.tempC < limits.chargeMinC || peak.tempC - lowest.tempC < limits.chargeFewBeansFallC) return null;
  const knee = kneeOf(readings, peak, lowest.tempC, limits.chargeKneeLeastFallC);
  const stillFrom = knee.timeSeconds - limits.chargeSlowStillSeconds;
  if (knee.timeSeconds < notBeforeSeconds || (readings[0]?.timeSeconds ?? knee.timeSeconds) > stillFrom) return null;
  const before = trendOf(within(readings, stillFrom, knee.timeSeconds));
  if (!before || before.slopePerSecond < limits.chargeSlowStillPerSecond) return null;
  const halfway = within(readings, knee.timeSeconds, (knee.timeSeconds + turnSeconds) / 2).at(-1);
  const fall = knee.tempC - lowest.tempC;
  if (!halfway || knee.tempC - halfway.tempC < fall * limits.chargeSlowFirstHalfShare) return null;
  return chargeAt(readings, knee, peak, lowest.tempC);
}

/**
 * What was taken for a drop was the next charge: the drum had been emptied without the probe showing it, or the roast
 * broken off, and then stood at its temperature. Only cold beans take so much off the probe so fast and then warm up again
 * steadily. Asked after a drop that is certain.
 */
export function findChargeInDrop(readings: readonly TrustedReading[], droppedSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  const since = newest.timeSeconds - droppedSeconds;
  if (since < limits.turnAfterSeconds + limits.rechargeRiseSeconds || since > lookBackSeconds.waiting) return null;
  const fallen = readings.filter(({ timeSeconds }) => timeSeconds >= droppedSeconds);
  // The reading of the drop belongs to the roast it ended.
  const [knee, lowest] = [fallen[1], lowestOf(fallen)];
  const top = highest(within(fallen, droppedSeconds, droppedSeconds + limits.chargeFallSeconds));
  if (!knee || !lowest || !top || level - lowest.tempC < limits.rechargeRiseC) return null;
  const turned = lowest.timeSeconds - droppedSeconds;
  if (turned > limits.rechargeTurnWithinSeconds || since - turned < limits.rechargeRiseSeconds) return null;
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
function findFastFall(readings: readonly TrustedReading[], notBeforeSeconds: number): ChargeState | null {
  const newest = readings.at(-1);
  const level = newestLevel(readings);
  if (!newest || level === undefined) return null;
  const top = highest(lastWatched(readings, limits.chargeFallSeconds));
  if (!top || top.tempC < limits.chargeMinC || top.tempC - level < limits.chargeFallC) return null;
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
  const rough = fromFallingLevel(readings, acrossSilence(readings, knee, lowestC), lowestC);
  return fittedKnee(readings, rough, lowestC);
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

/** A drum that cools is charged where its fall becomes a steep one. */
function fromFallingLevel(readings: readonly TrustedReading[], knee: Moment, lowestC: number) {
  const before = trendOf(within(readings, knee.timeSeconds - limits.chargeBeforeSeconds, knee.timeSeconds));
  if (!before || before.slopePerSecond > limits.chargeCoolingPerSecond) return knee;
  const falling = readings.filter(({ timeSeconds, tempC }) => timeSeconds >= knee.timeSeconds && tempC >= lowestC);
  const slopes = falling.map(({ timeSeconds, tempC }, index) => {
    const next = falling[index + 1];
    return next ? (next.tempC - tempC) / (next.timeSeconds - timeSeconds) : 0;
  });
  const steepest = slopes.reduce((steep, slope) => Math.min(steep, slope), 0);
  if (steepest > before.slopePerSecond * limits.chargeSteeperThanBefore) return knee;
  const steep = slopes.findIndex((slope) => slope < (before.slopePerSecond + steepest) / 3);
  return falling[steep] ?? knee;
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

/** Whether the fall turned out to be something else: it came back, fizzled out, or never turned. */
export function isNoCharge(charge: ChargeState, newest: TrustedReading, turn: TurnState | null): boolean {
  if (charge.cold) return newest.tempC < charge.tempC - limits.chargeFallC;
  const fall = charge.peakC - charge.lowestC;
  const age = newest.timeSeconds - charge.timeSeconds;
  if (fall < limits.chargeCertainFallC && !isFewBeans(charge, newest, turn)) {
    if (newest.tempC - charge.lowestC > fall * limits.chargeRecoveredShare) return true;
    const shallow = fall < (turn === null ? limits.chargeShallowFallC : limits.chargeFewBeansFallC);
    if (shallow && age > limits.chargeShallowSeconds) return true;
  }
  return turn === null && age > limits.chargeWithoutTurnSeconds;
}

/** A shallow fall that doesn't come back as a door's does: it turned long ago and is still down. */
export function isFewBeans(charge: ChargeState, newest: TrustedReading, turn: TurnState | null): boolean {
  if (turn === null || charge.peakC - charge.lowestC < limits.chargeFewBeansFallC) return false;
  return newest.timeSeconds - turn.timeSeconds >= limits.chargeFewBeansSeconds;
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
