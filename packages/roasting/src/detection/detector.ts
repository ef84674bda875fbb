import { findCharge, findChargeInDrop, findChargeInRoast, findColdStart } from './charge-detection.ts';
import { kneeOf, type ChargeState, type TurnState } from './charge-knee.ts';
import { judgeCharge } from './charge-verdict.ts';
import { detectionLimits as limits } from './detection-limits.ts';
import {
  acceptTime,
  emptyMemory,
  forget,
  report,
  reportCharge,
  reportDrop,
  retract,
  retractAll,
  startOver,
  type DetectorSnapshot,
} from './detector-memory.ts';
import {
  completeBefore,
  completeDoubted,
  doubt,
  finishDoubted,
  followDoubted,
  mayBeItsDrop,
  mayEndStanding,
  reconsider,
} from './doubted-charge.ts';
import { findDrop, findDropAtEnd, hasJumped, judgeDrop, markOfDrop, type DropState } from './drop-detection.ts';
import type { DetectorSample, Finding, RoastState } from '../curves/findings.ts';
import { trustedReadings, type TrustedReading } from './reading-filter.ts';
import { newestLevel, within } from './readings.ts';
import { isReading } from '../curves/series.ts';
import { findTurn, followDryEnd } from './turn-and-dry-end.ts';

export { isRetraction } from '../curves/findings.ts';
export type { DetectedKind, Detection, DetectorSample, Finding, Retraction, RoastState } from '../curves/findings.ts';
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
   * Takes the next sample and returns the changes: marks found, moved, confirmed or retracted. Findings refer to the
   * current roast; after a certain drop the next `charge` begins a new one. Retracting `charge` retracts its roast. The
   * same samples always give the same findings.
   */
  push(sample: DetectorSample): Finding[];
  /** Call it at the end of a recording: returns the provisional drop at which the recording stops, if there is one. */
  finish(): Finding[];
  /** A copy of the state, to resume after a restart with `createRoastDetector(options, snapshot)`. */
  snapshot(): DetectorSnapshot;
}

/**
 * Finds charge, turning point, dry end and drop while the machine runs, at any rate from 4 Hz to a reading every 5 s,
 * irregular, with gaps. A mark is provisional at first, then moved, confirmed or retracted as more readings arrive. Only a
 * certain drop (`provisional: false`) ends a roast.
 *
 * After 15 minutes without a reading in a roast it returns to `idle` without a drop.
 */
export function createRoastDetector(options: DetectorOptions = {}, snapshot?: DetectorSnapshot): RoastDetector {
  const memory: DetectorSnapshot = snapshot ? structuredClone(snapshot) : emptyMemory();
  return {
    get state() {
      return memory.state;
    },
    push: (sample) => pushSample(memory, sample, options),
    finish: () => finishRecording(memory),
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
    if (silence > limits.lostAfterSeconds) {
      startOver(memory, 'idle');
      memory.readings = [];
      Object.assign(memory, { refuted: null, doubted: null });
    }
    memory.readings.push(reading);
    forget(memory, reading.timeSeconds);
    return memory.state === 'roasting' ? followRoast(memory, reading, options) : awaitCharge(memory, reading, options);
  });
}

function finishRecording(memory: DetectorSnapshot): Finding[] {
  const { charge, turn, drop, readings } = memory;
  const last = readings.at(-1);
  const doubted = charge && !charge.certain && finishDoubted(memory, charge);
  if (doubted) return doubted;
  if (!charge || !last || drop || !(turn || charge.cold)) return [];
  memory.drop = findDropAtEnd(readings, last.timeSeconds - charge.timeSeconds);
  if (!memory.drop) return [];
  placeDrop(memory, charge, memory.drop);
  return reportDrop(memory, memory.drop, true);
}

function awaitCharge(
  memory: DetectorSnapshot,
  newest: TrustedReading,
  { charging = 'hot' }: DetectorOptions,
): Finding[] {
  const { droppedSeconds: dropped, refuted } = memory;
  const notBefore = Math.max(
    dropped === null ? Number.NEGATIVE_INFINITY : dropped + limits.rechargeAfterSeconds,
    refuted
      ? (refuted.turn?.timeSeconds ?? refuted.charge.timeSeconds) + limits.chargeAnewSeconds
      : Number.NEGATIVE_INFINITY,
  );
  if (memory.state === 'dropped' && isAtRest(memory, newest)) memory.state = 'idle';
  followDoubted(memory, newest.timeSeconds);
  const fall = charging === 'cold' ? findColdStart(memory.readings) : findCharge(memory.readings, notBefore, dropped);
  if (fall?.slight) doubt(memory, fall, findTurn(memory.readings, fall.timeSeconds));
  const inDrop = charging === 'hot' && dropped !== null && (!fall || fall.slight === true);
  const charge = inDrop ? findChargeInDrop(memory.readings, dropped, memory.brokenOff ?? false) : fall;
  if (charge && !charge.slight) {
    memory.state = 'roasting';
    memory.charge = charge;
    memory.refuted = null;
    return reportCharge(memory, charge);
  }
  return reconsider(memory, newest);
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
  const maybeDropped = !charge.certain && mayBeItsDrop(memory, charge);
  if ((memory.turn || charge.cold) && !maybeDropped) {
    findings.push(...followDryEnd(memory, newest, options.dryEndC ?? limits.dryEndC));
    findings.push(...followDrop(memory, charge, newest));
  }
  return findings;
}

function followCharge(memory: DetectorSnapshot, charge: ChargeState, newest: TrustedReading): Finding[] {
  // The median of three ignores an outlier, also when readings are far apart.
  charge.lowestC = Math.min(charge.lowestC, newestLevel(memory.readings, limits.peakSpanSeconds) ?? newest.tempC);
  const turn = charge.cold ? null : findTurn(memory.readings, charge.timeSeconds);
  if (turn) charge.turnedSeconds = turn.timeSeconds;
  const turned = charge.turnedSeconds;
  const again = turned === undefined ? null : findCharge(memory.readings, turned + limits.chargeAnewSeconds, null);
  if (again && !again.slight) return completeBefore(memory, charge, again) ?? chargedAnew(memory, again);
  const dropped = mayBeItsDrop(memory, charge);
  const stood = mayEndStanding(memory, charge);
  const verdict = judgeCharge(charge, memory.readings, turn, dropped || stood);
  const early = dropped && newest.timeSeconds - charge.timeSeconds < limits.doubtedDropSeconds;
  if ((verdict === 'none' || verdict === 'settled') && !early) {
    const completed = completeDoubted(memory, charge);
    if (completed) return completed;
    const retracted = retractAll(memory);
    startOver(memory, 'idle');
    memory.refuted = { charge, turn, settled: verdict === 'settled' };
    if (!stood) doubt(memory, charge, turn);
    return retracted;
  }
  charge.certain = verdict === 'certain';
  if (charge.certain) memory.doubted = null;
  if (!charge.cold) {
    placeCharge(memory.readings, charge, turn);
    memory.turn = turn;
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

/** Fits the mark again when the fall has become deeper, or is over. */
function placeCharge(readings: readonly TrustedReading[], charge: ChargeState, turn: TurnState | null): void {
  const deeper = (charge.placedToC ?? Number.POSITIVE_INFINITY) - charge.lowestC;
  if (deeper < limits.chargePlaceEveryC && !(turn && deeper > 0)) return;
  charge.placedToC = charge.lowestC;
  const peak = { timeSeconds: charge.peakSeconds, tempC: charge.peakC };
  const knee = kneeOf(readings, peak, charge.lowestC, turn ? limits.chargeSlowFallC : limits.chargeTypicalFallC);
  // The charge lies before the turning point, even if the curve falls later or the clock jumped.
  if (turn && knee.timeSeconds > turn.timeSeconds) return;
  charge.timeSeconds = knee.timeSeconds;
  charge.tempC = knee.tempC;
}

/** The first fall was a door or a fan: the charge moves to the second fall. */
function chargedAnew(memory: DetectorSnapshot, charge: ChargeState): Finding[] {
  const kinds = ['drop', 'dry_end', 'turning_point'] as const;
  const retracted = kinds.filter((kind) => memory.said[kind] !== undefined).map((kind) => retract(memory, kind));
  Object.assign(memory, { charge, turn: null, dryEnd: null, peak: null, drop: null });
  return [...retracted, ...reportCharge(memory, charge)];
}

/** Retracts a drop and dry end that lie before the turning point, because the bean temperature fell below the former one. */
function dropBeforeTurn(memory: DetectorSnapshot, turn: TurnState | null): Finding[] {
  if (memory.charge?.cold || (turn && turn.timeSeconds <= (memory.peak?.timeSeconds ?? turn.timeSeconds))) return [];
  memory.peak = null;
  memory.drop = null;
  memory.dryEnd = null;
  const kinds = ['drop', 'dry_end'] as const;
  return kinds.filter((kind) => memory.said[kind] !== undefined).map((kind) => retract(memory, kind));
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
  if (hasJumped(drop, memory.readings, newest.timeSeconds)) {
    Object.assign(memory, { drop: null, peak: { timeSeconds: newest.timeSeconds, tempC: level } });
    return [retract(memory, 'drop')];
  }
  const verdict = judgeDrop(drop, memory.readings, level, newest.timeSeconds);
  if (verdict === 'withdraw') {
    memory.drop = null;
    return [retract(memory, 'drop')];
  }
  if (verdict === 'wait' && drop.early) {
    const again = findChargeInRoast(memory.readings, charge, drop);
    if (again) {
      doubt(memory, charge, memory.turn);
      return chargedAnew(memory, again);
    }
  }
  if (verdict === 'confirm' && mayBeNextCharge(charge, drop)) {
    const again = findChargeInDrop(memory.readings, drop.timeSeconds, true);
    if (again) return chargedAnew(memory, again);
    if (newest.timeSeconds - drop.timeSeconds < limits.rechargeTurnWithinSeconds + limits.rechargeRiseSeconds) {
      placeDrop(memory, charge, drop);
      return reportDrop(memory, drop, true);
    }
  }
  placeDrop(memory, charge, drop);
  if (verdict === 'wait') return reportDrop(memory, drop, true);
  const findings = reportDrop(memory, drop, false);
  startOver(memory, 'dropped');
  memory.droppedSeconds = drop.timeSeconds;
  memory.brokenOff = drop.early;
  memory.stoodAtC = drop.peakC - drop.deepestC < limits.dropCertainFallC ? drop.peakC : null;
  return findings;
}

/**
 * Whether the drop may be the charge of a roast that a dip of the preheat had seemed to begin: beans that cooled the probe
 * so little do not take so much heat with them.
 */
function mayBeNextCharge(charge: ChargeState, drop: DropState): boolean {
  return (
    charge.peakC - charge.lowestC < limits.chargeShallowFallC && drop.peakC - drop.deepestC >= limits.chargeCertainFallC
  );
}

/** Follows the top. It rises no faster than beans do, so one or two outliers do not become the top. */
function followPeak(memory: DetectorSnapshot, level: number, nowSeconds: number): void {
  const { peak } = memory;
  const high = Math.min(level, newestLevel(memory.readings, limits.peakSpanSeconds) ?? level);
  if (peak && high < peak.tempC - 0.05) return;
  const since = nowSeconds - (memory.readings.at(-2)?.timeSeconds ?? nowSeconds);
  const reached = peak ? Math.min(high, peak.tempC + limits.peakRiseC + limits.peakRisePerSecond * since) : high;
  memory.peak = { timeSeconds: nowSeconds, tempC: Math.max(reached, peak?.tempC ?? reached) };
}

/** Places the drop, never before the earlier marks of this roast. */
function placeDrop(memory: DetectorSnapshot, charge: ChargeState, drop: DropState): void {
  const { turn, dryEnd } = memory;
  const fitted = drop.peakC - drop.deepestC > limits.dropOnsetFallC / limits.dropOnsetShare;
  if (fitted && drop.fitted) return;
  drop.fitted = fitted;
  const earliest = Math.max(charge.timeSeconds, turn?.timeSeconds ?? charge.timeSeconds, dryEnd?.timeSeconds ?? 0);
  Object.assign(drop, markOfDrop(memory.readings, { timeSeconds: drop.peakSeconds, tempC: drop.peakC }, drop.deepestC));
  if (drop.timeSeconds >= earliest) return;
  const after = memory.readings.find(({ timeSeconds }) => timeSeconds >= earliest);
  drop.timeSeconds = earliest;
  drop.tempC = after?.tempC ?? drop.peakC;
}
