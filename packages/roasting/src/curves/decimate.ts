import type { Reading } from './series.ts';

/**
 * Indices to draw of a long series, at most about `maxPoints`, chosen by Largest-Triangle-Three-Buckets (S.
 * Steinarsson, "Downsampling Time Series for Visual Representation", 2013): the shape stays, peaks included. Gaps stay
 * gaps: each run of readings is decimated separately, and one missing reading is kept between runs. Missing is null or
 * NaN. A series that is short enough is returned whole.
 */
export function lttbIndices(x: ArrayLike<number>, y: ArrayLike<Reading>, maxPoints: number): number[] {
  if (y.length <= maxPoints) return Array.from({ length: y.length }, (_, index) => index);
  const out: number[] = [];
  let start = 0;
  while (start < y.length) {
    let end = start;
    while (end < y.length && present(y[end])) end++;
    if (end === start) {
      out.push(start);
      while (end < y.length && !present(y[end])) end++;
    } else {
      const points = Math.round((maxPoints * (end - start)) / y.length);
      lttbRun(x, y, start, end, Math.max(2, points), out);
    }
    start = end;
  }
  return out;
}

function present(value: Reading | undefined): value is number {
  return value !== null && value !== undefined && !Number.isNaN(value);
}

function whole(start: number, end: number, out: number[]): void {
  for (let index = start; index < end; index++) out.push(index);
}

function lttbRun(
  x: ArrayLike<number>,
  y: ArrayLike<Reading>,
  start: number,
  end: number,
  points: number,
  out: number[],
): void {
  const length = end - start;
  if (length <= points || length <= 2) return whole(start, end, out);
  out.push(start);
  const bucket = (length - 2) / Math.max(1, points - 2);
  let anchor = start;
  for (let k = 0; k < points - 2; k++) {
    const from = start + 1 + Math.floor(k * bucket);
    const to = Math.min(end - 1, start + 1 + Math.floor((k + 1) * bucket));
    const nextTo = Math.min(end, start + 1 + Math.floor((k + 2) * bucket));
    let meanX = 0;
    let meanY = 0;
    const nextLength = Math.max(1, nextTo - to);
    for (let index = to; index < to + nextLength; index++) {
      meanX += (x[index] ?? 0) / nextLength;
      meanY += (y[index] ?? 0) / nextLength;
    }
    const anchorX = x[anchor] ?? 0;
    const anchorY = y[anchor] ?? 0;
    let best = from;
    let bestArea = -1;
    for (let index = from; index < to; index++) {
      const area = Math.abs(
        (anchorX - meanX) * ((y[index] ?? 0) - anchorY) - (anchorX - (x[index] ?? 0)) * (meanY - anchorY),
      );
      if (area > bestArea) {
        bestArea = area;
        best = index;
      }
    }
    if (best < to) out.push(best);
    anchor = best;
  }
  out.push(end - 1);
}
