import { lttbIndices } from '@roastery/roasting/curves/decimate';
import type { Chart, ChartDataset, Plugin } from 'chart.js';
import type { DrawnColumn } from './curves.ts';

/** The data for Chart.js; `whole` keeps every sample, `data` is filled before each update with the visible part. */
export type CurveDataset = ChartDataset<'line', { x: number; y: number }[]> & {
  whole: DrawnColumn;
  curveKey: string;
  colour: string;
};

/** The datasets of a chart that was made with curves: Chart.js forgets their own fields. */
export const curvesOf = (chart: Chart<'line'>): CurveDataset[] => chart.data.datasets as CurveDataset[];

/** The window of the time axis as set; its options are typed for every kind of axis. */
export const xOptionsOf = (chart: Pick<Chart<'line'>, 'options'>): { min?: number; max?: number } | undefined =>
  chart.options.scales?.['x'] as { min?: number; max?: number } | undefined;

/** Points per CSS pixel: 0.75 keeps every visible bend at the line widths we draw. */
const pointsPerPixel = 0.75;

const firstAfter = (x: Float64Array, seconds: number): number => {
  const at = firstAtOrAfter(x, seconds);
  return x[at] === seconds ? at + 1 : at;
};

const firstAtOrAfter = (x: Float64Array, seconds: number): number => {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The area of a curve without its line. It ends at the drop: the beans are not in the drum any more. */
export const areaOf = (curve: CurveDataset, dropSeconds: number | null, fill: CurveDataset['fill']): CurveDataset => {
  const { x, y } = curve.whole;
  const end = dropSeconds === null ? x.length : firstAfter(x, dropSeconds);
  const whole = { x: x.subarray(0, end), y: y.subarray(0, end) };
  return { ...curve, label: '', borderWidth: 0, whole, fill };
};

/** The samples of a window, decimated for its pixels, with one sample beyond each edge so that lines reach it. */
export const visiblePoints = (
  { x, y }: DrawnColumn,
  from: number,
  to: number,
  pixels: number,
): { x: number; y: number }[] => {
  const start = Math.max(0, firstAtOrAfter(x, from) - 1);
  const end = Math.min(x.length, firstAtOrAfter(x, to) + 2);
  const xs = x.subarray(start, end);
  const ys = y.subarray(start, end);
  const maxPoints = Math.max(200, Math.round(pixels * pointsPerPixel));
  if (xs.length <= maxPoints) return Array.from(xs, (time, index) => ({ x: time, y: ys[index] ?? Number.NaN }));
  // A long window is first reduced by stride to eight candidates per drawn point: LTTB over 57,600 samples in each pan step
  // would cost more than drawing. The lowest and highest value of each stride are kept, so that no peak is lost.
  const [cx, cy] = xs.length > maxPoints * 16 ? candidates(xs, ys, maxPoints * 8) : [xs, ys];
  return lttbIndices(cx, cy, maxPoints).map((index) => ({ x: cx[index] ?? 0, y: cy[index] ?? Number.NaN }));
};

const candidates = (x: Float64Array, y: Float64Array, count: number): [Float64Array, Float64Array] => {
  const stride = Math.ceil(x.length / (count / 2));
  const outX = new Float64Array(Math.ceil(x.length / stride) * 2);
  const outY = new Float64Array(outX.length);
  let n = 0;
  for (let start = 0; start < x.length; start += stride) {
    let low = start;
    let high = start;
    const end = Math.min(x.length, start + stride);
    for (let index = start; index < end; index++) {
      const value = y[index] ?? Number.NaN;
      // A gap inside a stride must stay visible: NaN wins.
      if (Number.isNaN(value)) {
        low = index;
        high = index;
        break;
      }
      if (value < (y[low] ?? 0)) low = index;
      if (value > (y[high] ?? 0)) high = index;
    }
    for (const index of low === high ? [low] : [Math.min(low, high), Math.max(low, high)]) {
      outX[n] = x[index] ?? 0;
      outY[n] = y[index] ?? Number.NaN;
      n += 1;
    }
  }
  return [outX.subarray(0, n), outY.subarray(0, n)];
};

/** Before each update sets the data that Chart.js draws: the visible, decimated part of every curve. */
export const pixelDecimation: Plugin<'line'> = {
  id: 'pixelDecimation',
  beforeUpdate(chart) {
    const bounds = xOptionsOf(chart);
    const pixels = chart.chartArea?.width ?? chart.width;
    for (const dataset of curvesOf(chart)) {
      if (!dataset.whole) continue;
      const { x } = dataset.whole;
      dataset.data = visiblePoints(dataset.whole, bounds?.min ?? x[0] ?? 0, bounds?.max ?? x.at(-1) ?? 0, pixels);
    }
  },
};
