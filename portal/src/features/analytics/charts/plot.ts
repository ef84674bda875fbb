import { tenth } from '../../../format/numbers.ts';
/** Where values lie on a chart, in CSS pixels of its box. */
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

/** Runs of neighbours that are there; what is missing between them stays a gap. */
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
