import { detectionLimits as limits } from './detection-limits.ts';
import { isTorn } from './onset.ts';
import type { TrustedReading } from './reading-filter.ts';

/** How fast the probe warms up in a window of time, °C/s. */
interface Rate {
  /** The middle of the window, since the turn. */
  readonly atSeconds: number;
  readonly perSecond: number;
  /** Standard error from the noise of the readings. */
  readonly error: number;
}

/** How the probe recovered after a fall. */
export interface Recovery {
  readonly fastest: Rate;
  readonly latest: Rate;
  /** The smallest share of a rate that was left within 90 s, with the noise taken into account. */
  readonly slowedTo: number;
  /** … as measured. */
  readonly slowedToLikely: number;
  /** The latest rate as a share of the fastest of the last 90 s, at most, with the noise taken into account. */
  readonly steadyAt: number;
}

interface Sums {
  readings: number;
  t: number;
  c: number;
  tt: number;
  tc: number;
}

const cellSeconds = 10;
/** Whole degrees have this error even where they show no noise. */
const roundedNoiseC = 0.3;

/**
 * Rates of rise in windows of 30 s from the turn on. Beans warm up slowly at first, then at a rate that changes little for
 * minutes. After a door or a drop the probe returns exponentially: fastest at first, then slower. Few beans slow down too, but
 * take minutes. Null with fewer than two windows.
 */
export function recoveryOf(readings: readonly TrustedReading[], turnSeconds: number, noiseC: number): Recovery | null {
  const rates = ratesOf(
    cellsOf(readings, turnSeconds),
    Math.max(noiseC, roundedNoiseC),
    limits.chargeRateSeconds / cellSeconds,
  );
  const [first, latest] = [rates[0], rates.at(-1)];
  if (!first || !latest || rates.length < 2) return null;
  const fastest = rates.reduce((fast, rate) => (rate.perSecond > fast.perSecond ? rate : fast), first);
  const recent = Math.max(...precedingRates(rates, latest).map(({ perSecond }) => perSecond));
  const slowedBy = (errors: number) =>
    Math.min(...rates.map((rate) => shareLeft(rate, precedingRates(rates, rate), errors)));
  return {
    fastest,
    latest,
    slowedTo: slowedBy(limits.recoverySlowedErrors),
    slowedToLikely: slowedBy(0),
    steadyAt: (latest.perSecond + latest.error) / Math.max(minRatePerSecond, recent),
  };
}

/** Slower warming does not count. */
const minRatePerSecond = 0.01;

function precedingRates(rates: readonly Rate[], { atSeconds }: Rate): Rate[] {
  const from = atSeconds - limits.recoverySlowsWithinSeconds;
  return rates.filter((rate) => rate.atSeconds >= from && rate.atSeconds <= atSeconds);
}

/** The upper bound of a rate as a share of the rates before it, in view of this many standard errors. */
function shareLeft(rate: Rate, before: readonly Rate[], errors: number): number {
  const most = Math.max(...before.map(({ perSecond, error }) => perSecond - errors * error));
  return most > minRatePerSecond ? (rate.perSecond + errors * rate.error) / most : 1;
}

function cellsOf(readings: readonly TrustedReading[], fromSeconds: number): (Sums | undefined)[] {
  const cells: (Sums | undefined)[] = [];
  for (let at = readings.length - 1; at >= 0; at--) {
    const reading = readings[at];
    if (!reading || reading.timeSeconds < fromSeconds) break;
    if (isTorn(reading.tempC, readings[at - 1]?.tempC, readings[at + 1]?.tempC)) continue;
    const since = reading.timeSeconds - fromSeconds;
    const cell = (cells[Math.floor(since / cellSeconds)] ??= { readings: 0, t: 0, c: 0, tt: 0, tc: 0 });
    cell.readings += 1;
    cell.t += since;
    cell.c += reading.tempC;
    cell.tt += since * since;
    cell.tc += since * reading.tempC;
  }
  return cells;
}

/** The rate in each window of this many cells; none where too few readings fell into it. */
function ratesOf(cells: readonly (Sums | undefined)[], noiseC: number, width: number): Rate[] {
  const rates: Rate[] = [];
  for (let from = 0; from + width <= cells.length; from++) {
    const sums = { readings: 0, t: 0, c: 0, tt: 0, tc: 0 };
    for (const cell of cells.slice(from, from + width)) {
      sums.readings += cell?.readings ?? 0;
      sums.t += cell?.t ?? 0;
      sums.c += cell?.c ?? 0;
      sums.tt += cell?.tt ?? 0;
      sums.tc += cell?.tc ?? 0;
    }
    const spread = sums.tt - (sums.t * sums.t) / sums.readings;
    // Readings of one cell do not give a rate over three.
    if (sums.readings < 3 || spread < sums.readings * cellSeconds) continue;
    const perSecond = (sums.tc - (sums.t * sums.c) / sums.readings) / spread;
    rates.push({ atSeconds: (from + width / 2) * cellSeconds, perSecond, error: noiseC / Math.sqrt(spread) });
  }
  return rates;
}
