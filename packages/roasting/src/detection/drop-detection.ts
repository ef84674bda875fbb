import { detectionLimits as limits } from './detection-limits.ts';
import { onsetOfFall, type Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import { highest, noiseBefore, silenceSeconds, trendOf, within, type TrendLine } from './readings.ts';

/** The state of a suspected drop. Plain data. */
export interface DropState {
  timeSeconds: number;
  tempC: number;
  /** The top of the bean temperature before it fell, and the last reading near it. */
  peakC: number;
  peakSeconds: number;
  deepestC: number;
  /** The first part of the fall was fast, as when beans leave the probe. */
  dip: boolean;
  /** When the machine switched to cooling, according to heat and fan: it makes the drop surer, and does not place it. */
  witnessSeconds: number | null;
  /** Too cold or too early for a finished roast. */
  early: boolean;
  /** Time since which the fall is deep enough to be certain; null while it is not. */
  deepSinceSeconds: number | null;
  /** Enough of the fall is known: the mark is final. */
  fitted?: boolean;
  /** The last time at which the roast stood still below its top; absent in older snapshots. */
  stalledSeconds?: number;
}

export type DropVerdict = 'wait' | 'withdraw' | 'confirm';

/** Finds a drop: the bean temperature is 2 °C below its top, and below by more than its noise. */
export function findDrop(
  readings: readonly TrustedReading[],
  level: number,
  peak: Moment,
  sinceChargeSeconds: number,
): DropState | null {
  const fall = peak.tempC - level;
  const newest = readings.at(-1);
  // While the temperature rises there is nothing to estimate the noise for: this runs at every sample.
  if (!newest || (fall < limits.dropFallC && peak.tempC - newest.tempC < limits.dropBentFallC)) return null;
  const noiseC = noiseBefore(readings, peak.timeSeconds);
  const minFallC = Math.min(limits.dropCertainFallC, limits.dropFallScatters * noiseC);
  if ((fall < limits.dropFallC || fall < minFallC) && !leftItsLine(readings, peak, minFallC)) return null;
  return dropFrom(readings, peak, level, sinceChargeSeconds);
}

/**
 * Whether the last readings fall one after another and the newest lies far below the line before the top. A stall does not bend
 * a curve that fast.
 */
function leftItsLine(readings: readonly TrustedReading[], peak: Moment, minFallC: number): boolean {
  const newest = readings.at(-1);
  if (!newest) return false;
  const first = readings.findIndex(({ timeSeconds }) => timeSeconds >= newest.timeSeconds - limits.dropBentSpanSeconds);
  const last = readings.slice(Math.min(first, readings.length - limits.dropBentReadings));
  if (newest.timeSeconds - peak.timeSeconds > limits.dropBentSeconds) return false;
  if (last.some(({ tempC }, index) => index > 0 && tempC >= (last[index - 1]?.tempC ?? tempC))) return false;
  if (peak.tempC - newest.tempC < Math.max(limits.dropBentFallC, minFallC)) return false;
  const line = lineBefore(readings, peak.timeSeconds);
  return line !== undefined && line.at(newest.timeSeconds) - newest.tempC >= limits.dropBentBelowLineC;
}

/**
 * Finds a drop at the end of a recording, where too few readings are left for `findDrop`. The last reading lies below the top
 * and clearly below the line before it.
 */
export function findDropAtEnd(readings: readonly TrustedReading[], sinceChargeSeconds: number): DropState | null {
  const newest = readings.at(-1);
  if (!newest) return null;
  const last = within(readings, newest.timeSeconds - limits.dropEndSeconds, newest.timeSeconds);
  const top = highest(last.slice(0, -1));
  const line = top && lineBefore(readings, top.timeSeconds);
  if (!top || !line || top.tempC - newest.tempC < limits.dropEndFallC) return null;
  const below = line.at(newest.timeSeconds) - newest.tempC;
  if (below < Math.max(limits.dropEndBelowLineC, limits.dropEndScatters * line.scatterC)) return null;
  return dropFrom(readings, top, newest.tempC, sinceChargeSeconds);
}

function dropFrom(
  readings: readonly TrustedReading[],
  peak: Moment,
  deepestC: number,
  sinceChargeSeconds: number,
): DropState {
  return {
    ...markOfDrop(readings, peak, deepestC),
    peakC: peak.tempC,
    peakSeconds: peak.timeSeconds,
    deepestC,
    dip: false,
    early: peak.tempC < limits.dropMinC || sinceChargeSeconds < limits.dropMinRoastSeconds,
    deepSinceSeconds: null,
  };
}

/** Places the drop where the curve leaves its line: many operators raise the fan while the beans are still in. */
export function markOfDrop(
  readings: readonly TrustedReading[],
  peak: Moment,
  deepestC: number,
): Pick<DropState, 'timeSeconds' | 'tempC' | 'witnessSeconds'> {
  const after = readings.findIndex(({ timeSeconds }) => timeSeconds > peak.timeSeconds);
  // Readings around an old top have been discarded: that is not a gap.
  const silent = after > 0 && (readings[after]?.timeSeconds ?? 0) - peak.timeSeconds > silenceSeconds;
  const begun = silent ? leftBeforeSilence(readings, peak) : null;
  const knee = silent ? peak : departureFromTrend(readings, peak, deepestC);
  const witness = coolingSwitch(readings, peak.timeSeconds);
  const mark = begun ?? acrossSilence(readings, knee);
  return { timeSeconds: mark.timeSeconds, tempC: mark.tempC, witnessSeconds: witness?.timeSeconds ?? null };
}

/**
 * If there are no readings at the drop, the fall after the gap is extrapolated in a straight line back to the level
 * before it. If the fall is over by then, the mark lies a little before the middle of the gap, because a probe lags.
 */
function acrossSilence(readings: readonly TrustedReading[], knee: Moment): Moment {
  const next = readings.find(({ timeSeconds }) => timeSeconds > knee.timeSeconds);
  const silence = next ? next.timeSeconds - knee.timeSeconds : 0;
  if (!next || silence <= silenceSeconds) return knee;
  const fall = trendOf(within(readings, next.timeSeconds, next.timeSeconds + limits.dropCertainSeconds));
  const since = fall && fall.slopePerSecond < 0 ? (next.tempC - knee.tempC) / fall.slopePerSecond : silence;
  const before = since < silence ? Math.max(0, since) : silence * limits.dropInSilenceShare;
  return { timeSeconds: next.timeSeconds - before, tempC: knee.tempC };
}

/** The last reading on the line, if the last one before a silence lies clearly below it: the fall had begun. */
function leftBeforeSilence(readings: readonly TrustedReading[], last: Moment): Moment | null {
  const before = within(readings, last.timeSeconds - limits.dropTrendSeconds, last.timeSeconds);
  const newest = before.pop();
  const line = trendOf(before);
  if (!newest || !line) return null;
  const below = line.at(newest.timeSeconds) - newest.tempC;
  return below > Math.max(limits.dropBegunC, limits.dropFallScatters * line.scatterC) ? (before.at(-1) ?? null) : null;
}

/** The line the curve followed up to a moment. */
function lineBefore(readings: readonly TrustedReading[], untilSeconds: number): TrendLine | undefined {
  return trendOf(within(readings, untilSeconds - limits.dropTrendSeconds, untilSeconds));
}

/**
 * The fitted onset of the fall: where the bean temperature leaves its line. A slow probe stays at the top for a while after the
 * drop, so the end of the rise is the first sign.
 */
function departureFromTrend(readings: readonly TrustedReading[], peak: Moment, deepestC: number): Moment {
  const corner = cornerOf(readings, peak, deepestC);
  const depth = Math.min(limits.dropOnsetFallC, limits.dropOnsetShare * (corner.tempC - deepestC));
  const fallen = readings.find(
    ({ timeSeconds, tempC }, index) =>
      timeSeconds > corner.timeSeconds &&
      corner.tempC - tempC >= depth &&
      corner.tempC - (readings[index + 1]?.tempC ?? tempC) >= depth,
  );
  const untilSeconds = Math.min(
    (fallen ?? readings.at(-1) ?? corner).timeSeconds,
    corner.timeSeconds + limits.dropOnsetSeconds,
  );
  const steep = untilSeconds - corner.timeSeconds <= limits.dropSteepSeconds;
  const onset = onsetOfFall(readings, {
    fromSeconds: corner.timeSeconds - limits.onsetLevelSeconds,
    untilSeconds,
    earliestSeconds: corner.timeSeconds - (steep ? limits.dropSteepBackSeconds : limits.onsetBackSeconds),
    bends: limits.dropBends,
  });
  return onset ?? corner;
}

/**
 * The corner where a slow decline becomes the steep fall: the reading highest above the chord from the top to the lowest reading.
 * After an early burner cut the temperature stands or declines before the drop. Without a decline this is the top itself.
 */
function cornerOf(readings: readonly TrustedReading[], peak: Moment, deepestC: number): Moment {
  const lowest = readings.find(({ timeSeconds, tempC }) => timeSeconds > peak.timeSeconds && tempC <= deepestC);
  if (!lowest) return peak;
  const fall = peak.tempC - lowest.tempC;
  const slope = -fall / (lowest.timeSeconds - peak.timeSeconds);
  const aboveChord = ({ timeSeconds, tempC }: Moment) => tempC - peak.tempC - slope * (timeSeconds - peak.timeSeconds);
  const dipC = Math.max(limits.dropFallC, limits.dropDipScatters * noiseBefore(readings, lowest.timeSeconds));
  let corner: Moment = peak;
  let lowestBeforeC = peak.tempC;
  for (const reading of within(readings, peak.timeSeconds, lowest.timeSeconds)) {
    lowestBeforeC = Math.min(lowestBeforeC, reading.tempC);
    // A dip that recovered is not a decline.
    if (reading.tempC - lowestBeforeC > dipC) return peak;
    if (aboveChord(reading) > aboveChord(corner)) corner = reading;
  }
  const declined = peak.tempC - corner.tempC;
  return aboveChord(corner) > limits.dropCornerShare * fall && declined < limits.dropDeclineC ? corner : peak;
}

/**
 * When heat or fan began to change on the way to full fan, shortly before the visible fall. Only the fan decides, because many
 * operators cut the burner half a minute before the drop.
 */
function coolingSwitch(readings: readonly TrustedReading[], fallSeconds: number): TrustedReading | null {
  const around = within(
    readings,
    fallSeconds - limits.coolingBeforeFallSeconds,
    fallSeconds + limits.coolingSwitchSeconds,
  );
  const full = around.find(({ fan }) => fan !== null && fan >= limits.coolingFanPercent);
  if (!full) return null;
  const since = within(readings, full.timeSeconds - limits.coolingSwitchSeconds, full.timeSeconds);
  const calm = since[0];
  if (!calm || calm.fan === null || (full.fan ?? 0) - calm.fan < limits.coolingFanRisePercent) return null;
  const changed = since.find(
    ({ fan, heat }) => moved(fan, calm.fan) || (moved(heat, calm.heat) && (heat ?? 0) < (calm.heat ?? 0)),
  );
  return changed ?? null;
}

function moved(value: number | null, from: number | null): boolean {
  return value !== null && from !== null && Math.abs(value - from) > 2;
}

/** Decides about a suspected drop and updates `deepSinceSeconds`. `level` is the newest bean temperature without a single spike. */
export function judgeDrop(
  drop: DropState,
  readings: readonly TrustedReading[],
  level: number,
  nowSeconds: number,
): DropVerdict {
  const age = nowSeconds - drop.peakSeconds;
  const depth = drop.peakC - level;
  if (hasResumed(drop, readings, level, nowSeconds)) return 'withdraw';
  if (drop.early) return depth >= limits.dropEarlyFallC && age >= limits.dropEarlySeconds ? 'confirm' : 'wait';
  if (depth < limits.dropCertainFallC) drop.deepSinceSeconds = null;
  else drop.deepSinceSeconds ??= nowSeconds;
  const held = drop.deepSinceSeconds !== null && nowSeconds - drop.deepSinceSeconds >= limits.dropHoldSeconds;
  if (held && age >= limits.dropCertainSeconds) return 'confirm';
  if (drop.dip && age >= limits.dropDipWaitSeconds) return 'confirm';
  if (age < limits.dropSlowSeconds) return 'wait';
  if (age < limits.dropStalledSeconds && isStalled(drop, readings, level, nowSeconds)) drop.stalledSeconds = nowSeconds;
  // When it falls at last, the mark is placed by that fall.
  const stalled = drop.stalledSeconds !== undefined && nowSeconds - drop.stalledSeconds < limits.dropStalledRateSeconds;
  return stalled ? 'wait' : 'confirm';
}

/** Whether the roast stands still just below its top. An empty drum cools or is heated. */
function isStalled(drop: DropState, readings: readonly TrustedReading[], level: number, nowSeconds: number): boolean {
  const trend = trendOf(within(readings, nowSeconds - limits.dropStalledRateSeconds, nowSeconds));
  const still = trend !== undefined && Math.abs(trend.slopePerSecond) < limits.dropStalledPerSecond;
  return still && drop.peakC - level < limits.dropDeclineC;
}

/**
 * Whether the reading jumped: it is lower from one moment to the next, and rises on as before. Beans that leave a probe
 * take seconds, and an empty drum does not warm it as they did.
 */
export function hasJumped(drop: DropState, readings: readonly TrustedReading[], nowSeconds: number): boolean {
  const near = readings.filter(({ timeSeconds }) => Math.abs(timeSeconds - drop.peakSeconds) <= silenceSeconds);
  const steps = near.flatMap((last) => {
    const next = near.find(({ timeSeconds }) => timeSeconds - last.timeSeconds >= limits.dropJumpSeconds);
    return next ? [{ last, next, fallC: last.tempC - next.tempC }] : [];
  });
  const jump = steps.sort((a, b) => b.fallC - a.fallC)[0];
  if (!jump || nowSeconds - jump.next.timeSeconds < limits.dropCertainSeconds) return false;
  const { last, next, fallC } = jump;
  if (fallC < limits.dropJumpShare * (last.tempC - drop.deepestC)) return false;
  const before = lineBefore(readings, last.timeSeconds);
  const after = trendOf(within(readings, next.timeSeconds, nowSeconds));
  if (!before || !after || before.slopePerSecond < limits.chargeWarmingPerSecond) return false;
  return after.slopePerSecond >= limits.recoverySteadyShare * before.slopePerSecond;
}

/**
 * Whether the roast continues: clearly above the top, or above it and back on its line, as after a pulled trier. An empty hot drum
 * warms the probe to about the top and no further.
 */
function hasResumed(drop: DropState, readings: readonly TrustedReading[], level: number, nowSeconds: number): boolean {
  const above = level - drop.peakC;
  if (above >= limits.dropResumedC) return true;
  if (above < limits.dropOnLineC) return false;
  const line = lineBefore(readings, drop.peakSeconds);
  return line !== undefined && level >= line.at(nowSeconds) - limits.dropNearLineC;
}

/** Confidence from depth, certainty and the cooling switch; halved for an aborted roast. */
export function dropConfidence(drop: DropState, certain: boolean): number {
  const depth = Math.min(1, (drop.peakC - drop.deepestC) / limits.dropCertainFallC);
  const evidence = 0.3 + 0.4 * depth + (drop.witnessSeconds === null ? 0 : 0.1) + (certain ? 0.18 : 0);
  return Math.round((drop.early ? evidence * 0.5 : evidence) * 100) / 100;
}
