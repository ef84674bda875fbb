import { type MarkKind, markOf } from '@roastery/roasting/marks';
import { phasesOf } from '@roastery/roasting/curves/phases';
import type { BootClocks, Place } from '../../../recordings/recordings.ts';
import type { EffectiveMark } from '../marks/effective-marks.ts';

/** A mark on the roast's own axis: seconds since charge. */
export interface TimedMark {
  readonly kind: MarkKind;
  readonly timeSeconds: number;
  /** °C. */
  readonly tempC: number | null;
  readonly mark: EffectiveMark;
}

/** The board's resolution is milliseconds; anything finer is rounding noise. */
const seconds = (ms: number): number => Math.round(ms) / 1000;

/**
 * The marks in seconds since charge, or since `origin` without one. Without either there is no axis and the answer is
 * empty.
 */
export const timedMarks = (marks: readonly EffectiveMark[], clocks: BootClocks, origin?: Place): TimedMark[] => {
  const zero = markOf(marks, 'charge') ?? origin;
  if (zero === undefined) return [];
  return marks.flatMap((mark) => {
    const mono = clocks.onClockOf(zero.boot_no, mark.boot_no, mark.mono_ms);
    if (mono === undefined) return [];
    return [{ kind: mark.kind, timeSeconds: seconds(mono - zero.mono_ms), tempC: mark.temp, mark }];
  });
};

/**
 * The derived columns of `roasts`, so that lists can show and sort them. Temperatures °C, times in seconds since
 * charge.
 */
export interface RoastFigures {
  readonly duration_seconds: number | null;
  readonly charge_temp: number | null;
  readonly drop_temp: number | null;
  readonly first_crack_time: number | null;
  readonly first_crack_temp: number | null;
  /** By a person or the machine: marks of a detector alone are not used for predictions. */
  readonly first_crack_observed: boolean;
  readonly development_time_seconds: number | null;
  readonly development_time_ratio: number | null;
}

export const roastFigures = (marks: readonly TimedMark[]): RoastFigures => {
  const summary = phasesOf(marks);
  const crack = markOf(marks, 'first_crack');
  return {
    duration_seconds: summary.totalSeconds,
    charge_temp: markOf(marks, 'charge')?.tempC ?? null,
    drop_temp: markOf(marks, 'drop')?.tempC ?? null,
    first_crack_time: crack?.timeSeconds ?? null,
    first_crack_temp: crack?.tempC ?? null,
    first_crack_observed: crack !== undefined && crack.mark.origin !== 'detector',
    development_time_seconds: summary.developmentSeconds,
    development_time_ratio: summary.developmentRatio,
  };
};
