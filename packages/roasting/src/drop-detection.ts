import { detectionLimits as limits } from './detection-limits.ts';
import { onsetOfFall, type Moment } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';
import { highest, noiseBefore, silenceSeconds, trendOf, within, type TrendLine } from './readings.ts';

/** A drop as far as it is known. Plain data. */
export interface DropState {
  timeSeconds: number;
  tempC: number;
  /** The top of the bean temperature before it fell, and the last reading near it. */
  peakC: number;
  peakSeconds: number;
  deepestC: number;
  /** It fell fast at first, as it does when beans leave the probe. */
  dip: boolean;
  /** The machine switched to cooling at this moment, as heat and fan tell. */
  witnessSeconds: number | null;
  /** Too cold or too soon for a finished roast. */
  early: boolean;
  /** Since when it has been far enough down to be certain; null while it isn't. */
  deepSinceSeconds: number | null;
  /** So much of the fall is known that its mark moves no more. */
  fitted?: boolean;
}

export type DropVerdict = 'wait' | 'withdraw' | 'confirm';

/** What the newest readings suggest: the bean temperature is 2 °C below its top, or further than its noise goes. */
export function findDrop(
  readings: readonly TrustedReading[],
  level: number,
  peak: Moment,
  sinceChargeSeconds: number,
): DropState | null {
  const fall = peak.tempC - level;
  const noiseC = noiseBefore(readings, peak.timeSeconds);
  const leastC = Math.min(limits.dropCertainFallC, limits.dropFallScatters * noiseC);
  if ((fall < limits.dropFallC || fall < leastC) && !leftItsLine(readings, peak, leastC)) return null;
  return dropFrom(readings, peak, level, sinceChargeSeconds);
}

/**
 * The last few readings lie lower each, and the newest is far below the line that the curve followed up to its top: so
 * soon after it no stall bends a curve as much.
 */
function leftItsLine(readings: readonly TrustedReading[], peak: Moment, leastC: number): boolean {
  const newest = readings.at(-1);
  if (!newest) return false;
  const first = readings.findIndex(({ timeSeconds }) => timeSeconds >= newest.timeSeconds - limits.dropBentSpanSeconds);
  const last = readings.slice(Math.min(first, readings.length - limits.dropBentReadings));
  if (newest.timeSeconds - peak.timeSeconds > limits.dropBentSeconds) return false;
  if (last.some(({ tempC }, index) => index > 0 && tempC >= (last[index - 1]?.tempC ?? tempC))) return false;
  if (peak.tempC - newest.tempC < Math.max(limits.dropBentFallC, leastC)) return false;
  const line = lineBefore(readings, peak.timeSeconds);
  return line !== undefined && line.at(newest.timeSeconds) - newest.tempC >= limits.dropBentBelowLineC;
}

/**
 * A drop that the recording ends in: it stops as the bean temperature falls, with too few readings left to be sure. The last
 * reading lies below the top and clearly below the line that led to it.
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

/** Where the beans left: when the machine switched to cooling, or where the curve leaves its trend. */
export function markOfDrop(
  readings: readonly TrustedReading[],
  peak: Moment,
  deepestC: number,
): Pick<DropState, 'timeSeconds' | 'tempC' | 'witnessSeconds'> {
  const after = readings.findIndex(({ timeSeconds }) => timeSeconds > peak.timeSeconds);
  // Readings around an old top are forgotten: that is no silence.
  const silent = after > 0 && (readings[after]?.timeSeconds ?? 0) - peak.timeSeconds > silenceSeconds;
  const begun = silent ? leftBeforeSilence(readings, peak) : null;
  const knee = silent ? peak : departureFromTrend(readings, peak, deepestC);
  const witness = coolingSwitch(readings, peak.timeSeconds);
  const mark = witness ?? begun ?? acrossSilence(readings, knee);
  return { timeSeconds: mark.timeSeconds, tempC: mark.tempC, witnessSeconds: witness?.timeSeconds ?? null };
}

/**
 * Where nothing was read when the beans left, the fall seen afterwards is followed straight back to the level it left. One
 * that is over by then tells nothing: the middle is never far off, and a little before it nearer, since a probe shows late.
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

/** The last reading on the line that the curve followed, where the last one before a silence already lies clearly below it. */
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
 * The fitted onset of the fall: where the bean temperature leaves the line that it followed. A thick probe goes on reading
 * the top for a while after the beans are out; that it no longer rises is the first sign.
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
  const onset = onsetOfFall(readings, {
    fromSeconds: corner.timeSeconds - limits.onsetLevelSeconds,
    untilSeconds: Math.min(
      (fallen ?? readings.at(-1) ?? corner).timeSeconds,
      corner.timeSeconds + limits.dropOnsetSeconds,
    ),
    earliestSeconds: corner.timeSeconds - limits.onsetBackSeconds,
    bends: limits.dropBends,
  });
  return onset ?? corner;
}

/**
 * Where a slow decline becomes the steep fall of a drop: the reading highest above the chord from the top to the lowest
 * reading. A roast whose burner was cut stands or sinks before its drop. Without a decline this is the top itself.
 */
function cornerOf(readings: readonly TrustedReading[], peak: Moment, deepestC: number): Moment {
  const lowest = readings.find(({ timeSeconds, tempC }) => timeSeconds > peak.timeSeconds && tempC <= deepestC);
  if (!lowest) return peak;
  const fall = peak.tempC - lowest.tempC;
  const slope = -fall / (lowest.timeSeconds - peak.timeSeconds);
  const aboveChord = ({ timeSeconds, tempC }: Moment) => tempC - peak.tempC - slope * (timeSeconds - peak.timeSeconds);
  let corner: Moment = peak;
  let lowestBeforeC = peak.tempC;
  for (const reading of within(readings, peak.timeSeconds, lowest.timeSeconds)) {
    lowestBeforeC = Math.min(lowestBeforeC, reading.tempC);
    // What came back from a dip is no decline.
    if (reading.tempC - lowestBeforeC > limits.dropFallC) return peak;
    if (aboveChord(reading) > aboveChord(corner)) corner = reading;
  }
  const declined = peak.tempC - corner.tempC;
  return aboveChord(corner) > limits.dropCornerShare * fall && declined < limits.dropDeclineC ? corner : peak;
}

/**
 * The moment at which heat or fan began to change on the way to a fan on full, shortly before the fall shows. Only the
 * fan decides: many roasters cut the burner half a minute before they drop.
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

/** Whether a suspected drop is one by now; notes in it since when it is deep. `level` is the newest bean temperature without a lone spike. */
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
  return age < limits.dropStalledSeconds && isStalled(drop, readings, level, nowSeconds) ? 'wait' : 'confirm';
}

/** A little below its top and standing still: beans over a low flame. An empty drum cools or is heated. */
function isStalled(drop: DropState, readings: readonly TrustedReading[], level: number, nowSeconds: number): boolean {
  const trend = trendOf(within(readings, nowSeconds - limits.dropStalledRateSeconds, nowSeconds));
  const still = trend !== undefined && Math.abs(trend.slopePerSecond) < limits.dropStalledPerSecond;
  return still && drop.peakC - level < limits.dropDeclineC;
}

/** Clearly above the top, or above it and back on the line it followed: where beans go after a trier was pulled. An empty hot drum warms the probe up to about the top and no further. */
function hasResumed(drop: DropState, readings: readonly TrustedReading[], level: number, nowSeconds: number): boolean {
  const above = level - drop.peakC;
  if (above >= limits.dropResumedC) return true;
  if (above < limits.dropOnLineC) return false;
  const line = lineBefore(readings, drop.peakSeconds);
  return line !== undefined && level >= line.at(nowSeconds) - limits.dropNearLineC;
}

/** How sure: by depth, speed and whether heat and fan agree; a roast broken off stays doubtful. */
export function dropConfidence(drop: DropState, certain: boolean): number {
  const depth = Math.min(1, (drop.peakC - drop.deepestC) / limits.dropCertainFallC);
  const evidence = 0.3 + 0.4 * depth + (drop.witnessSeconds === null ? 0 : 0.1) + (certain ? 0.18 : 0);
  return Math.round((drop.early ? evidence * 0.5 : evidence) * 100) / 100;
}
