import type { ControlPoint } from './control-profile.ts';
import { isReading } from '../curves/series.ts';
import { formatDuration } from '../units.ts';

/** A control profile during a roast: each value is held until the next point, or interpolated every second. */
export interface Guide {
  /** Rising in time. */
  readonly points: readonly ControlPoint[];
  readonly interpolated: boolean;
}

export const controls = ['burner', 'exhaust', 'drumRpm'] as const;
export type Control = (typeof controls)[number];
/** Burner and exhaust in %, drum in revolutions per minute. */
export type Settings = Readonly<Record<Control, number>>;

export interface ControlChange {
  readonly control: Control;
  readonly from: number;
  readonly to: number;
}

export interface GuideStep {
  /** Seconds after charge. */
  readonly atSeconds: number;
  /** Seconds until then; 0 or below while it is due. */
  readonly inSeconds: number;
  /** Reached gradually by `atSeconds`, instead of set at it. */
  readonly gradual: boolean;
  readonly changes: readonly ControlChange[];
}

/** How long a step stays "now" after its time, s. The operator has to read it and turn three knobs. */
export const dueSeconds = 10;

const settingsOf = ({ burner, exhaust, drumRpm }: ControlPoint): Settings => ({ burner, exhaust, drumRpm });

/** Index of the point that applies at a time; the first one applies from the charge. -1 without points. */
const holdingIndex = (points: readonly ControlPoint[], seconds: number): number => {
  const after = points.findIndex(({ timeSeconds }) => timeSeconds > seconds);
  return Math.max(after === -1 ? points.length - 1 : after - 1, Math.min(0, points.length - 1));
};

/**
 * The planned values at a time, rounded to whole % and RPM where they are interpolated; the last point stays in effect.
 * Null without points.
 */
export function plannedAt({ points, interpolated }: Guide, seconds: number): Settings | null {
  const index = holdingIndex(points, seconds);
  const from = points[index];
  if (from === undefined) return null;
  const to = points[index + 1];
  if (!interpolated || to === undefined || seconds <= from.timeSeconds) return settingsOf(from);
  const part = (Math.floor(seconds) - from.timeSeconds) / (to.timeSeconds - from.timeSeconds);
  const at = (control: Control) => Math.round(from[control] + (to[control] - from[control]) * Math.max(0, part));
  return { burner: at('burner'), exhaust: at('exhaust'), drumRpm: at('drumRpm') };
}

const changesBetween = (from: Settings, to: Settings): ControlChange[] =>
  controls.flatMap((control) =>
    from[control] === to[control] ? [] : [{ control, from: from[control], to: to[control] }],
  );

/** The next point at which a control changes; null after the last one. */
export function nextStep(guide: Guide, seconds: number): GuideStep | null {
  const now = plannedAt(guide, seconds);
  if (now === null) return null;
  for (const point of guide.points) {
    if (point.timeSeconds <= seconds) continue;
    const changes = changesBetween(now, settingsOf(point));
    if (changes.length === 0) continue;
    const { timeSeconds: atSeconds } = point;
    return { atSeconds, inSeconds: atSeconds - seconds, gradual: guide.interpolated, changes };
  }
  return null;
}

/** The step that falls into this second; null when there is none, and for gradual changes. */
export function dueStep(guide: Guide, seconds: number): GuideStep | null {
  if (guide.interpolated) return null;
  const index = holdingIndex(guide.points, seconds);
  const [before, point] = [guide.points[index - 1], guide.points[index]];
  if (before === undefined || point === undefined || seconds - point.timeSeconds >= dueSeconds) return null;
  const changes = changesBetween(settingsOf(before), settingsOf(point));
  if (changes.length === 0) return null;
  const { timeSeconds: atSeconds } = point;
  return { atSeconds, inSeconds: atSeconds - seconds, gradual: false, changes };
}

/** The machine's outputs, % each; null where one was not read. */
export interface Outputs {
  readonly burner: number | null | undefined;
  readonly exhaust: number | null | undefined;
  readonly drumPercent: number | null | undefined;
}

export interface GuideDeviation {
  readonly control: Control;
  /** Percentage points above (or below) the plan. */
  readonly percent: number;
}

/**
 * A smaller difference is the resolution of a damper or the rounding of a drive, not a deviation, percentage points.
 */
export const deviationTolerancePercent = 3;

/**
 * Deviations of the machine from the plan, largest first. `drumPercent` of the plan is relative to the machine's
 * maximum speed. None is reported within `dueSeconds` of a step: the operator needs that long.
 */
export function deviationsFrom(guide: Guide, seconds: number, actual: Outputs, maxDrumRpm: number): GuideDeviation[] {
  const planned = plannedAt(guide, seconds);
  if (planned === null || seconds < dueSeconds || dueStep(guide, seconds) !== null) return [];
  const drumRpm = isReading(actual.drumPercent) ? (actual.drumPercent / 100) * maxDrumRpm : null;
  const difference: Record<Control, number | null> = {
    burner: isReading(actual.burner) ? actual.burner - planned.burner : null,
    exhaust: isReading(actual.exhaust) ? actual.exhaust - planned.exhaust : null,
    drumRpm: drumRpm === null ? null : ((drumRpm - planned.drumRpm) / maxDrumRpm) * 100,
  };
  return controls
    .flatMap((control) => {
      const percent = difference[control];
      return percent === null || Math.abs(percent) < deviationTolerancePercent ? [] : [{ control, percent }];
    })
    .sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent));
}

const names: Record<Control, string> = { burner: 'Burner', exhaust: 'Airflow', drumRpm: 'Drum' };
const units: Record<Control, string> = { burner: '%', exhaust: '%', drumRpm: 'RPM' };

/** `Burner 80 → 60 %`. */
export const changeText = ({ control, from, to }: ControlChange): string =>
  `${names[control]} ${Math.round(from)} → ${Math.round(to)} ${units[control]}`;

/** The target of a control without its current value: `Burner 60 %`. */
export const goalText = ({ control, to }: ControlChange): string =>
  `${names[control]} ${Math.round(to)} ${units[control]}`;

/** `Burner 80 → 60 % · Airflow 40 → 50 %`. */
export const changesText = (step: GuideStep): string => step.changes.map(changeText).join(' · ');

/** When a step is due: `In 0:25`, `Now`, or `Until 4:00` for a gradual change. */
export const stepMoment = (step: GuideStep): string => {
  if (step.gradual) return `Until ${formatDuration(step.atSeconds)}`;
  return step.inSeconds <= 0 ? 'Now' : `In ${formatDuration(Math.ceil(step.inSeconds))}`;
};

/** `burner is 12 % above plan`. */
export const deviationText = ({ control, percent }: GuideDeviation): string =>
  `${names[control].toLowerCase()} is ${Math.abs(Math.round(percent))} % ${percent > 0 ? 'above' : 'below'} plan`;

/** `Burner 80 % · Airflow 40 % · Drum 60 RPM`. */
export const settingsText = (settings: Settings): string =>
  controls.map((control) => `${names[control]} ${Math.round(settings[control])} ${units[control]}`).join(' · ');

/** Points as recipes and plans write them: `drum` in RPM. */
export const guideOf = (plan: {
  readonly points: readonly { time: number; burner: number; exhaust: number; drum: number }[];
  readonly interpolated: boolean;
}): Guide => ({
  points: plan.points.map(({ time, burner, exhaust, drum }) => ({ timeSeconds: time, burner, exhaust, drumRpm: drum })),
  interpolated: plan.interpolated,
});

/**
 * The deviation of a control from its plan between charge and drop, on average, percentage points; null where it was
 * not recorded. `values` are % each, at times since charge.
 */
export function meanDeviation(
  guide: Guide,
  control: Control,
  timesSeconds: readonly number[],
  values: readonly (number | null)[],
  endSeconds: number,
  maxDrumRpm: number,
): number | null {
  let sum = 0;
  let count = 0;
  for (const [index, time] of timesSeconds.entries()) {
    const value = values[index];
    if (time < 0 || time > endSeconds || !isReading(value)) continue;
    const planned = plannedAt(guide, time)?.[control];
    if (planned === undefined) return null;
    sum += Math.abs(value - (control === 'drumRpm' ? (planned / maxDrumRpm) * 100 : planned));
    count += 1;
  }
  return count === 0 ? null : sum / count;
}
