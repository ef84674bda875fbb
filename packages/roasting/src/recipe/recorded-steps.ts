import { controlLimits, type ControlPoint } from './control-profile.ts';
import { controls, type Control } from './guide.ts';
import { isReading, type Reading } from '../curves/series.ts';

/** The outputs of a roast; columns are as long as the times. Undefined where an output was not recorded. */
export interface RecordedControls {
  /** Seconds after charge, rising. */
  readonly timesSeconds: readonly number[];
  /** Burner and exhaust in %, drum in revolutions per minute. */
  readonly columns: Readonly<Partial<Record<Control, readonly Reading[]>>>;
}

export interface RecordedSteps {
  /** From the charge to the end of the roast. */
  readonly points: readonly ControlPoint[];
  /** Linear between the points; false: each point is held until the next. */
  readonly interpolated: boolean;
  /** Controls without a reading: they keep the value of a new point. */
  readonly missing: readonly Control[];
}

/** Of a control that was not recorded, as in {@link nextControlPoint}. */
const unrecorded: Readonly<Record<Control, number>> = { burner: 50, exhaust: 60, drumRpm: 60 };

type PerSecond = Readonly<Record<Control, readonly number[]>>;

/**
 * Few control points that repeat a recorded roast: at every second within `tolerance` (% of burner and exhaust, RPM of
 * the drum, whole) of what was recorded, after both are rounded to whole numbers and limited to what a recipe can hold.
 *
 * Controls that were set in steps become held points, those that were moved gradually become lines, whichever needs fewer
 * points.
 */
export function stepsOfRecord(record: RecordedControls, endSeconds: number, tolerance: number): RecordedSteps {
  const end = Math.max(1, Math.round(endSeconds));
  const missing = controls.filter((control) => !(record.columns[control] ?? []).some(isReading));
  const recorded = recordedPerSecond(record, end);
  const held = heldPoints(recorded, end, tolerance);
  const linear = linearPoints(recorded, end, tolerance);
  return linear.length < held.length
    ? { points: linear, interpolated: true, missing }
    : { points: held, interpolated: false, missing };
}

/** The whole value of each control at each second from 0 to `end`: its latest reading, before the first one that one. */
export function recordedPerSecond({ timesSeconds, columns }: RecordedControls, end: number): PerSecond {
  const column = (control: Control): number[] => {
    const values = columns[control] ?? [];
    const { min, max } = controlLimits[control];
    const perSecond: number[] = [];
    let latest = values.find(isReading) ?? unrecorded[control];
    let index = 0;
    for (let second = 0; second <= end; second++) {
      for (; (timesSeconds[index] ?? Number.POSITIVE_INFINITY) <= second; index++) {
        const value = values[index];
        if (isReading(value)) latest = value;
      }
      perSecond.push(Math.min(max, Math.max(min, Math.round(latest))));
    }
    return perSecond;
  };
  return { burner: column('burner'), exhaust: column('exhaust'), drumRpm: column('drumRpm') };
}

/** One point at the charge, one at each second at which a held value changes, and one at the end. */
function heldPoints(recorded: PerSecond, end: number, tolerance: number): ControlPoint[] {
  const levels = {
    burner: heldLevels(recorded.burner, tolerance),
    exhaust: heldLevels(recorded.exhaust, tolerance),
    drumRpm: heldLevels(recorded.drumRpm, tolerance),
  };
  const changes = (second: number) =>
    controls.some((control) => levels[control][second] !== levels[control][second - 1]);
  return pointsAt(
    Array.from({ length: end + 1 }, (_, second) => second).filter((second) => second === end || changes(second)),
    levels,
  );
}

/**
 * The value that a control is held at, for each second. A level goes on while one of its readings lies within the tolerance of
 * all of them: a value that was never set would puzzle the person who follows the recipe.
 */
function heldLevels(values: readonly number[], tolerance: number): number[] {
  const held: number[] = [];
  for (let from = 0; from < values.length;) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    let level = values[from] ?? 0;
    const seconds = new Map<number, number>();
    let to = from;
    for (; to < values.length; to++) {
      const value = values[to] ?? 0;
      [low, high] = [Math.min(low, value), Math.max(high, value)];
      seconds.set(value, (seconds.get(value) ?? 0) + 1);
      const longest = longestWithin(seconds, high - tolerance, low + tolerance);
      if (longest === undefined) break;
      level = longest;
    }
    for (; from < to; from++) held.push(level);
  }
  return held;
}

/** Of the values in a range, the one that was held longest. */
function longestWithin(seconds: ReadonlyMap<number, number>, low: number, high: number): number | undefined {
  let longest: number | undefined;
  for (const [value, held] of seconds) {
    if (value >= low && value <= high && held > (seconds.get(longest ?? Number.NaN) ?? 0)) longest = value;
  }
  return longest;
}

/**
 * Ramer-Douglas-Peucker over all controls at once, with the distance in the direction of the value: the second that deviates
 * most becomes a point, until none deviates by more than the tolerance.
 */
function linearPoints(recorded: PerSecond, end: number, tolerance: number): ControlPoint[] {
  const kept = new Set([0, end]);
  const open: [number, number][] = [[0, end]];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from, to] = span;
    let [worst, worstError] = [from, tolerance];
    for (let second = from + 1; second < to; second++) {
      const error = linearError(recorded, from, to, second);
      if (error > worstError) [worst, worstError] = [second, error];
    }
    if (worst === from) continue;
    kept.add(worst);
    open.push([from, worst], [worst, to]);
  }
  return pointsAt(
    [...kept].sort((one, other) => one - other),
    recorded,
  );
}

/** The largest difference of a control from the record at a second, where the line is rounded as a recipe's is. */
function linearError(recorded: PerSecond, from: number, to: number, second: number): number {
  const part = (second - from) / (to - from);
  let most = 0;
  for (const control of controls) {
    const values = recorded[control];
    const [first, last] = [values[from] ?? 0, values[to] ?? 0];
    most = Math.max(most, Math.abs(Math.round(first + (last - first) * part) - (values[second] ?? 0)));
  }
  return most;
}

const pointsAt = (seconds: readonly number[], values: PerSecond): ControlPoint[] =>
  seconds.map((second) => ({
    timeSeconds: second,
    burner: values.burner[second] ?? unrecorded.burner,
    exhaust: values.exhaust[second] ?? unrecorded.exhaust,
    drumRpm: values.drumRpm[second] ?? unrecorded.drumRpm,
  }));
