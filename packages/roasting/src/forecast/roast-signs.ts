import { pastCurveOf, pastCurveStepSeconds, turnOf, type PastCurve } from './past-curve.ts';
import { isReading, type Reading } from '../curves/series.ts';

/** A completed roast second by second, from charge to drop. */
export interface WatchedRoast {
  readonly beanTempC: readonly Reading[];
  readonly exhaustTempC?: readonly Reading[] | undefined;
  /** Outputs in percent. */
  readonly heatPower?: readonly Reading[] | undefined;
  readonly fanSpeed?: readonly Reading[] | undefined;
  readonly batchKg: number | null;
  /** Roasts are compared with those of the same coffee. */
  readonly coffee: string;
}

/** A figure of a roast that another probe or burner would change, and what else it depends on. */
export interface Sign {
  readonly value: number;
  readonly causes: readonly number[];
}

/** The readings as they would be after a change of the machine. */
export interface Alteration {
  readonly beanC?: number;
  readonly exhaustC?: number;
  /** The burner was set to this share of what it was set to, for the same heat. */
  readonly setShare?: number;
}

/** A roast with its curve, which is smoothed once. */
export interface CurvedRoast extends WatchedRoast {
  readonly batchKg: number;
  readonly heatPower: readonly Reading[];
  readonly curve: PastCurve;
  readonly turn: number;
}

/** Null without a batch or without a burner setting: both explain too much. */
export function curvedRoast(roast: WatchedRoast): CurvedRoast | null {
  const { beanTempC, batchKg, heatPower } = roast;
  if (batchKg === null || !(batchKg > 0) || !heatPower?.some(isReading)) return null;
  const curve = pastCurveOf(Array.from(beanTempC.keys()), beanTempC, beanTempC.length - 1);
  return { ...roast, batchKg, heatPower, curve, turn: turnOf(curve) };
}

/** Two stretches of the curve, by how far they are below the usual drop, °C. */
const belowDropC = [95, 55, 15] as const;
/** The burner shows in the beans so much later, and in the exhaust. */
const heatAheadSeconds = 30;
const exhaustAheadSeconds = 10;

/* Each cause is divided by its usual spread, so that one penalty fits all weights. */
const chargeSpreadC = 5;
const batchSpread = 0.1;
const outputSpread = 10;
const rateSpreadC = 3;

/** The signs of a roast, always in the same order; null where it lacks one. Exhaust counts where `withExhaust`. */
export function signsOf(
  roast: CurvedRoast,
  usualDropC: number,
  withExhaust: boolean,
  { beanC = 0, exhaustC = 0, setShare = 1 }: Alteration = {},
): Sign[] | null {
  const { curve, turn, beanTempC, exhaustTempC = [], heatPower, fanSpeed = [] } = roast;
  const [from, middle, to] = belowDropC.map((below) => secondsAt(curve, turn, usualDropC - below - beanC));
  const [charge, turnTemp] = [meanOver(beanTempC, 0, 1), curve[turn]];
  if (!isReading(from) || !isReading(middle) || !isReading(to) || !isReading(charge) || !isReading(turnTemp))
    return null;
  const turnSeconds = turn * pastCurveStepSeconds;
  const heat = (start: number, end: number) => ((meanOver(heatPower, start, end) ?? 0) * setShare) / outputSpread;
  const fan = (start: number, end: number) => (meanOver(fanSpeed, start, end) ?? 0) / outputSpread;
  const batch = Math.log(roast.batchKg) / batchSpread;
  const chargeC = (charge + beanC) / chargeSpreadC;
  const rateOver = (start: number, end: number) => (60 * (belowDropC[0] - belowDropC[1])) / (end - start);
  const rates = [rateOver(from, middle), rateOver(middle, to)] as const;
  const heatBefore = (start: number, end: number) => heat(start - heatAheadSeconds, end - heatAheadSeconds);
  const signs: Sign[] = [
    { value: turnTemp + beanC, causes: [batch, chargeC, heat(0, turnSeconds), fan(0, turnSeconds)] },
    {
      value: rates[0],
      causes: [batch, chargeC, heatBefore(from, middle), fan(from, middle), heat(0, from - heatAheadSeconds)],
    },
    { value: rates[1], causes: [batch, heatBefore(middle, to), fan(middle, to), heatBefore(from, middle)] },
  ];
  if (!withExhaust) return signs;
  for (const [at, [start, end]] of [[from, middle] as const, [middle, to] as const].entries()) {
    const [exhaust, bean] = [meanOver(exhaustTempC, start, end), meanOver(beanTempC, start, end)];
    if (!isReading(exhaust) || !isReading(bean)) return null;
    const heatNow = heat(start - exhaustAheadSeconds, end - exhaustAheadSeconds);
    const causes = [batch, heatNow, fan(start, end), (rates[at] ?? 0) / rateSpreadC];
    signs.push({ value: exhaust + exhaustC - bean - beanC, causes });
  }
  return signs;
}

function secondsAt(curve: PastCurve, turn: number, tempC: number): Reading {
  for (let at = turn + 1; at < curve.length; at++) {
    const [before, here] = [curve[at - 1], curve[at]];
    if (!isReading(here) || here < tempC) continue;
    if (!isReading(before) || before >= tempC) return null;
    return (at - 1 + (tempC - before) / (here - before)) * pastCurveStepSeconds;
  }
  return null;
}

function meanOver(values: readonly Reading[], fromSeconds: number, toSeconds: number): Reading {
  const known = values.slice(Math.max(0, Math.round(fromSeconds)), Math.round(toSeconds) + 1).filter(isReading);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
