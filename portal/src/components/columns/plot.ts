import { tenth } from '../../format/numbers.ts';
/** The positions of values on a chart, in CSS pixels of its box. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Width of a column. */
  readonly step: number;
  /** Middle of a column. */
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

const digitPixels = 6.6;
const edge = { top: 10, right: 6, bottom: 24 };

interface PlotOptions {
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly ticks: readonly number[];
  readonly tickText: (value: number) => string;
}

/** Room for the widest number of the axis at the left, for the labels below, the rest for the columns. */
export const layPlot = ({ width, height, columns, ticks, tickText }: PlotOptions): Plot => {
  const left = Math.ceil(Math.max(2, ...ticks.map((tick) => tickText(tick).length)) * digitPixels) + 10;
  const right = Math.max(left + 1, width - edge.right);
  const bottom = height - edge.bottom;
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const step = (right - left) / Math.max(1, columns);
  return {
    left,
    right,
    top: edge.top,
    bottom,
    step,
    x: (index) => left + step * (index + 0.5),
    y: (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - edge.top),
  };
};

type Point = readonly [x: number, y: number];

const lineOf = (points: readonly Point[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${tenth(x)} ${tenth(y)}`).join('');

/** Runs of present values; missing values between them stay gaps. */
export const runsOf = <Value>(values: readonly (Value | null)[]): { from: number; values: Value[] }[] => {
  const runs: { from: number; values: Value[] }[] = [];
  let isOpen = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isOpen = false;
      continue;
    }
    if (isOpen) runs.at(-1)?.values.push(value);
    else runs.push({ from: index, values: [value] });
    isOpen = true;
  }
  return runs;
};

/** SVG path of a line through values, broken at gaps. */
export const linePath = (
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string =>
  runsOf(values)
    .map((run) => lineOf(run.values.map((value, index) => [x(run.from + index), y(value)])))
    .join('');

/** SVG path of the area between two lines, broken where either is missing. */
export const bandPath = (
  low: readonly (number | null)[],
  high: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string => {
  const pairs = low.map((value, index) => {
    const other = high[index] ?? null;
    return value === null || other === null ? null : ([value, other] as const);
  });
  return runsOf(pairs)
    .map((run) => {
      const upper = run.values.map(([, value], index) => [x(run.from + index), y(value)] as const);
      const lower = run.values.map(([value], index) => [x(run.from + index), y(value)] as const);
      return `${lineOf([...upper, ...lower.reverse()])}Z`;
    })
    .join('');
};

/** Round values for an axis: about `count` steps of 1, 2, 2.5 or 5 times a power of ten that cover the span. */
export const roundTicks = (low: number, high: number, count = 4): number[] => {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low, low + 1];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  // Multiples, not sums, so that 0.30000000000000004 stays 0.3.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
};

/** Which of `count` labels are drawn when one needs `labelPixels`: every n-th, counted back from the last. */
export const shownLabels = (count: number, pixels: number, labelPixels: number): ReadonlySet<number> => {
  const every = Math.max(1, Math.ceil((count * labelPixels) / Math.max(1, pixels)));
  const shown = new Set<number>();
  for (let index = count - 1; index >= 0; index -= every) shown.add(index);
  return shown;
};
