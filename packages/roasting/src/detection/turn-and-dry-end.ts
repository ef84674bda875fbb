import { detectionLimits as limits } from './detection-limits.ts';
import { report, retract, type DetectorSnapshot } from './detector-memory.ts';
import type { Finding } from '../curves/findings.ts';
import type { TurnState } from './charge-knee.ts';
import type { TrustedReading } from './reading-filter.ts';
import { newestLevel, within } from './readings.ts';

/**
 * The turning point: the lowest bean temperature later than 20 s after charge, once it has clearly risen again. A flat
 * bottom (a coarse probe reads the same value for a while) gives its middle.
 */
export function findTurn(readings: readonly TrustedReading[], chargeSeconds: number): TurnState | null {
  const newest = readings.at(-1);
  if (!newest) return null;
  let first: TrustedReading | null = null;
  let last: TrustedReading | null = null;
  for (const reading of readings) {
    if (reading.timeSeconds < chargeSeconds + limits.turnAfterSeconds) continue;
    if (!first || reading.tempC < first.tempC) {
      first = reading;
      last = reading;
    } else if (reading.tempC === first.tempC) last = reading;
  }
  if (!first || !last) return null;
  const timeSeconds = (first.timeSeconds + last.timeSeconds) / 2;
  const rise = (newestLevel(readings) ?? newest.tempC) - first.tempC;
  if (rise < limits.turnRiseC || newest.timeSeconds - last.timeSeconds < limits.turnRiseSeconds) return null;
  return { timeSeconds, tempC: first.tempC, certain: rise >= limits.turnCertainRiseC };
}

/** Reports when the beans pass the temperature of dry end, and confirms it if they stay above it. */
export function followDryEnd(memory: DetectorSnapshot, newest: TrustedReading, dryEndC: number): Finding[] {
  const { dryEnd, turn } = memory;
  // No dry end while a drop is suspected.
  if (!dryEnd && memory.drop) return [];
  if (dryEnd?.certain || (turn && turn.tempC >= dryEndC)) return [];
  if (!dryEnd) {
    const before = memory.readings.at(-2);
    if (newest.tempC < dryEndC) return [];
    const crossed =
      before && before.tempC < dryEndC
        ? before.timeSeconds +
          ((dryEndC - before.tempC) / (newest.tempC - before.tempC)) * (newest.timeSeconds - before.timeSeconds)
        : newest.timeSeconds;
    memory.dryEnd = { timeSeconds: crossed, certain: false };
    return report(memory, 'dry_end', crossed, dryEndC, 0.5, true);
  }
  const since = within(memory.readings, dryEnd.timeSeconds, newest.timeSeconds);
  if ((newestLevel(since) ?? dryEndC) < dryEndC) {
    memory.dryEnd = null;
    return [retract(memory, 'dry_end')];
  }
  if (newest.timeSeconds - dryEnd.timeSeconds < limits.dryEndHoldSeconds) return [];
  dryEnd.certain = true;
  // The bean temperature is measured, the colour it stands for is not.
  return report(memory, 'dry_end', dryEnd.timeSeconds, dryEndC, 0.6, false);
}
