import {
  controlLimits,
  interpolateControlProfile,
  nextControlPoint,
  validateControlProfile,
  type ControlPoint,
} from '@roastery/roasting/recipe/control-profile';

/** A control point while it is edited: null where the field holds no valid number. */
export interface DraftPoint {
  /** Stable while other points are added and removed. */
  readonly key: string;
  /** Seconds after charge. */
  readonly time: number | null;
  readonly burner: number | null;
  readonly exhaust: number | null;
  /** RPM. */
  readonly drum: number | null;
}

export type PointValue = 'burner' | 'exhaust' | 'drum';
export type PointField = 'time' | PointValue;

/** A point as the api stores it. */
export interface StoredPoint {
  time: number;
  burner: number;
  exhaust: number;
  drum: number;
}

/** Limits by field; the same as in the messages of the table. */
export const limitsOf: Record<PointValue, { min: number; max: number; message: string }> = {
  burner: controlLimits.burner,
  exhaust: controlLimits.exhaust,
  drum: controlLimits.drumRpm,
};

let lastKey = 0;
export const newKey = (): string => {
  lastKey += 1;
  return `point-${lastKey}`;
};

export const draftOf = (points: readonly StoredPoint[]): DraftPoint[] =>
  points.map((point, i) => ({ key: `saved-${i}`, ...point }));

const crafted = ({ time, burner, exhaust, drum }: DraftPoint): ControlPoint => ({
  timeSeconds: time ?? Number.NaN,
  burner: burner ?? Number.NaN,
  exhaust: exhaust ?? Number.NaN,
  drumRpm: drum ?? Number.NaN,
});

/** As `@roastery/roasting` names the fields; invalid numbers are NaN. */
export const controlPointsOf = (draft: readonly DraftPoint[]): ControlPoint[] => draft.map(crafted);

/** Points with four valid numbers: those that a curve can be drawn through. */
export const readablePoints = (draft: readonly DraftPoint[]): DraftPoint[] =>
  draft.filter(
    ({ time, burner, exhaust, drum }) => time !== null && burner !== null && exhaust !== null && drum !== null,
  );

export const storedOf = (draft: readonly DraftPoint[]): Record<PointField, number | null>[] =>
  sorted(draft).map(({ time, burner, exhaust, drum }) => ({ time, burner, exhaust, drum }));

/** Sorted by time; a point without a time stays at the end. */
export const sorted = (draft: readonly DraftPoint[]): DraftPoint[] =>
  [...draft].sort((one, other) => (one.time ?? Number.POSITIVE_INFINITY) - (other.time ?? Number.POSITIVE_INFINITY));

/** Adds the point of "Add Control Point": a minute after the last. */
export const withNext = (draft: readonly DraftPoint[]): DraftPoint[] => {
  const { timeSeconds, burner, exhaust, drumRpm } = nextControlPoint(
    controlPointsOf(draft).filter((point) => Number.isFinite(point.timeSeconds)),
  );
  return [...draft, { key: newKey(), time: timeSeconds, burner, exhaust, drum: drumRpm }];
};

/** Inserts a point at a time, on the line between its neighbours; one value may be given. */
export const withPointAt = (
  draft: readonly DraftPoint[],
  seconds: number,
  pointed: Partial<Record<PointValue, number>>,
): DraftPoint[] => {
  const on = valuesAt(draft, seconds, true);
  if (on === null || draft.some((point) => point.time === seconds)) return [...draft];
  return sorted([...draft, { key: newKey(), time: seconds, ...on, ...pointed }]);
};

/**
 * The set values at a time: on the line between two points, or those of the last point. Null without points; the first and the
 * last point hold beyond the ends.
 */
export const valuesAt = (
  draft: readonly DraftPoint[],
  seconds: number,
  interpolated: boolean,
): Record<PointValue, number> | null => {
  const points = sorted(readablePoints(draft));
  const next = points.findIndex((point) => (point.time ?? 0) > seconds);
  const before = points[(next === -1 ? points.length : Math.max(1, next)) - 1];
  const after = interpolated && next > 0 ? points[next] : undefined;
  if (before === undefined) return null;
  const span = (after?.time ?? 0) - (before.time ?? 0);
  const share = after === undefined || span <= 0 ? 0 : (seconds - (before.time ?? 0)) / span;
  const at = (field: PointValue) => {
    const from = before[field] ?? 0;
    return Math.round(from + ((after?.[field] ?? from) - from) * share);
  };
  return { burner: at('burner'), exhaust: at('exhaust'), drum: at('drum') };
};

/** Resulting number of points: one per second when interpolated (0-720 s are 721), else those entered. */
export const resultingCount = (draft: readonly DraftPoint[], interpolated: boolean): number =>
  interpolated ? interpolateControlProfile(controlPointsOf(readablePoints(draft))).length : draft.length;

const fieldNames = { timeSeconds: 'time', burner: 'burner', exhaust: 'exhaust', drumRpm: 'drum' } as const;

export interface PointProblem {
  /** Key of the point; null for the whole profile. */
  key: string | null;
  field: PointField | null;
  message: string;
}

/** All errors of the profile, in the sentences of the document. */
export const problemsOf = (draft: readonly DraftPoint[]): PointProblem[] =>
  validateControlProfile(controlPointsOf(draft)).map(({ index, field, message }) => ({
    key: index === null ? null : (draft[index]?.key ?? null),
    field: field === null ? null : fieldNames[field],
    message,
  }));

/** Moves a point. It stays between its neighbours (a second apart) and within the limits; values are whole numbers. */
export const moved = (
  draft: readonly DraftPoint[],
  key: string,
  to: { time?: number } & Partial<Record<PointValue, number>>,
): DraftPoint[] => {
  const order = sorted(draft);
  const place = order.findIndex((point) => point.key === key);
  const earliest = place > 0 ? (order[place - 1]?.time ?? -1) + 1 : 0;
  const latest = place < order.length - 1 ? (order[place + 1]?.time ?? latestSeconds + 1) - 1 : latestSeconds;
  return draft.map((point) => {
    if (point.key !== key) return point;
    const next = { ...point };
    if (to.time !== undefined) next.time = within(Math.round(to.time), earliest, latest);
    for (const field of ['burner', 'exhaust', 'drum'] as const) {
      const value = to[field];
      if (value !== undefined) next[field] = within(Math.round(value), limitsOf[field].min, limitsOf[field].max);
    }
    return next;
  });
};

/** Four hours, as in the contract. */
const latestSeconds = 14_400;

const within = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), Math.max(min, max));
