/** One point of a recipe's control profile. */
export interface ControlPoint {
  /** Seconds after charge. */
  readonly timeSeconds: number;
  /** Burner power, %. */
  readonly burner: number;
  /** Exhaust damper, %. */
  readonly exhaust: number;
  /** Drum speed, revolutions per minute. */
  readonly drumRpm: number;
}

/** Limits and messages of the product document. */
export const controlLimits = {
  burner: { min: 0, max: 100, message: 'Burner: 0-100%' },
  exhaust: { min: 30, max: 90, message: 'Exhaust: 30-90%' },
  drumRpm: { min: 30, max: 85, message: 'Drum: 30-85 RPM' },
} as const;

export const tooFewPointsMessage = 'At least 2 control points are required';

/** The control points of a new recipe: full burner falling to none over 12 minutes. */
export const defaultControlPoints: readonly ControlPoint[] = [
  { timeSeconds: 0, burner: 100, exhaust: 30, drumRpm: 60 },
  { timeSeconds: 720, burner: 0, exhaust: 90, drumRpm: 30 },
];

/** The point that "Add Control Point" adds: one minute after the last one. */
export function nextControlPoint(points: readonly ControlPoint[]): ControlPoint {
  const last = points.reduce<number | null>((latest, point) => Math.max(latest ?? 0, point.timeSeconds), null);
  return { timeSeconds: last === null ? 0 : last + 60, burner: 50, exhaust: 60, drumRpm: 60 };
}

export interface ControlProblem {
  /** The index of the point, or null for the profile as a whole. */
  readonly index: number | null;
  readonly field: keyof ControlPoint | null;
  readonly message: string;
}

/** All errors in a control profile, in the product document's words; empty when it can be saved. */
export function validateControlProfile(points: readonly ControlPoint[]): ControlProblem[] {
  const problems: ControlProblem[] = [];
  if (points.length < 2) problems.push({ index: null, field: null, message: tooFewPointsMessage });
  const seen = new Set<number>();
  for (const [index, point] of points.entries()) {
    if (!Number.isFinite(point.timeSeconds) || point.timeSeconds < 0) {
      problems.push({ index, field: 'timeSeconds', message: 'Time: m:ss from 0:00' });
    } else if (seen.has(point.timeSeconds)) {
      problems.push({ index, field: 'timeSeconds', message: 'Time: two points at the same time' });
    }
    seen.add(point.timeSeconds);
    for (const field of ['burner', 'exhaust', 'drumRpm'] as const) {
      const { min, max, message } = controlLimits[field];
      if (!(point[field] >= min && point[field] <= max)) problems.push({ index, field, message });
    }
  }
  return problems;
}

/**
 * One point for every second from the first to the last control point, linear between them and rounded: 0 to 720 s are
 * 721 points. Points may come in any order; of two at the same time the later one in the list counts.
 */
export function interpolateControlProfile(points: readonly ControlPoint[]): ControlPoint[] {
  const sorted = points
    .filter((point) => Number.isFinite(point.timeSeconds))
    .sort((a, b) => a.timeSeconds - b.timeSeconds)
    .filter((point, index, all) => all[index + 1]?.timeSeconds !== point.timeSeconds);
  const first = sorted[0];
  const last = sorted.at(-1);
  if (!first || !last) return [];
  const perSecond: ControlPoint[] = [];
  let segment = 0;
  for (let time = Math.ceil(first.timeSeconds); time <= last.timeSeconds; time++) {
    while ((sorted[segment + 1]?.timeSeconds ?? Number.POSITIVE_INFINITY) < time) segment++;
    const from = sorted[segment] ?? first;
    const to = sorted[segment + 1] ?? from;
    const span = to.timeSeconds - from.timeSeconds;
    const part = span > 0 ? (time - from.timeSeconds) / span : 0;
    const at = (field: 'burner' | 'exhaust' | 'drumRpm') => Math.round(from[field] + (to[field] - from[field]) * part);
    perSecond.push({ timeSeconds: time, burner: at('burner'), exhaust: at('exhaust'), drumRpm: at('drumRpm') });
  }
  return perSecond;
}

/** Drum speed as % of the machine's maximum, as the drum chart and the drive use it. */
export function rpmToPercent(rpm: number, maxRpm: number): number {
  return clampPercent((rpm / maxRpm) * 100);
}

/** % of the machine's maximum as a drum speed in RPM. */
export function percentToRpm(percent: number, maxRpm: number): number {
  return (clampPercent(percent) / 100) * maxRpm;
}

function clampPercent(percent: number): number {
  return Math.min(100, Math.max(0, percent));
}
