import type { TrustedReading } from './reading-filter.ts';

/** A time and the bean temperature then. */
export interface Moment {
  readonly timeSeconds: number;
  readonly tempC: number;
}

/** Where to look for the onset of a fall, s. */
export interface OnsetWindow {
  /** Readings that are fitted: from the level before the fall to its first part. */
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  /** The earliest onset to consider; the latest is the end of the readings. */
  readonly earliestSeconds: number;
  /** The shape of the beginning: a corner (1), or rounded by a lag (2). */
  readonly bends: readonly number[];
}

/** Readings within a bin are averaged: no probe resolves a fall more finely. */
const binSeconds = 0.5;
const stepSeconds = 0.25;
/** Lower bound of the residual scatter, for resolution and model error, °C. */
const minScatterC = 0.4;
/** Prior of the slope before a fall, °C/s; it decides when there are too few readings before it. */
const usualSlopePerSecond = 0.1;

interface Hypothesis {
  readonly onset: number;
  readonly levelC: number;
  readonly squares: number;
}

/**
 * When a fall began: `level + slope · u − depth · max(0, u)^bend` with u = time − onset is fitted for each possible
 * onset and bend. The result is the mean of the onsets, weighted by their likelihood, so noise, whole degrees and few
 * readings have little effect on it. Null when nothing falls.
 */
export function onsetOfFall(readings: readonly TrustedReading[], window: OnsetWindow): Moment | null {
  const points = binned(readings, window);
  const last = points.at(-1);
  const first = points[0];
  if (!first || !last || points.length < 3) return null;
  const hypotheses: Hypothesis[] = [];
  const latest = last.timeSeconds - stepSeconds;
  for (let onset = Math.max(first.timeSeconds, window.earliestSeconds); onset <= latest; onset += stepSeconds) {
    for (const bend of window.bends) {
      const fitted = fitAt(points, onset, bend);
      if (fitted) hypotheses.push(fitted);
    }
  }
  return meanOf(hypotheses, points.length);
}

function meanOf(hypotheses: readonly Hypothesis[], points: number): Moment | null {
  const least = Math.min(...hypotheses.map(({ squares }) => squares));
  const variance = Math.max(minScatterC ** 2, least / Math.max(1, points - 4));
  let [weights, onsets, levels] = [0, 0, 0];
  for (const { onset, levelC, squares } of hypotheses) {
    const weight = Math.exp((least - squares) / (2 * variance));
    weights += weight;
    onsets += weight * onset;
    levels += weight * levelC;
  }
  return weights > 0 ? { timeSeconds: onsets / weights, tempC: levels / weights } : null;
}

/** Least squares in level, slope and depth. Null when the readings do not fall from this onset on. */
function fitAt(points: readonly Moment[], onset: number, bend: number): Hypothesis | null {
  let [n, u, v, uv, vv, y, uy, vy, yy] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  // A slope of the usual size costs as much as one residual of the minimum scatter.
  let uu = (minScatterC / usualSlopePerSecond) ** 2;
  for (const { timeSeconds, tempC } of points) {
    const since = timeSeconds - onset;
    const fall = since > 0 ? -(bend === 2 ? since * since : since ** bend) : 0;
    n += 1;
    u += since;
    v += fall;
    uu += since * since;
    uv += since * fall;
    vv += fall * fall;
    y += tempC;
    uy += since * tempC;
    vy += fall * tempC;
    yy += tempC * tempC;
  }
  const [cofactorA, cofactorB, cofactorC] = [uu * vv - uv * uv, u * vv - uv * v, u * uv - uu * v];
  const determinant = n * cofactorA - u * cofactorB + v * cofactorC;
  if (Math.abs(determinant) < 1e-9) return null;
  const level = (y * cofactorA - uy * cofactorB + vy * cofactorC) / determinant;
  const slope = (-y * cofactorB + uy * (n * vv - v * v) - vy * (n * uv - u * v)) / determinant;
  const depth = (y * cofactorC - uy * (n * uv - u * v) + vy * (n * uu - u * u)) / determinant;
  if (!(depth > 0)) return null;
  return { onset, levelC: level, squares: Math.max(0, yy - level * y - slope * uy - depth * vy) };
}

/** Means of the readings in each bin, without outliers. */
function binned(readings: readonly TrustedReading[], { fromSeconds, untilSeconds }: OnsetWindow): Moment[] {
  const bins: { timeSeconds: number; tempC: number; count: number }[] = [];
  let bin: { timeSeconds: number; tempC: number; count: number } | undefined;
  for (const [index, { timeSeconds, tempC }] of readings.entries()) {
    if (timeSeconds < fromSeconds || timeSeconds > untilSeconds) continue;
    if (isTorn(tempC, readings[index - 1]?.tempC, readings[index + 1]?.tempC)) continue;
    if (bin && timeSeconds - bin.timeSeconds / bin.count < binSeconds / 2) {
      bin.timeSeconds += timeSeconds;
      bin.tempC += tempC;
      bin.count++;
    } else {
      bin = { timeSeconds, tempC, count: 1 };
      bins.push(bin);
    }
  }
  return bins.map(({ timeSeconds, tempC, count }) => ({ timeSeconds: timeSeconds / count, tempC: tempC / count }));
}

const tornC = 6;

/** Whether a reading is an outlier: far from both neighbours. */
export function isTorn(tempC: number, before: number | undefined, after: number | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const [up, down] = [tempC - Math.max(before, after), Math.min(before, after) - tempC];
  return Math.max(up, down) > tornC;
}
