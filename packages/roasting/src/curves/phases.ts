import { markOf, type Mark, type MarkKind } from '../marks.ts';
import { isReading, valueAt, type Reading } from './series.ts';

export const phaseNames = ['drying', 'maillard', 'development'] as const;
export type PhaseName = (typeof phaseNames)[number];

/** Drying runs from charge to dry end, Maillard to first crack, development to drop. */
const phaseEnds: Record<PhaseName, readonly [MarkKind, MarkKind]> = {
  drying: ['charge', 'dry_end'],
  maillard: ['dry_end', 'first_crack'],
  development: ['first_crack', 'drop'],
};

export interface Phase {
  readonly name: PhaseName;
  /** On the recording's time axis. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly durationSeconds: number;
  /** Share of the time from charge to drop, 0…1; null while there is no drop. */
  readonly share: number | null;
  readonly startTempC: Reading;
  readonly endTempC: Reading;
  /** Mean rate over the phase, °C/min; drying starts at the turning point where it is known. */
  readonly meanRateC: Reading;
}

export interface RoastCurve {
  readonly timesSeconds: ArrayLike<number>;
  readonly beanTempC: ArrayLike<Reading>;
}

export interface PhaseSummary {
  readonly phases: readonly Phase[];
  /** Charge to drop. */
  readonly totalSeconds: number | null;
  /** First crack to drop. */
  readonly developmentSeconds: number | null;
  /** (drop - first crack) / (drop - charge), 0…1. */
  readonly developmentRatio: number | null;
  /** Area under the bean temperature and above 100 °C from turning point to drop, °C·min. */
  readonly areaCMinutes: number | null;
}

type Moment = Pick<Mark, 'kind' | 'timeSeconds' | 'tempC'>;

/**
 * The phases of a roast from its marks. A phase whose two marks aren't both there, or are out of order, is left out.
 * A mark without a temperature takes it from the curve, when one is given.
 */
export function phasesOf(marks: readonly Moment[], curve?: RoastCurve): PhaseSummary {
  const charge = markOf(marks, 'charge');
  const drop = markOf(marks, 'drop');
  const crack = markOf(marks, 'first_crack');
  const totalSeconds = between(charge, drop);
  const tempAt = (mark: Moment): Reading =>
    mark.tempC ?? (curve ? valueAt(curve.timesSeconds, curve.beanTempC, mark.timeSeconds) : null);

  const phases: Phase[] = [];
  for (const name of phaseNames) {
    const [from, to] = phaseEnds[name];
    const start = markOf(marks, from);
    const end = markOf(marks, to);
    const durationSeconds = between(start, end);
    if (!start || !end || durationSeconds === null) continue;
    const turningPoint = name === 'drying' ? markOf(marks, 'turning_point') : undefined;
    const rateFrom = turningPoint && between(turningPoint, end) !== null ? turningPoint : start;
    phases.push({
      name,
      startSeconds: start.timeSeconds,
      endSeconds: end.timeSeconds,
      durationSeconds,
      share: totalSeconds === null ? null : durationSeconds / totalSeconds,
      startTempC: tempAt(start),
      endTempC: tempAt(end),
      meanRateC: meanRate(rateFrom.timeSeconds, tempAt(rateFrom), end.timeSeconds, tempAt(end)),
    });
  }

  const developmentSeconds = between(crack, drop);
  return {
    phases,
    totalSeconds,
    developmentSeconds,
    developmentRatio:
      developmentSeconds === null || totalSeconds === null || developmentSeconds > totalSeconds
        ? null
        : developmentSeconds / totalSeconds,
    areaCMinutes: areaFrom(markOf(marks, 'turning_point') ?? charge, drop, curve),
  };
}

export interface RunningPhase {
  readonly name: PhaseName;
  /** Seconds since the phase began. */
  readonly durationSeconds: number;
  /** Share of the time since the charge, 0…1; in development it is the development time ratio so far. */
  readonly share: number;
}

/** The phase that a running roast is in: the last one whose first mark has passed. Null before the charge. */
export function phaseAt(marks: readonly Pick<Mark, 'kind' | 'timeSeconds'>[], seconds: number): RunningPhase | null {
  const chargeSeconds = markOf(marks, 'charge')?.timeSeconds ?? 0;
  const elapsed = seconds - chargeSeconds;
  if (elapsed <= 0) return null;
  const name = phaseNames.findLast((phase) => {
    const start = phase === 'drying' ? chargeSeconds : markOf(marks, phaseEnds[phase][0])?.timeSeconds;
    return start !== undefined && start <= seconds;
  });
  if (name === undefined) return null;
  const start = name === 'drying' ? chargeSeconds : (markOf(marks, phaseEnds[name][0])?.timeSeconds ?? seconds);
  return { name, durationSeconds: seconds - start, share: (seconds - start) / elapsed };
}

/** Seconds between two marks; null unless both exist and the second is later. */
function between(start: Moment | undefined, end: Moment | undefined): number | null {
  if (!start || !end || end.timeSeconds <= start.timeSeconds) return null;
  return end.timeSeconds - start.timeSeconds;
}

function meanRate(fromSeconds: number, fromC: Reading, toSeconds: number, toC: Reading): Reading {
  if (fromC === null || toC === null || toSeconds <= fromSeconds) return null;
  return ((toC - fromC) / (toSeconds - fromSeconds)) * 60;
}

function areaFrom(start: Moment | undefined, drop: Moment | undefined, curve: RoastCurve | undefined): number | null {
  if (!start || !drop || !curve) return null;
  return areaAbove(curve, start.timeSeconds, drop.timeSeconds);
}

/** Where water leaves the bean. */
const baseC = 100;

/**
 * Area between the bean temperature and the base over a span of time, °C·min. Parts
 * below the base count as zero. Missing readings are bridged by a straight line, because an area with gaps has no
 * meaning.
 */
export function areaAbove(curve: RoastCurve, fromSeconds: number, toSeconds: number): number | null {
  let area = 0;
  let counted = 0;
  let previous: { time: number; above: number } | null = null;
  const length = Math.min(curve.timesSeconds.length, curve.beanTempC.length);
  for (let index = 0; index < length; index++) {
    const time = curve.timesSeconds[index];
    const temp = curve.beanTempC[index];
    if (time === undefined || !isReading(temp) || time < fromSeconds || time > toSeconds) continue;
    const above = temp - baseC;
    if (previous && time > previous.time) {
      area += trapezoidAboveZero(previous.above, above, time - previous.time);
      counted++;
    }
    previous = { time, above };
  }
  return counted === 0 ? null : area / 60;
}

function trapezoidAboveZero(left: number, right: number, width: number): number {
  if (left >= 0 && right >= 0) return ((left + right) / 2) * width;
  if (left <= 0 && right <= 0) return 0;
  const high = Math.max(left, right);
  return (high / 2) * width * (high / (high - Math.min(left, right)));
}
