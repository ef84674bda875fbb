import {
  pastCurveStepSeconds as stepSeconds,
  rateAt,
  tempAt,
  turnOf,
  warmingTable,
  type PastCurve,
  type WarmingTable,
} from './past-curve.ts';
import type { RoastMoment } from './roast-moment.ts';
import { medianOf } from '../curves/series.ts';

/** A past roast, with how fast it warmed up at each temperature. */
export interface Past {
  readonly curve: PastCurve;
  readonly warming: WarmingTable;
}

/** Past roasts to forecast from; a curve with too few readings is left out. */
export function pastsOf(curves: readonly PastCurve[]): Past[] {
  return curves.flatMap((curve): Past[] => {
    const warming = warmingTable(curve);
    return warming ? [{ curve, warming }] : [];
  });
}

/* What is common to all machines, chosen on 59 recorded roasts of seven owners; the minimum is flat. */

/** Without past roasts the rate of rise decays to 1/e in this time. */
const rateDecaySeconds = 400;
/** A roast that is faster than a past one at the same temperature returns to its rate in this time. */
const ratioDecaySeconds = 400;
/** Weights of the three forecasts: past rates by temperature, past curves by time, decaying rate. */
const weights = { byTemperature: 0.5, byTime: 0.25, decaying: 0.25 };

/**
 * How far a roast rises every 5 s from now, as past roasts of its machine did: the part of a forecast that is common to
 * all machines.
 */
export function usualRise(moment: RoastMoment, pasts: readonly Past[], steps: number): number[] {
  const byTemperature = pasts.map(({ warming }) => pathByTemperature(moment, warming, steps));
  const byTime = pasts.flatMap(({ curve }) => pathByTime(moment, curve, steps) ?? []);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const decay = 1 - Math.exp((-step * stepSeconds) / rateDecaySeconds);
    const rises: [number | null, number][] = [
      [moment.perSecondC * rateDecaySeconds * decay, weights.decaying],
      [medianOf(byTemperature.map((path) => path[step] ?? 0)), weights.byTemperature],
      [medianOf(byTime.map((path) => path[step] ?? 0)), weights.byTime],
    ];
    const known = rises.filter((rise): rise is [number, number] => rise[0] !== null);
    const weight = known.reduce((sum, [, share]) => sum + share, 0);
    return known.reduce((sum, [rise, share]) => sum + rise * share, 0) / weight;
  });
}

/** The rise if the roast warms up at each temperature as a past one did, starting from its own speed. */
function pathByTemperature(moment: RoastMoment, warming: WarmingTable, steps: number): number[] {
  const usual = Math.max(minRateC, rateAt(warming, moment.tempC));
  const ratio = Math.min(maxRatio, Math.max(1 / maxRatio, moment.perSecondC / usual));
  const rises = [0];
  let tempC = moment.tempC;
  for (let step = 0; step < steps; step++) {
    const own = 1 + (ratio - 1) * Math.exp((-(step + 0.5) * stepSeconds) / ratioDecaySeconds);
    // Half a step ahead, for the midpoint rule.
    const middleC = tempC + (rateAt(warming, tempC) * own * stepSeconds) / 2;
    tempC += rateAt(warming, middleC) * own * stepSeconds;
    rises.push(tempC - moment.tempC);
  }
  return rises;
}
/** A rate below 0.6 °C/min is not a roast. */
const minRateC = 0.01;
const maxRatio = 2;

/** The rise of a past roast from the same time on; nothing where its curve has a gap. */
function pathByTime({ elapsedSeconds }: RoastMoment, curve: PastCurve, steps: number): [number[]] | null {
  const now = tempAt(curve, elapsedSeconds);
  // A past roast that had ended by then is no evidence.
  if (now === null || elapsedSeconds > (curve.length - 1) * stepSeconds || elapsedSeconds < turnOf(curve) * stepSeconds)
    return null;
  let last = 0;
  const rises = Array.from({ length: steps + 1 }, (_, step) => {
    const tempC = tempAt(curve, elapsedSeconds + step * stepSeconds);
    if (tempC !== null) last = tempC - now;
    return last;
  });
  return [rises];
}
