import type { CurveColumns } from '@roastery/contract/roast-curves';
import { samplingHoles, type SamplingHole } from '@roastery/roasting/curves/sampling-holes';
import { bridgeableMissing, isReading, valueAt } from '@roastery/roasting/curves/series';
import { inUnitsOf, type Units } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';

/** A curve: its column, its style everywhere, and the storage key of its toggle. */
export interface CurveStyle {
  readonly key: string;
  readonly label: string;
  /** Channel of the recording, or `ror`. */
  readonly channel: string;
  /** Colour token, e.g. `curve-bean`. */
  readonly token: string;
  readonly axis: 'temperature' | 'rate';
  readonly width: number;
  /** Lengths of dash and gap in px, to distinguish curves without colour. */
  readonly dash: readonly number[];
  /** Short name at the end of the line. */
  readonly tag: string;
  readonly storageKey: string;
  readonly shownAtFirst: boolean;
}

export const curveStyles: readonly CurveStyle[] = [
  {
    key: 'beanTemp',
    label: t`Bean Temp`,
    channel: 'bean_temp',
    token: 'curve-bean',
    axis: 'temperature',
    width: 2.5,
    dash: [],
    tag: 'BT',
    storageKey: 'showBeanTemp',
    shownAtFirst: true,
  },
  {
    key: 'exhaustTemp',
    label: t`Exhaust Temp`,
    channel: 'exhaust_temp',
    token: 'curve-exhaust',
    axis: 'temperature',
    width: 1.5,
    dash: [],
    tag: 'ET',
    storageKey: 'showExhaustTemp',
    shownAtFirst: true,
  },
  {
    key: 'burnerFront',
    label: t`Burner Front`,
    channel: 'burner_front_temp',
    token: 'curve-burner-front',
    axis: 'temperature',
    width: 1.25,
    dash: [7, 3],
    tag: 'BF',
    storageKey: 'showBurnerFront',
    shownAtFirst: false,
  },
  {
    key: 'burnerBack',
    label: t`Burner Back`,
    channel: 'burner_back_temp',
    token: 'curve-burner-back',
    axis: 'temperature',
    width: 1.25,
    dash: [2, 3],
    tag: 'BB',
    storageKey: 'showBurnerBack',
    shownAtFirst: false,
  },
  {
    key: 'ror',
    label: t`Rate of Rise`,
    channel: 'ror',
    token: 'curve-rate',
    axis: 'rate',
    width: 1.5,
    dash: [5, 2],
    tag: t`RoR`,
    storageKey: 'showROR',
    shownAtFirst: true,
  },
];

export interface StepStyle {
  readonly key: 'gas' | 'airflow' | 'drum';
  readonly label: string;
  readonly what: string;
  readonly channel: string;
  readonly token: string;
}

export const stepStyles: readonly StepStyle[] = [
  { key: 'gas', label: t`Gas`, what: t`burner power %`, channel: 'heat_power', token: 'curve-gas' },
  { key: 'airflow', label: t`Airflow`, what: t`exhaust damper %`, channel: 'fan_speed', token: 'curve-airflow' },
  { key: 'drum', label: t`Drum speed`, what: '%', channel: 'drum_speed', token: 'curve-drum' },
];

type Column = readonly (number | null)[];

/** A column ready to draw: °C or °F by choice, NaN where a gap must show, gaps of up to three readings bridged. */
export interface DrawnColumn {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Times for drawing. Every pause without samples has a time without a sample in its middle, where the line breaks. */
interface DrawnAxis {
  readonly x: Float64Array;
  readonly holes: readonly SamplingHole[];
}
const axes = new WeakMap<readonly number[], DrawnAxis>();

/** One copy for all columns of a curve, not one each. */
const axisOf = (times: readonly number[]): DrawnAxis => {
  const known = axes.get(times);
  if (known) return known;
  const holes = samplingHoles(times);
  const x = new Float64Array(times.length + holes.length);
  let from = 0;
  for (const [before, { index, fromSeconds, toSeconds }] of holes.entries()) {
    x.set(times.slice(from, index + 1), from + before);
    x[index + 1 + before] = (fromSeconds + toSeconds) / 2;
    from = index + 1;
  }
  x.set(from === 0 ? times : times.slice(from), from + holes.length);
  const axis = { x, holes };
  axes.set(times, axis);
  return axis;
};

/** Gaps of a curve, the same as in its lines. */
export const holesOf = (times: readonly number[]): readonly SamplingHole[] => axisOf(times).holes;

/** Column of a curve in a person's unit. Only gaps of at most three readings are bridged. */
export const drawnColumn = (
  times: readonly number[],
  column: Column | undefined,
  toUnit: (value: number) => number,
): DrawnColumn => {
  const { x, holes } = axisOf(times);
  const y = new Float64Array(x.length).fill(Number.NaN);
  if (!column) return { x, y };
  let last = -1;
  let passed = 0;
  for (let index = 0; index < times.length; index++) {
    const hole = holes[passed];
    if (hole && index > hole.index) {
      passed += 1;
      last = -1;
    }
    const value = column[index];
    if (value === null || value === undefined) continue;
    const at = index + passed;
    y[at] = toUnit(value);
    const missing = at - last - 1;
    if (last >= 0 && missing > 0 && missing <= bridgeableMissing) bridge(x, y, last, at);
    last = at;
  }
  return { x, y };
};

const bridge = (x: Float64Array, y: Float64Array, from: number, to: number): void => {
  const [x0, y0, x1, y1] = [x[from] ?? 0, y[from] ?? 0, x[to] ?? 0, y[to] ?? 0];
  for (let index = from + 1; index < to; index++) {
    y[index] = x1 === x0 ? y0 : y0 + ((y1 - y0) * ((x[index] ?? 0) - x0)) / (x1 - x0);
  }
};

export const columnOf = (curve: CurveColumns, style: Pick<CurveStyle, 'channel'>): Column | undefined =>
  style.channel === 'ror' ? curve.ror : curve.channels[style.channel];

export const drawnCurve = (curve: CurveColumns, style: CurveStyle, units: Units): DrawnColumn =>
  drawnColumn(curve.time_seconds, columnOf(curve, style), (stored) => inUnitsOf(style.axis, stored, units));

/** Index of the sample nearest to a time, by bisection; -1 when there is none. */
export const nearestIndex = (times: ArrayLike<number>, seconds: number): number => {
  let low = 0;
  let high = times.length - 1;
  if (high < 0) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= seconds) low = middle;
    else high = middle;
  }
  return Math.abs((times[low] ?? 0) - seconds) <= Math.abs((times[high] ?? 0) - seconds) ? low : high;
};

/** Upper end of the temperature axis: a round number above the highest visible reading. */
export const temperatureTop = (columns: readonly DrawnColumn[], { temperature_unit: degree }: Units): number => {
  const step = degree === 'C' ? 50 : 100;
  let highest = 0;
  for (const { y } of columns) for (const value of y) if (value > highest) highest = value;
  return Math.max(step * 2, Math.ceil((highest * 1.04) / step) * step);
};

/** The document's rate-of-rise axis, −20 to 50 °C/min, in a person's unit. */
export const rateBounds = ({ temperature_unit: degree, rate_unit: rate }: Units): { min: number; max: number } => {
  const [min, max] = degree === 'C' ? [-20, 50] : [-40, 90];
  return rate === 'per_minute' ? { min, max } : { min: min / 2, max: max / 2 };
};

/** The deviation of the beans from the reference at a time, °C; null if either was not read. */
export const deviationAt = (
  reference: CurveColumns | undefined,
  seconds: number | null | undefined,
  beanC: number | null | undefined,
): number | null => {
  if (reference === undefined || !isReading(seconds) || !isReading(beanC)) return null;
  const there = valueAt(reference.time_seconds, reference.channels['bean_temp'] ?? [], seconds);
  return there === null ? null : beanC - there;
};
