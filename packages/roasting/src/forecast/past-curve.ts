import { isReading, type Reading } from '../curves/series.ts';

/** Seconds between two temperatures of a past curve. */
export const pastCurveStepSeconds = 5;

/** Smoothed bean temperature of a past roast from charge to drop, one value every 5 s, °C; null in a gap. */
export type PastCurve = readonly Reading[];

/** A line through the newest readings. */
export interface LocalLine {
  readonly tempC: number;
  readonly perSecondC: number;
}

/** The least-squares line through the readings of a span, at `atSeconds`; null for fewer than three readings. */
export function lineThrough(
  timesSeconds: ArrayLike<number>,
  tempsC: ArrayLike<Reading>,
  { fromSeconds, toSeconds, atSeconds }: { fromSeconds: number; toSeconds: number; atSeconds: number },
): LocalLine | null {
  let [n, st, sv, stt, stv] = [0, 0, 0, 0, 0];
  for (let index = firstFrom(timesSeconds, fromSeconds); index < timesSeconds.length; index++) {
    const [time, tempC] = [timesSeconds[index] ?? Number.NaN, tempsC[index]];
    if (time > toSeconds) break;
    if (!isReading(tempC)) continue;
    const since = time - atSeconds;
    n += 1;
    st += since;
    sv += tempC;
    stt += since * since;
    stv += since * tempC;
  }
  const spread = n * stt - st * st;
  if (n < 3 || !(spread > 1e-6)) return null;
  const perSecondC = (n * stv - st * sv) / spread;
  return { tempC: (sv - perSecondC * st) / n, perSecondC };
}

/** Index of the first time at or after a given time. Times must rise. */
function firstFrom(timesSeconds: ArrayLike<number>, fromSeconds: number): number {
  let [low, high] = [0, timesSeconds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesSeconds[middle] ?? Number.POSITIVE_INFINITY) < fromSeconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A curve is smoothed over this time around each point. */
const smoothedSeconds = 20;

/** The past curve of a recorded roast. Times are seconds since charge and rise. */
export function pastCurveOf(
  timesSeconds: ArrayLike<number>,
  tempsC: ArrayLike<Reading>,
  dropSeconds: number,
): PastCurve {
  const steps = Math.max(0, Math.floor(dropSeconds / pastCurveStepSeconds) + 1);
  return Array.from({ length: steps }, (_, step) => {
    const atSeconds = step * pastCurveStepSeconds;
    const half = smoothedSeconds / 2;
    const span = { fromSeconds: Math.max(0, atSeconds - half), toSeconds: Math.min(dropSeconds, atSeconds + half) };
    const line = lineThrough(timesSeconds, tempsC, { ...span, atSeconds });
    return line && Math.round(line.tempC * 100) / 100;
  });
}

/** Turning points lie in this part of a roast. */
const turnBetween = { fromSeconds: 20, toSeconds: 180, share: 0.4 };

/** Index of the lowest temperature early in a curve. */
export function turnOf(curve: PastCurve): number {
  const last = Math.min(turnBetween.toSeconds / pastCurveStepSeconds, curve.length * turnBetween.share);
  let turn = turnBetween.fromSeconds / pastCurveStepSeconds;
  for (let at = turn; at <= last; at++) if ((curve[at] ?? Infinity) < (curve[turn] ?? Infinity)) turn = at;
  return turn;
}

/** The temperature of a curve at a time; the last slope continues it past its end. Null in a gap. */
export function tempAt(curve: PastCurve, seconds: number): Reading {
  const place = seconds / pastCurveStepSeconds;
  const before = Math.min(Math.floor(place), curve.length - 2);
  const [from, to] = [curve[before], curve[before + 1]];
  if (!isReading(from) || !isReading(to)) return null;
  return from + (to - from) * (place - before);
}

/** How fast a roast warmed up at each bean temperature, °C/s. */
export interface WarmingTable {
  readonly firstC: number;
  readonly rates: readonly number[];
}

const tableStepC = 2.5;
/** A rate is measured over this many steps before and after. */
const rateSteps = 3;
/** The curve still bends from the turning point for this many steps. */
const afterTurnSteps = 4;

/** The rates of a past curve from its turn on, by bean temperature; null where it has too few. */
export function warmingTable(curve: PastCurve): WarmingTable | null {
  const cells = new Map<number, { sum: number; count: number }>();
  for (let at = turnOf(curve) + afterTurnSteps; at + rateSteps < curve.length; at++) {
    const [before, here, after] = [curve[at - rateSteps], curve[at], curve[at + rateSteps]];
    if (!isReading(before) || !isReading(here) || !isReading(after)) continue;
    const key = Math.round(here / tableStepC);
    const cell = cells.get(key) ?? { sum: 0, count: 0 };
    cell.sum += (after - before) / (2 * rateSteps * pastCurveStepSeconds);
    cell.count += 1;
    cells.set(key, cell);
  }
  const keys = [...cells.keys()].sort((a, b) => a - b);
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined || keys.length < 2) return null;
  const rates: number[] = [];
  for (let key = first; key <= last; key++) {
    const cell = cells.get(key);
    rates.push(cell ? cell.sum / cell.count : Number.NaN);
  }
  return { firstC: first * tableStepC, rates: withoutHoles(rates) };
}

/** Cells without readings are interpolated between their neighbours. */
function withoutHoles(rates: readonly number[]): number[] {
  return rates.map((rate, at) => {
    if (!Number.isNaN(rate)) return rate;
    const left = rates.findLastIndex((other, index) => index < at && !Number.isNaN(other));
    const right = rates.findIndex((other, index) => index > at && !Number.isNaN(other));
    const [from, to] = [rates[left] ?? 0, rates[right] ?? 0];
    return from + ((to - from) * (at - left)) / (right - left);
  });
}

/** The rate at a temperature, °C/s; beyond the table its first or last one. */
export function rateAt({ firstC, rates }: WarmingTable, tempC: number): number {
  const place = Math.min(rates.length - 1, Math.max(0, (tempC - firstC) / tableStepC));
  const before = Math.min(Math.floor(place), rates.length - 2);
  const [from, to] = [rates[before] ?? 0, rates[before + 1] ?? 0];
  return from + (to - from) * (place - before);
}
