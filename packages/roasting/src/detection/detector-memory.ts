import type { ChargeState, TurnState } from './charge-knee.ts';
import { chargeConfidence } from './charge-verdict.ts';
import { lookBackSeconds } from './detection-limits.ts';
import { dropConfidence, type DropState } from './drop-detection.ts';
import type { DetectedKind, Detection, Finding, Retraction, RoastState } from '../curves/findings.ts';
import { emptyReadingFilter, type ReadingFilterState, type TrustedReading } from './reading-filter.ts';

/** A charge that was retracted although the probe turned, and how far the probe has risen since. Plain data. */
export interface DoubtedCharge {
  readonly charge: ChargeState;
  readonly turn: TurnState;
  topC: number;
  topSeconds: number;
  /** The temperature at which the shortest roast would be over. */
  laterC?: number;
}

/** Everything the detector remembers, as plain JSON. */
export interface DetectorSnapshot {
  readonly version: 1;
  state: RoastState;
  filter: ReadingFilterState;
  readings: TrustedReading[];
  lastSeconds: number | null;
  backwards: number;
  charge: ChargeState | null;
  turn: TurnState | null;
  dryEnd: { timeSeconds: number; certain: boolean } | null;
  peak: { timeSeconds: number; tempC: number } | null;
  drop: DropState | null;
  droppedSeconds: number | null;
  /** The roast that ended then was aborted, or was not a roast. */
  brokenOff?: boolean;
  /** The top of the roast that ended then, if it stood still and no fall was seen: its drop may follow. */
  stoodAtC?: number | null;
  /** A retracted charge and its turning point: it may still turn out to be a charge. Absent in older snapshots. */
  refuted?: { readonly charge: ChargeState; readonly turn: TurnState | null; readonly settled: boolean } | null;
  /** A retracted charge that may have begun a roast, which its drop will show; absent in older snapshots. */
  doubted?: DoubtedCharge | null;
  /** The last report of each kind, so that only changes are reported. */
  said: Partial<Record<DetectedKind, Detection>>;
}

export function emptyMemory(): DetectorSnapshot {
  return {
    version: 1,
    state: 'idle',
    filter: emptyReadingFilter(),
    readings: [],
    lastSeconds: null,
    backwards: 0,
    charge: null,
    turn: null,
    dryEnd: null,
    peak: null,
    drop: null,
    droppedSeconds: null,
    refuted: null,
    doubted: null,
    said: {},
  };
}

/** Time must rise. A few samples out of order are ignored; if they continue, the source has restarted. */
export function acceptTime(memory: DetectorSnapshot, timeSeconds: number): boolean {
  if (!Number.isFinite(timeSeconds)) return false;
  if (memory.lastSeconds !== null && timeSeconds <= memory.lastSeconds) {
    memory.backwards++;
    if (memory.backwards < 5) return false;
    Object.assign(memory, emptyMemory());
  }
  memory.backwards = 0;
  memory.lastSeconds = timeSeconds;
  return true;
}

/** Keeps the readings in which a mark that is not certain yet may have to be found. */
export function forget(memory: DetectorSnapshot, nowSeconds: number): void {
  const undecided =
    memory.drop?.peakSeconds ?? (memory.charge && !memory.charge.certain ? memory.charge.peakSeconds : nowSeconds);
  const lookBack = memory.state === 'roasting' ? lookBackSeconds.roasting : lookBackSeconds.waiting;
  const keepFrom = Math.min(nowSeconds, undecided) - lookBack;
  const first = memory.readings[0];
  // In steps, so that the buffer is not copied for every reading.
  if (first && first.timeSeconds < keepFrom - 15) {
    memory.readings = memory.readings.filter(({ timeSeconds }) => timeSeconds >= keepFrom);
  }
}

/** Ends the roast, if there is one: the next charge begins another. */
export function startOver(memory: DetectorSnapshot, state: RoastState): void {
  Object.assign(memory, { state, charge: null, turn: null, dryEnd: null, peak: null, drop: null, said: {} });
}

/** Reports a mark when it is new, has moved by half a second, or has become clearly more certain. */
export function report(
  memory: DetectorSnapshot,
  kind: DetectedKind,
  timeSeconds: number,
  tempC: number,
  confidence: number,
  provisional: boolean,
): Finding[] {
  const last = memory.said[kind];
  const same =
    last !== undefined &&
    Math.abs(last.timeSeconds - timeSeconds) < 0.5 &&
    Math.abs(last.confidence - confidence) < 0.1 &&
    last.provisional === provisional;
  if (same) return [];
  const detection: Detection = { kind, timeSeconds, tempC, origin: 'detector', confidence, provisional };
  memory.said[kind] = detection;
  return [detection];
}

export function reportCharge(memory: DetectorSnapshot, charge: ChargeState): Finding[] {
  return report(memory, 'charge', charge.timeSeconds, charge.tempC, chargeConfidence(charge), !charge.certain);
}

export function reportDrop(memory: DetectorSnapshot, drop: DropState, provisional: boolean): Finding[] {
  return report(memory, 'drop', drop.timeSeconds, drop.tempC, dropConfidence(drop, !provisional), provisional);
}

export function retract(memory: DetectorSnapshot, kind: DetectedKind): Retraction {
  delete memory.said[kind];
  return { retract: kind };
}

export function retractAll(memory: DetectorSnapshot): Retraction[] {
  const kinds: readonly DetectedKind[] = ['drop', 'dry_end', 'turning_point', 'charge'];
  return kinds.filter((kind) => memory.said[kind] !== undefined).map((kind) => retract(memory, kind));
}
