import type { ChargeState, TurnState } from './charge-knee.ts';
import { hasComeBack, isWarmingPast } from './charge-verdict.ts';
import { detectionLimits as limits } from './detection-limits.ts';
import {
  report,
  reportCharge,
  reportDrop,
  retract,
  startOver,
  type DetectorSnapshot,
  type DoubtedCharge,
} from './detector-memory.ts';
import { markOfDrop, type DropState } from './drop-detection.ts';
import type { Finding } from '../curves/findings.ts';
import type { TrustedReading } from './reading-filter.ts';
import { lowestOf, newestLevel, noiseBefore, trendOf, within } from './readings.ts';

/** Reopens a retracted charge if the probe keeps warming past its former level. */
export function reconsider(memory: DetectorSnapshot, newest: TrustedReading): Finding[] {
  const { refuted } = memory;
  if (!refuted) return [];
  const { charge, turn, settled } = refuted;
  if (newest.timeSeconds - charge.timeSeconds > limits.chargeReconsiderSeconds) {
    memory.refuted = null;
    return [];
  }
  if (!turn || settled) return [];
  if (hasComeBack(memory.readings, turn)) {
    memory.refuted = { charge, turn, settled: true };
    return [];
  }
  if (!isWarmingPast(charge, memory.readings)) return [];
  Object.assign(memory, {
    state: 'roasting',
    charge: { ...charge, certain: true },
    turn,
    refuted: null,
    doubted: null,
  });
  return [
    ...reportCharge(memory, { ...charge, certain: true }),
    ...report(memory, 'turning_point', turn.timeSeconds, turn.tempC, 0.7, false),
  ];
}

/**
 * Keeps a retracted charge or a slight fall: it may still turn out to be the charge. The last one before a steady rise
 * counts.
 */
export function doubt(memory: DetectorSnapshot, charge: ChargeState, turn: TurnState | null): void {
  if (!turn || charge.cold || mayBeItsDrop(memory, charge)) return;
  memory.doubted = { charge, turn, topC: turn.tempC, topSeconds: turn.timeSeconds };
}

/** Follows the rise after a retracted charge. If the probe rises no further, there was no roast. */
export function followDoubted(memory: DetectorSnapshot, nowSeconds: number): void {
  const { doubted } = memory;
  if (!doubted) return;
  const level = newestLevel(memory.readings, limits.peakSpanSeconds) ?? doubted.topC;
  if (level >= doubted.topC) Object.assign(doubted, { topC: level, topSeconds: nowSeconds });
  if (nowSeconds - doubted.charge.timeSeconds >= limits.dropMinRoastSeconds) doubted.laterC ??= level;
  const stood = nowSeconds - doubted.topSeconds > limits.dropStalledSeconds;
  if (stood || nowSeconds - doubted.charge.timeSeconds > limits.doubtedRoastSeconds) memory.doubted = null;
}

/**
 * Whether a fall may be the drop of the roast whose charge was retracted: the probe rose from the turn to this fall, as
 * far and as long as in a roast. After a door it recovers sooner.
 */
export function mayBeItsDrop({ doubted, readings }: DetectorSnapshot, fall: ChargeState): boolean {
  if (!doubted || doubted.laterC === undefined) return false;
  const { turn, topC, laterC } = doubted;
  if (fall.peakC - turn.tempC < limits.doubtedRiseC || fall.peakC - laterC < limits.doubtedLaterRiseC) return false;
  // The top is the maximum of many readings.
  const noiseC = noiseBefore(readings, fall.peakSeconds);
  return fall.peakC >= topC - limits.dropDeclineC - limits.dropFallScatters * noiseC;
}

/** Whether a fall may be the drop of the previous roast, which ended because it stood still. */
export function mayEndStanding({ stoodAtC, droppedSeconds }: DetectorSnapshot, fall: ChargeState): boolean {
  if (typeof stoodAtC !== 'number' || droppedSeconds === null) return false;
  const since = fall.timeSeconds - droppedSeconds;
  return since <= limits.dropStalledSeconds && Math.abs(fall.peakC - stoodAtC) <= limits.dropDeclineC;
}

/**
 * The fall was the drop: reports the whole roast. If there is no drop in this fall, nothing is reported and null is
 * returned.
 */
export function completeDoubted(
  memory: DetectorSnapshot,
  fall: ChargeState,
  level: number | undefined = newestLevel(memory.readings),
): Finding[] | null {
  const { doubted, readings } = memory;
  if (!doubted || level === undefined || !mayBeItsDrop(memory, fall)) return null;
  if (fall.peakC - fall.lowestC < limits.dropCertainFallC || fall.peakC - level < limits.dropFallC) return null;
  // A door in a drum that is held at its temperature lets the heat return.
  const before = trendOf(within(readings, fall.peakSeconds - limits.dropStalledRateSeconds, fall.peakSeconds));
  const rose = before !== undefined && before.slopePerSecond >= limits.dropStalledPerSecond;
  if (!rose && fall.peakC - level < limits.dropCertainFallC) return null;
  const findings = roastOf(memory, doubted, fall, false);
  memory.droppedSeconds = memory.said.drop?.timeSeconds ?? fall.timeSeconds;
  memory.brokenOff = false;
  startOver(memory, 'dropped');
  memory.doubted = null;
  return findings;
}

/** The next charge follows soon after a fall that may be the drop. */
export function completeBefore(memory: DetectorSnapshot, fall: ChargeState, next: ChargeState): Finding[] | null {
  const between = lowestOf(within(memory.readings, fall.timeSeconds, next.timeSeconds));
  return between ? completeDoubted(memory, { ...fall, lowestC: between.tempC }, next.peakC) : null;
}

/** The recording ends soon after a fall that may be the drop: reports the roast with a provisional drop. */
export function finishDoubted(memory: DetectorSnapshot, fall: ChargeState): Finding[] | null {
  const { doubted } = memory;
  const fallen = fall.peakC - fall.lowestC >= limits.dropCertainFallC;
  return doubted && fallen && mayBeItsDrop(memory, fall) ? roastOf(memory, doubted, fall, true) : null;
}

/** The marks of a roast whose charge had been retracted. They replace the earlier report of its drop as a charge. */
function roastOf(
  memory: DetectorSnapshot,
  { charge, turn }: DoubtedCharge,
  fall: ChargeState,
  provisional: boolean,
): Finding[] {
  const drop: DropState = {
    ...markOfDrop(memory.readings, { timeSeconds: fall.peakSeconds, tempC: fall.peakC }, fall.lowestC),
    peakC: fall.peakC,
    peakSeconds: fall.peakSeconds,
    deepestC: fall.lowestC,
    dip: false,
    early: false,
    deepSinceSeconds: null,
  };
  return [
    ...(memory.said.dry_end ? [retract(memory, 'dry_end')] : []),
    ...reportCharge(memory, { ...charge, certain: true }),
    ...report(memory, 'turning_point', turn.timeSeconds, turn.tempC, 0.7, false),
    ...reportDrop(memory, drop, provisional),
  ];
}
