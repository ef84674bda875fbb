import { bridgeableMissing, isReading, stretchesOf, type Reading } from './series.ts';

/** Mean over an odd number of readings, centred. Missing readings stay missing and are not counted. */
export function movingAverage(values: ArrayLike<Reading>, width = 5): Reading[] {
  const half = halfOf(width);
  const means: Reading[] = [];
  // No list per reading: this runs over every sample of a roast.
  for (let index = 0; index < values.length; index++) {
    let sum = 0;
    let present = 0;
    const end = Math.min(values.length - 1, index + half);
    for (let at = Math.max(0, index - half); at <= end; at++) {
      const value = values[at];
      if (!isReading(value)) continue;
      sum += value;
      present += 1;
    }
    means.push(isReading(values[index]) ? sum / present : null);
  }
  return means;
}

function halfOf(width: number): number {
  if (!Number.isInteger(width) || width < 1 || width % 2 === 0) {
    throw new RangeError(`a centred window needs an odd number of readings, not ${width}`);
  }
  return (width - 1) / 2;
}

/** The product document's moving average. */
const averagedSlopes = 5;

/** The roast within a recording, on the recording's or the roast's own axis. */
export interface RoastWindow {
  /** Null where no charge is known: the whole recording counts. */
  readonly chargeSeconds: number | null;
  /** Null while the beans are in the drum, or where the drop is unknown. */
  readonly dropSeconds: number | null;
}

/**
 * Rate of rise of a recorded roast, as page, files, report and comparison show it: slopes smoothed by a centred 5-point
 * moving average, as the product document defines it, °C/min. The slope at a reading is that of the least-squares line
 * through the 20 s around it (Artisan's span): between neighbours at 4 Hz and a resolution of 0.1 °C it would jump by
 * 24 °C/min, which five points could not smooth. Where readings are too far apart for a line, it is the slope from the
 * previous reading. Irregular sampling is respected. Null at missing readings, and never computed across more than 3 of
 * them. Only readings from charge to drop count: the probe in an empty drum measures no beans, so the rate does not
 * depend on how much was recorded around the roast.
 */
export function rateOfRise(
  timesSeconds: ArrayLike<number>,
  recordedC: ArrayLike<Reading>,
  window: RoastWindow,
): Reading[] {
  const tempsC = readingsWithin(timesSeconds, recordedC, window);
  const rates: Reading[] = Array.from({ length: tempsC.length }, () => null);
  const lines = smoothRateOfRise(timesSeconds, tempsC);
  for (const stretch of stretchesOf(timesSeconds, tempsC)) {
    const slopes = stretch.map((at, k) => {
      const before = stretch[k - 1];
      return lines[at] ?? (before === undefined ? null : slopePerMinute(timesSeconds, tempsC, before, at));
    });
    const means = movingAverage(slopes, averagedSlopes);
    for (let k = 0; k < stretch.length; k++) rates[stretch[k] ?? 0] = means[k] ?? null;
  }
  return rates;
}

function readingsWithin(
  timesSeconds: ArrayLike<number>,
  tempsC: ArrayLike<Reading>,
  { chargeSeconds, dropSeconds }: RoastWindow,
): Reading[] {
  const start = chargeSeconds ?? Number.NEGATIVE_INFINITY;
  const end = dropSeconds ?? Number.POSITIVE_INFINITY;
  return Array.from(tempsC, (temp, index) => {
    const time = timesSeconds[index] ?? Number.NaN;
    return time >= start && time <= end ? temp : null;
  });
}

function slopePerMinute(times: ArrayLike<number>, temps: ArrayLike<Reading>, from: number, to: number): Reading {
  const [t0, t1, v0, v1] = [times[from], times[to], temps[from], temps[to]];
  if (t0 === undefined || t1 === undefined || !isReading(v0) || !isReading(v1)) return null;
  return ((v1 - v0) / (t1 - t0)) * 60;
}

/**
 * Rate of rise without lag, °C/min, for finished curves: the slope of the least-squares line through the readings
 * within `spanSeconds` centred on each reading. This is a Savitzky-Golay filter of order 1 that also accepts irregular
 * times (Artisan offers it for stored curves). At the ends of a run the window becomes one-sided. Null where fewer than
 * 3 readings lie in the window. O(n).
 */
export function smoothRateOfRise(
  timesSeconds: ArrayLike<number>,
  tempsC: ArrayLike<Reading>,
  { spanSeconds = 20 }: { spanSeconds?: number } = {},
): Reading[] {
  const rates: Reading[] = Array.from({ length: tempsC.length }, () => null);
  for (const stretch of stretchesOf(timesSeconds, tempsC)) {
    const line = createLine();
    const times = Float64Array.from(stretch, (at) => timesSeconds[at] ?? 0);
    const temps = Float64Array.from(stretch, (at) => tempsC[at] ?? 0);
    let first = 0;
    let next = 0;
    for (let k = 0; k < stretch.length; k++) {
      const centre = times[k] ?? 0;
      for (; next < times.length && (times[next] ?? 0) <= centre + spanSeconds / 2; next++) {
        line.add(times[next] ?? 0, temps[next] ?? 0);
      }
      for (; (times[first] ?? 0) < centre - spanSeconds / 2; first++) line.remove(times[first] ?? 0, temps[first] ?? 0);
      const slope = line.slopePerSecond();
      rates[stretch[k] ?? 0] = slope === null ? null : slope * 60;
    }
  }
  return rates;
}

export interface LiveRateOfRise {
  /** Takes the newest reading; returns °C/min, or null until there are 3 readings over a quarter of the span. */
  push(timeSeconds: number, tempC: Reading): Reading;
  /** Discards earlier readings, as after a charge. */
  reset(): void;
}

/**
 * Live rate of rise: the least-squares slope over the last `spanSeconds` (default 20 s, as Artisan's live span).
 * Artisan uses (T_now - mean of 5 readings around the left end) / Δt, which depends on a single newest reading; a probe
 * with σ = 0.1 °C at 1 Hz and 20 s then gives σ ≈ 0.33 °C/min against ≈ 0.22 for the line through all 20, with the same
 * lag of half a span. Neither needs look-ahead. More than 3 missing readings in a row, a gap of half a span, or time
 * running backwards restart it: a rate is never computed across a gap.
 */
export function createLiveRateOfRise({ spanSeconds = 20 }: { spanSeconds?: number } = {}): LiveRateOfRise {
  let window: { time: number; temp: number }[] = [];
  let missing = 0;
  const reset = () => {
    window = [];
    missing = 0;
  };
  return {
    reset,
    push(timeSeconds, tempC) {
      if (!isReading(tempC)) {
        missing++;
        if (missing > bridgeableMissing) window = [];
        return null;
      }
      missing = 0;
      const last = window.at(-1);
      if (last && (timeSeconds <= last.time || timeSeconds - last.time > spanSeconds / 2)) window = [];
      window.push({ time: timeSeconds, temp: tempC });
      while ((window[0]?.time ?? timeSeconds) < timeSeconds - spanSeconds) window.shift();
      if (timeSeconds - (window[0]?.time ?? timeSeconds) < spanSeconds / 4) return null;
      const line = createLine();
      for (const { time, temp } of window) line.add(time, temp);
      const slope = line.slopePerSecond();
      return slope === null ? null : slope * 60;
    },
  };
}

/**
 * Sums of a least-squares line that readings can be added to and removed from. Times are relative to the first one for
 * precision.
 */
function createLine() {
  let origin: number | null = null;
  let [n, st, sv, stt, stv] = [0, 0, 0, 0, 0];
  const apply = (sign: 1 | -1, time: number, value: number) => {
    origin ??= time;
    const t = time - origin;
    n += sign;
    st += sign * t;
    sv += sign * value;
    stt += sign * t * t;
    stv += sign * t * value;
  };
  return {
    add: (time: number, value: number) => apply(1, time, value),
    remove: (time: number, value: number) => apply(-1, time, value),
    slopePerSecond(): number | null {
      const spread = stt - (st * st) / n;
      return n < 3 || !(spread > 1e-6) ? null : (stv - (st * sv) / n) / spread;
    },
  };
}
