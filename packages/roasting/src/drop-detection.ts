import { detectionLimits as limits } from './detection-limits.ts';
import type { TrustedReading } from './reading-filter.ts';
import { trendOf, within } from './readings.ts';

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
}

export type DropVerdict = 'wait' | 'withdraw' | 'confirm';

/** What the newest readings suggest: the bean temperature is 2 °C below its top and on the way down. */
export function findDrop(
  readings: readonly TrustedReading[],
  level: number,
  peak: { timeSeconds: number; tempC: number },
  sinceChargeSeconds: number,
): DropState | null {
  if (peak.tempC - level < limits.dropFallC) return null;
  const mark = markOfDrop(readings, peak);
  return {
    ...mark,
    peakC: peak.tempC,
    peakSeconds: peak.timeSeconds,
    deepestC: level,
    dip: false,
    early: peak.tempC < limits.dropMinC || sinceChargeSeconds < limits.dropMinRoastSeconds,
    deepSinceSeconds: null,
  };
}

/** Where the beans left: when the machine switched to cooling, or where the curve leaves its trend. */
export function markOfDrop(
  readings: readonly TrustedReading[],
  peak: { timeSeconds: number; tempC: number },
): Pick<DropState, 'timeSeconds' | 'tempC' | 'witnessSeconds'> {
  const knee = departureFromTrend(readings, peak);
  const witness = coolingSwitch(readings, peak.timeSeconds);
  const mark = witness ?? knee;
  return { timeSeconds: mark.timeSeconds, tempC: mark.tempC, witnessSeconds: witness?.timeSeconds ?? null };
}

/**
 * The last reading that still lies on the line the curve followed, at most 10 s before the last one near the top.
 * A thick probe goes on reading the top for a while after the beans are out; that it no longer rises is the first sign.
 */
function departureFromTrend(
  readings: readonly TrustedReading[],
  peak: { timeSeconds: number; tempC: number },
): { timeSeconds: number; tempC: number } {
  const near = limits.dropKneeToleranceC;
  const before = within(readings, peak.timeSeconds - 2 * limits.dropTrendSeconds, peak.timeSeconds);
  const reached = (before.find(({ tempC }) => peak.tempC - tempC <= near) ?? peak).timeSeconds;
  let last: { timeSeconds: number; tempC: number } = before.at(-1) ?? peak;
  for (const reading of within(readings, peak.timeSeconds, Number.POSITIVE_INFINITY)) {
    if (peak.tempC - reading.tempC > near) break;
    last = reading;
  }
  const trend = trendOf(within(readings, reached - limits.dropTrendSeconds, reached));
  if (!trend || trend.slopePerSecond <= 0) return last;
  const tolerance = Math.min(1, Math.max(near, limits.dropKneeScatters * trend.scatterC));
  const earliest = last.timeSeconds - limits.dropKneeBackSeconds;
  const onTrend = within(readings, earliest, last.timeSeconds).findLast(
    ({ timeSeconds, tempC }) => tempC > trend.at(timeSeconds) - tolerance,
  );
  return onTrend ?? within(readings, earliest, last.timeSeconds)[0] ?? last;
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
export function judgeDrop(drop: DropState, level: number, nowSeconds: number): DropVerdict {
  const age = nowSeconds - drop.peakSeconds;
  const depth = drop.peakC - level;
  const resumed = drop.dip ? limits.dropResumedAfterDipC : limits.dropResumedC;
  if (-depth >= resumed) return 'withdraw';
  if (drop.early) return depth >= limits.dropEarlyFallC && age >= limits.dropEarlySeconds ? 'confirm' : 'wait';
  if (depth < limits.dropCertainFallC) drop.deepSinceSeconds = null;
  else drop.deepSinceSeconds ??= nowSeconds;
  const held = drop.deepSinceSeconds !== null && nowSeconds - drop.deepSinceSeconds >= limits.dropHoldSeconds;
  if (held && age >= limits.dropCertainSeconds) return 'confirm';
  if (drop.dip && age >= limits.dropDipWaitSeconds) return 'confirm';
  if (depth >= limits.dropSlowFallC && age >= limits.dropSlowSeconds) return 'confirm';
  return 'wait';
}

/** How sure: by depth, speed and whether heat and fan agree; a roast broken off stays doubtful. */
export function dropConfidence(drop: DropState, certain: boolean): number {
  const depth = Math.min(1, (drop.peakC - drop.deepestC) / limits.dropCertainFallC);
  const evidence = 0.3 + 0.4 * depth + (drop.witnessSeconds === null ? 0 : 0.1) + (certain ? 0.18 : 0);
  return Math.round((drop.early ? evidence * 0.5 : evidence) * 100) / 100;
}
