import {
  chargeConfidence,
  findCharge,
  findChargeInDrop,
  findColdStart,
  isFewBeans,
  isNoCharge,
  kneeOf,
  type ChargeState,
} from './charge-detection.ts';
import { detectionLimits as limits } from './detection-limits.ts';
import {
  acceptTime,
  emptyMemory,
  forget,
  report,
  retract,
  retractAll,
  startOver,
  type DetectorSnapshot,
} from './detector-memory.ts';
import { dropConfidence, findDrop, judgeDrop, markOfDrop, type DropState } from './drop-detection.ts';
import type { DetectorSample, Finding, RoastState } from './findings.ts';
import { trustedReadings, type TrustedReading } from './reading-filter.ts';
import { newestLevel, within } from './readings.ts';
import { isReading } from './series.ts';
import { findTurn, type TurnState } from './turn-detection.ts';

export { isRetraction } from './findings.ts';
export type { DetectedKind, Detection, DetectorSample, Finding, Retraction, RoastState } from './findings.ts';
export type { DetectorSnapshot } from './detector-memory.ts';

export interface DetectorOptions {
  /** How the machine is charged: `hot` (default), or `cold` for fluid beds and sample roasters started with the beans in. */
  readonly charging?: 'hot' | 'cold';
  /** Bean temperature that counts as dry end; 150 °C unless the roastery has its own. */
  readonly dryEndC?: number;
}

export interface RoastDetector {
  readonly state: RoastState;
  /**
   * Takes the next sample and answers what it changes: marks found, moved or confirmed, and marks withdrawn. Findings
   * refer to the present roast; after a certain drop the next `charge` begins a new one. Withdrawing `charge`
   * withdraws its roast. The same samples always give the same findings.
   */
  push(sample: DetectorSample): Finding[];
  /** A copy of all it remembers, to go on from after a restart with `createRoastDetector(options, snapshot)`. */
  snapshot(): DetectorSnapshot;
}

/**
 * Finds charge, turning point, dry end and drop while the machine runs, at any rate from 4 Hz to a reading every 5 s,
 * irregular, with gaps. It looks back: a mark is first provisional, placed where the curve bent, then moved, confirmed
 * or withdrawn as more readings come in. Nothing ends a roast but a drop that is certain (`provisional: false`).
 *
 * After 15 minutes without a reading in a roast it falls back to `idle` without a drop: what happened isn't known.
 */
export function createRoastDetector(options: DetectorOptions = {}, snapshot?: DetectorSnapshot): RoastDetector {
  const memory: DetectorSnapshot = snapshot ? structuredClone(snapshot) : emptyMemory();
  return {
    get state() {
      return memory.state;
    },
    push: (sample) => pushSample(memory, sample, options),
    snapshot: () => structuredClone(memory),
  };
}

function pushSample(memory: DetectorSnapshot, sample: DetectorSample, options: DetectorOptions): Finding[] {
  if (!acceptTime(memory, sample.timeSeconds) || !isReading(sample.beanTempC)) return [];
  const trusted = trustedReadings(memory.filter, {
    timeSeconds: sample.timeSeconds,
    tempC: sample.beanTempC,
    heat: sample.heatPower ?? null,
    fan: sample.fanSpeed ?? null,
  });
  return trusted.flatMap((reading) => {
    const silence = reading.timeSeconds - (memory.readings.at(-1)?.timeSeconds ?? reading.timeSeconds);
    if (silence > limits.lostAfterSeconds) startOver(memory, 'idle');
    memory.readings.push(reading);
    forget(memory, reading.timeSeconds);
    return memory.state === 'roasting' ? followRoast(memory, reading, options) : awaitCharge(memory, reading, options);
  });
}

function awaitCharge(
  memory: DetectorSnapshot,
  newest: TrustedReading,
  { charging = 'hot' }: DetectorOptions,
): Finding[] {
  const dropped = memory.droppedSeconds;
  const notBefore = dropped === null ? Number.NEGATIVE_INFINITY : dropped + limits.rechargeAfterSeconds;
  if (memory.state === 'dropped' && isAtRest(memory, newest)) memory.state = 'idle';
  const charge =
    charging === 'cold'
      ? findColdStart(memory.readings)
      : (findCharge(memory.readings, notBefore) ??
        (dropped === null ? null : findChargeInDrop(memory.readings, dropped)));
  if (!charge) return [];
  memory.state = 'roasting';
  memory.charge = charge;
  return reportCharge(memory, charge);
}

function isAtRest(memory: DetectorSnapshot, newest: TrustedReading): boolean {
  const since = newest.timeSeconds - (memory.droppedSeconds ?? newest.timeSeconds);
  if (since > limits.idleAtLatestSeconds) return true;
  if (since < limits.rechargeAfterSeconds + limits.idleSeconds) return false;
  const recent = within(memory.readings, newest.timeSeconds - limits.idleSeconds, newest.timeSeconds);
  const oldest = recent[0];
  return oldest !== undefined && oldest.tempC - newest.tempC < limits.idleChangeC;
}

function followRoast(memory: DetectorSnapshot, newest: TrustedReading, options: DetectorOptions): Finding[] {
  const { charge } = memory;
  if (!charge) return [];
  const findings: Finding[] = [];
  if (!charge.certain) {
    findings.push(...followCharge(memory, charge, newest));
    if (memory.state !== 'roasting') return findings;
  }
  if (memory.turn || charge.cold) {
    findings.push(...followDryEnd(memory, newest, options.dryEndC ?? limits.dryEndC));
    findings.push(...followDrop(memory, charge, newest));
  }
  return findings;
}

function followCharge(memory: DetectorSnapshot, charge: ChargeState, newest: TrustedReading): Finding[] {
  charge.lowestC = Math.min(charge.lowestC, newestLevel(memory.readings) ?? newest.tempC);
  const turn = charge.cold ? null : findTurn(memory.readings, charge.timeSeconds);
  if (isNoCharge(charge, newest, turn)) {
    const retracted = retractAll(memory);
    startOver(memory, 'idle');
    return retracted;
  }
  if (charge.cold) {
    charge.certain = newest.tempC > limits.dryEndC;
  } else {
    const peak = { timeSeconds: charge.peakSeconds, tempC: charge.peakC };
    const leastFallC = turn ? limits.chargeKneeLeastFallC : limits.chargeTypicalFallC;
    const knee = kneeOf(memory.readings, peak, charge.lowestC, leastFallC);
    // Where the probe has turned the beans are in: what falls after it, or on a clock that jumped, moves no charge behind it.
    if (!turn || knee.timeSeconds <= turn.timeSeconds) {
      charge.timeSeconds = knee.timeSeconds;
      charge.tempC = knee.tempC;
    }
    memory.turn = turn;
    const deep = charge.peakC - charge.lowestC >= limits.chargeCertainFallC;
    charge.certain = turn?.certain === true && (deep || isFewBeans(charge, newest, turn));
  }
  const findings = [...dropBeforeTurn(memory, turn), ...reportCharge(memory, charge)];
  if (turn) {
    const confidence = turn.certain ? 0.95 : 0.7;
    findings.push(...report(memory, 'turning_point', turn.timeSeconds, turn.tempC, confidence, !turn.certain));
  } else if (memory.said.turning_point) {
    findings.push(retract(memory, 'turning_point'));
  }
  return findings;
}

/** The bean temperature fell on below what was taken for the turning point: what was called a drop since then was none. */
function dropBeforeTurn(memory: DetectorSnapshot, turn: TurnState | null): Finding[] {
  if (memory.charge?.cold || (turn && turn.timeSeconds <= (memory.peak?.timeSeconds ?? turn.timeSeconds))) return [];
  memory.peak = null;
  memory.drop = null;
  memory.dryEnd = null;
  const kinds = ['drop', 'dry_end'] as const;
  return kinds.filter((kind) => memory.said[kind] !== undefined).map((kind) => retract(memory, kind));
}

function followDryEnd(memory: DetectorSnapshot, newest: TrustedReading, dryEndC: number): Finding[] {
  const { dryEnd, turn } = memory;
  // Nothing dries after a drop: what crosses 150 °C while one is suspected waits for the verdict.
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

function followDrop(memory: DetectorSnapshot, charge: ChargeState, newest: TrustedReading): Finding[] {
  const level = newestLevel(memory.readings) ?? newest.tempC;
  followPeak(memory, level, newest.timeSeconds);
  if (!memory.drop) {
    const { peak } = memory;
    memory.drop = peak && findDrop(memory.readings, level, peak, peak.timeSeconds - charge.timeSeconds);
    if (!memory.drop) return [];
    placeDrop(memory, charge, memory.drop);
    return reportDrop(memory, memory.drop, true);
  }
  const { drop } = memory;
  drop.deepestC = Math.min(drop.deepestC, level);
  const fast = newest.timeSeconds - drop.peakSeconds <= limits.dropDipSeconds;
  if (fast && drop.peakC - level >= limits.dropDipC) drop.dip = true;
  const verdict = judgeDrop(drop, memory.readings, level, newest.timeSeconds);
  if (verdict === 'withdraw') {
    memory.drop = null;
    return [retract(memory, 'drop')];
  }
  placeDrop(memory, charge, drop);
  if (verdict === 'wait') return reportDrop(memory, drop, true);
  const findings = reportDrop(memory, drop, false);
  startOver(memory, 'dropped');
  memory.droppedSeconds = drop.timeSeconds;
  return findings;
}

/** The top so far. It rises no faster than beans do: one or two readings above the others, as a bad line makes, are no top to fall from. */
function followPeak(memory: DetectorSnapshot, level: number, nowSeconds: number): void {
  const { peak } = memory;
  const high = Math.min(level, newestLevel(memory.readings, limits.peakSpanSeconds) ?? level);
  if (peak && high < peak.tempC - 0.05) return;
  const since = nowSeconds - (memory.readings.at(-2)?.timeSeconds ?? nowSeconds);
  const reached = peak ? Math.min(high, peak.tempC + limits.peakRiseC + limits.peakRisePerSecond * since) : high;
  memory.peak = { timeSeconds: nowSeconds, tempC: Math.max(reached, peak?.tempC ?? reached) };
}

/** Where the beans left, but never before what came before it in this roast. */
function placeDrop(memory: DetectorSnapshot, charge: ChargeState, drop: DropState): void {
  const { turn, dryEnd } = memory;
  const earliest = Math.max(charge.timeSeconds, turn?.timeSeconds ?? charge.timeSeconds, dryEnd?.timeSeconds ?? 0);
  Object.assign(drop, markOfDrop(memory.readings, { timeSeconds: drop.peakSeconds, tempC: drop.peakC }, drop.deepestC));
  if (drop.timeSeconds >= earliest) return;
  const after = memory.readings.find(({ timeSeconds }) => timeSeconds >= earliest);
  drop.timeSeconds = earliest;
  drop.tempC = after?.tempC ?? drop.peakC;
}

function reportCharge(memory: DetectorSnapshot, charge: ChargeState): Finding[] {
  return report(memory, 'charge', charge.timeSeconds, charge.tempC, chargeConfidence(charge), !charge.certain);
}

function reportDrop(memory: DetectorSnapshot, drop: DropState, provisional: boolean): Finding[] {
  return report(memory, 'drop', drop.timeSeconds, drop.tempC, dropConfidence(drop, !provisional), provisional);
}
