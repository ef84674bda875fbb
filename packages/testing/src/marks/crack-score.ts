import type { ArtisanRoast } from '@roastery/roasting/alog';
import {
  expectCrack,
  rateDiesAwaySeconds,
  straysPerRootSecond,
  type CurveHabits,
  type PredictedFirstCrack,
} from '@roastery/roasting/first-crack';
import type { Mark } from '@roastery/roasting/marks';
import { createLiveRateOfRise, secondsTo } from '@roastery/roasting/rate-of-rise';
import { isReading, valueAt } from '@roastery/roasting/series';
import { percentile } from '../bench.ts';

/** A roast with the moment and the temperature of its first crack, and what a live page knew before. */
export interface CrackedRoast {
  readonly machine: string;
  readonly crackSeconds: number;
  readonly crackC: number;
  readonly sinceChargeSeconds: number;
  readonly live: readonly LiveMoment[];
}

/** What a live page knows at one moment. */
export interface LiveMoment {
  readonly timeSeconds: number;
  readonly beanC: number;
  readonly rateC: number;
}

export interface CrackErrors {
  /** Median distance of the likely moment from the crack, s. */
  readonly median: number;
  /** Share of what was said whose band held the crack; NaN where no band was said. */
  readonly covered: number;
  /** Mean length of the bands, s. */
  readonly widthSeconds: number;
  readonly said: number;
  readonly silent: number;
}

/**
 * A roast up to its first crack; undefined when no crack is marked.
 * @param atC use this crack temperature instead of the marked one
 */
export const crackedRoast = (
  roast: Pick<ArtisanRoast, 'timesSeconds' | 'beanTempC' | 'machine'> & {
    readonly marks: readonly Pick<Mark, 'kind' | 'timeSeconds'>[];
  },
  atC?: number,
): CrackedRoast | undefined => {
  const at = (wanted: Mark['kind']) => roast.marks.find(({ kind }) => kind === wanted)?.timeSeconds;
  const [charge, marked] = [at('charge'), at('first_crack')];
  if (charge === undefined || marked === undefined) return undefined;
  const rate = createLiveRateOfRise();
  const live = roast.timesSeconds.flatMap((timeSeconds, index) => {
    const beanC = roast.beanTempC[index];
    if (timeSeconds < charge || !isReading(beanC)) return [];
    const rateC = rate.push(timeSeconds, beanC);
    return rateC === null ? [] : [{ timeSeconds, beanC, rateC }];
  });
  const reached = live.find(({ timeSeconds, beanC }) => timeSeconds > charge + 120 && beanC >= (atC ?? Infinity));
  const crackSeconds = atC === undefined ? marked : reached?.timeSeconds;
  const crackC = atC ?? valueAt(roast.timesSeconds, roast.beanTempC, marked);
  if (crackSeconds === undefined || crackC === null) return undefined;
  return { machine: roast.machine ?? '', crackSeconds, crackC, sinceChargeSeconds: crackSeconds - charge, live };
};

/** From here on the live page forecasts the crack: where the beans are dry. */
const dryC = 150;

/** What is known of a roast so many seconds before its crack; undefined where nothing is forecast yet. */
export const momentBefore = (roast: CrackedRoast, aheadSeconds: number): LiveMoment | undefined => {
  if (roast.sinceChargeSeconds < aheadSeconds + 120) return undefined;
  const now = roast.live.findLast(({ timeSeconds }) => timeSeconds <= roast.crackSeconds - aheadSeconds);
  return now && now.beanC >= dryC ? now : undefined;
};

export type Say = (
  now: LiveMoment,
  roast: CrackedRoast,
) => { likely: number; soonest?: number; latest?: number } | null;

/**
 * Forecasts each roast so many seconds before its crack. Of several distances each roast counts once in `covered` and
 * `widthSeconds`, however many of them it allows.
 */
export const errorsOf = (roasts: readonly CrackedRoast[], ahead: number | readonly number[], say: Say): CrackErrors => {
  const away: number[] = [];
  const bands: { covered: number; widthSeconds: number }[] = [];
  let silent = 0;
  for (const roast of roasts) {
    const ofRoast: typeof bands = [];
    for (const aheadSeconds of [ahead].flat()) {
      const now = momentBefore(roast, aheadSeconds);
      if (!now) continue;
      const said = say(now, roast);
      if (!said) {
        silent++;
        continue;
      }
      const actual = roast.crackSeconds - now.timeSeconds;
      away.push(Math.abs(said.likely - actual));
      if (said.soonest === undefined || said.latest === undefined) continue;
      const covered = actual >= said.soonest && actual <= said.latest ? 1 : 0;
      ofRoast.push({ covered, widthSeconds: said.latest - said.soonest });
    }
    if (ofRoast.length > 0)
      bands.push({
        covered: meanOf(ofRoast.map(({ covered }) => covered)),
        widthSeconds: meanOf(ofRoast.map(({ widthSeconds }) => widthSeconds)),
      });
  }
  return {
    median: away.length === 0 ? Number.NaN : percentile(away, 0.5),
    covered: meanOf(bands.map(({ covered }) => covered)),
    widthSeconds: meanOf(bands.map(({ widthSeconds }) => widthSeconds)),
    said: away.length,
    silent,
  };
};

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What the product says, or would say with other habits. */
export const banded = (
  predicted: Pick<PredictedFirstCrack, 'tempC' | 'spreadC'>,
  now: LiveMoment,
  habits: Partial<CurveHabits> = {},
) => {
  const crack = expectCrack(predicted, now.beanC, now.rateC, {
    diesAwaySeconds: rateDiesAwaySeconds,
    straysPerRootSecond,
    ...habits,
  });
  return crack && { likely: crack.likelySeconds, soonest: crack.soonestSeconds, latest: crack.latestSeconds };
};

/** Its crack temperature, as if it had been known. */
export const knownOf = (roast: CrackedRoast) => ({ tempC: roast.crackC, spreadC: 0 });

/** A straight line to a temperature, as the reference figures were taken. */
export const straight = (targetC: number, now: LiveMoment) => {
  const likely = secondsTo(targetC, now.beanC, now.rateC);
  return likely === null ? null : { likely };
};
