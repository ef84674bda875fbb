import type { ArtisanRoast } from '@roastery/roasting/alog';
import { expectCrack, learnCrack, rateDiesAwaySeconds, type LearntCrack } from '@roastery/roasting/first-crack';
import { markOf } from '@roastery/roasting/marks';
import { createLiveRateOfRise, secondsTo } from '@roastery/roasting/rate-of-rise';
import { isReading, valueAt } from '@roastery/roasting/series';
import { percentile } from '../bench.ts';
import { normal, randomStream } from './random.ts';

/** A roast with the moment and the temperature of its first crack, and what a live page knew before. */
interface CrackedRoast {
  readonly machine: string;
  readonly crackSeconds: number;
  readonly crackC: number;
  readonly sinceChargeSeconds: number;
  readonly live: readonly { timeSeconds: number; beanC: number; rateC: number }[];
}

export interface CrackErrors {
  /** Median distance of the likely moment from the crack, s. */
  readonly median: number;
  /** Share of what was said whose band held the crack; NaN where no band was said. */
  readonly covered: number;
  readonly said: number;
  readonly silent: number;
}

const crackedRoast = (roast: ArtisanRoast, atC?: number): CrackedRoast | undefined => {
  const charge = markOf(roast.marks, 'charge')?.timeSeconds;
  const marked = markOf(roast.marks, 'first_crack')?.timeSeconds;
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

type Say = (
  now: CrackedRoast['live'][number],
  roast: CrackedRoast,
) => { likely: number; soonest?: number; latest?: number } | null;

const errorsOf = (roasts: readonly CrackedRoast[], aheadSeconds: number, say: Say): CrackErrors => {
  const away: number[] = [];
  let [covered, bands, silent] = [0, 0, 0];
  for (const roast of roasts) {
    if (roast.sinceChargeSeconds < aheadSeconds + 120) continue;
    const now = roast.live.findLast(({ timeSeconds }) => timeSeconds <= roast.crackSeconds - aheadSeconds);
    const said = now && say(now, roast);
    if (!now || !said) {
      silent++;
      continue;
    }
    const actual = roast.crackSeconds - now.timeSeconds;
    away.push(Math.abs(said.likely - actual));
    if (said.soonest === undefined || said.latest === undefined) continue;
    bands++;
    if (actual >= said.soonest && actual <= said.latest) covered++;
  }
  const median = away.length === 0 ? Number.NaN : percentile(away, 0.5);
  return { median, covered: covered / bands, said: away.length, silent };
};

const banded = (learnt: Pick<LearntCrack, 'tempC' | 'spreadC'>, now: CrackedRoast['live'][number], tau: number) => {
  const crack = expectCrack(learnt, now.beanC, now.rateC, tau);
  return crack && { likely: crack.likelySeconds, soonest: crack.soonestSeconds, latest: crack.latestSeconds };
};

/** A straight line to a temperature, as the reference figures were taken. */
const straight = (targetC: number, now: CrackedRoast['live'][number]) => {
  const likely = secondsTo(targetC, now.beanC, now.rateC);
  return likely === null ? null : { likely };
};

const pastOf = (others: readonly CrackedRoast[], machine: string) =>
  others.map(({ crackC, machine: theirs }) => ({
    tempC: crackC,
    sameMachine: machine !== '' && theirs === machine,
    sameRecipe: false,
    sameCoffee: false,
    sameLot: false,
  }));

const without = (roasts: readonly CrackedRoast[], roast: CrackedRoast) => roasts.filter((other) => other !== roast);

/** How soon rates die away, chosen on these roasts alone. */
const bestDecay = (roasts: readonly CrackedRoast[]): number => {
  const choices = [300, 350, 400, 450, 500, 600, 800];
  const error = (tau: number) =>
    [60, 120].reduce(
      (sum, ahead) =>
        sum +
        errorsOf(roasts, ahead, (now, roast) => banded({ tempC: roast.crackC, spreadC: 0 }, now, tau)).median / ahead,
      0,
    );
  return choices.reduce((best, tau) => (error(tau) < error(best) ? tau : best));
};

/** The recorded roasts, each foretold from the others: by temperature known, learnt, and as the reference does. */
export const foretellRecorded = (files: readonly ArtisanRoast[], aheadSeconds: number) => {
  const roasts = files.flatMap((file) => crackedRoast(file) ?? []);
  const errors = (say: Say) => errorsOf(roasts, aheadSeconds, say);
  return {
    known: errors((now, roast) => banded({ tempC: roast.crackC, spreadC: 0 }, now, rateDiesAwaySeconds)),
    knownLeaveOneOut: errors((now, roast) =>
      banded({ tempC: roast.crackC, spreadC: 0 }, now, bestDecay(without(roasts, roast))),
    ),
    knownStraight: errors((now, roast) => straight(roast.crackC, now)),
    learnt: errors((now, roast) =>
      banded(learnCrack(pastOf(without(roasts, roast), roast.machine)), now, rateDiesAwaySeconds),
    ),
    pastMedian: errors((now, roast) =>
      straight(
        percentile(
          without(roasts, roast).map(({ crackC }) => crackC),
          0.5,
        ),
        now,
      ),
    ),
  };
};

/**
 * A roastery imagined on the recorded curves: five machines whose probes differ by 6 °C, lots that differ by 2.5 °C, eight
 * roasts each that crack within 1.5 °C of their lot. Each is foretold from those before it.
 */
export const foretellImagined = (files: readonly ArtisanRoast[], aheadSeconds: number) => {
  const random = randomStream(11);
  const learnt = new Map<CrackedRoast, LearntCrack>();
  const medians = new Map<CrackedRoast, number>();
  const roasts: CrackedRoast[] = [];
  for (let machine = 0; machine < 5; machine++) {
    const machineC = 194 + 6 * normal(random);
    const before: { tempC: number; lot: number }[] = [];
    for (let lot = 0; lot < 4; lot++) {
      const lotC = machineC + 2.5 * normal(random);
      for (let n = 0; n < 8; n++) {
        const tempC = lotC + 1.5 * normal(random);
        const file = files[Math.floor(random() * files.length)];
        const roast = file && crackedRoast(file, tempC);
        if (roast && before.length > 0) {
          roasts.push(roast);
          medians.set(
            roast,
            percentile(
              before.map((past) => past.tempC),
              0.5,
            ),
          );
          const shared = { sameMachine: true, sameRecipe: false };
          const past = before.map((crack) => ({
            ...shared,
            ...crack,
            sameCoffee: crack.lot === lot,
            sameLot: crack.lot === lot,
          }));
          learnt.set(roast, learnCrack(past.toReversed()));
        }
        before.push({ tempC, lot });
      }
    }
  }
  return {
    learnt: errorsOf(roasts, aheadSeconds, (now, roast) => {
      const temperature = learnt.get(roast);
      return temperature ? banded(temperature, now, rateDiesAwaySeconds) : null;
    }),
    pastMedian: errorsOf(roasts, aheadSeconds, (now, roast) => straight(medians.get(roast) ?? Number.NaN, now)),
  };
};
