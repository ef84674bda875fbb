import { forecastFrom } from './curve-forecast.ts';
import { createErrorBand, fewestRoasts } from './error-band.ts';
import { correctionC, correctionSize, featuresOf } from './forecast-correction.ts';
import {
  hotFromC,
  learntAheads,
  minSinceTurnSeconds,
  type ForecastRecord,
  type HalfBands,
  type LearntForecast,
} from './learnt-forecast.ts';
import { pastCurveStepSeconds as stepSeconds } from './past-curve.ts';
import { rateOfRise } from '../curves/rate-of-rise.ts';
import { createRidge } from './ridge.ts';
import { roastMoment, type RoastTrack } from './roast-moment.ts';
import { isReading, valueAt } from '../curves/series.ts';
import { usualRise, type Past } from './usual-rise.ts';

/** A past roast of the machine. */
export interface LearntRoast {
  readonly track: RoastTrack;
  readonly turnSeconds: number;
  readonly dropSeconds: number;
  /** The roasts before it from which it would have been forecast. */
  readonly pasts: readonly Past[];
  /** When it cracked, and where that was expected; absent without a mark or with too few earlier ones. */
  readonly crack?: { readonly seconds: number; readonly expectedC: number; readonly spreadC: number } | undefined;
}

export interface ForecastLearner {
  /** Roasts must follow in the order of time: each is forecast before it is learnt from. */
  add(roast: LearntRoast): void;
  /** Null while forecasts have not shown that they are better than the rate of now. */
  learnt(): LearntForecast | null;
  /** How the newest roasts were forecast before anything was learnt from them; null before two of them. */
  record(): ForecastRecord | null;
}

const everySeconds = 10;
/** A rate is measured 10 s before and after its time. */
const rateSteps = 2;
const lastAhead = 120;

/** In roasts, as are the weights of observations. */
const penalty = 0.1;
/** Machines, probes and coffees change: a roast counts this share of the next one. */
const rememberedOfWeights = 0.95;
/** The correction is trusted by as much as would have been best in about the last three roasts. */
const rememberedOfTrust = 0.7;
const trusts = [0, 0.25, 0.5, 0.75, 1];
const doubt = 0.0006;
/** A first roast is forecast from nothing, a second one from one. */
const pastsOfJudged = 2;
const newestJudged = 20;
/** A forecast has skill if its errors are this share of those of the rate of now. */
const skilled = 0.9;
/** First crack is forecast this long ahead, on its newest roasts. */
const crackAheads = [120, 60];
const newestCracks = 10;
const crackHeld = 0.8;
const minHalfTempC = 0.3;
const minHalfRateC = 0.5;
/** A jump of the probe is no lesson. */
const maxResidualPerMinuteC = 20;

interface Observed {
  readonly aheadAt: number;
  readonly isHot: boolean;
  readonly features: readonly number[];
  readonly actualC: number;
  readonly usualC: number;
  readonly persistentC: number;
  /** The actual rate of rise minus that of the usual rise, °C/min; null where none is drawn. */
  readonly rateErrorC: (weights: readonly number[]) => number | null;
}

/** Means of one roast by distance. */
interface JudgedRoast {
  readonly own: readonly number[];
  readonly persistent: readonly number[];
  readonly hot: readonly number[];
  /** Shares inside the band that was shown; NaN where none was. */
  readonly inside: readonly number[];
  readonly insideHot: readonly number[];
}

export function createForecastLearner(): ForecastLearner {
  const ridge = createRidge(correctionSize);
  const bands = { below: createBands(), above: createBands() };
  let scores = trusts.map((trust) => trust * doubt);
  let weights = Array.from({ length: correctionSize }, () => 0);
  const judged: JudgedRoast[] = [];
  const cracks: number[] = [];
  let roasts = 0;

  const trusted = () => {
    const trust = trusts[scores.indexOf(Math.min(...scores))] ?? 0;
    return weights.map((weight) => trust * weight);
  };
  const learntNow = () => ({
    weights: trusted(),
    bands: { below: bands.below.halves(), above: bands.above.halves() },
  });
  const judge = (seen: readonly Observed[], used: readonly number[]) => {
    const errorOf = ({ actualC, usualC, features, aheadAt }: Observed) =>
      Math.abs(actualC - usualC - correctionC(features, used, learntAheads[aheadAt] ?? 0));
    const byAhead = (rows: readonly Observed[], value: (row: Observed) => number | null) =>
      learntAheads.map((_, at) =>
        rows
          .filter(({ aheadAt }) => aheadAt === at)
          .map(value)
          .filter(isReading),
      );
    const halves = { below: bands.below.halves(), above: bands.above.halves() };
    const isInside = (row: Observed) => {
      const half = (row.isHot ? halves.above : halves.below)?.tempC[row.aheadAt];
      return half === undefined ? null : Number(errorOf(row) <= half);
    };
    const hotSeen = seen.filter(({ isHot }) => isHot);
    for (const hot of [false, true]) {
      const rows = seen.filter(({ isHot }) => isHot === hot);
      const rateErrors = byAhead(rows, ({ rateErrorC }) => absolute(rateErrorC(used)));
      (hot ? bands.above : bands.below).add(byAhead(rows, errorOf), rateErrors);
    }
    judged.push({
      own: byAhead(seen, errorOf).map(meanOf),
      persistent: byAhead(seen, ({ actualC, persistentC }) => Math.abs(actualC - persistentC)).map(meanOf),
      hot: byAhead(hotSeen, errorOf).map(meanOf),
      inside: byAhead(seen, isInside).map(meanOf),
      insideHot: byAhead(hotSeen, isInside).map(meanOf),
    });
    if (judged.length > newestJudged) judged.shift();
  };
  const judgeCrack = ({ track, turnSeconds, pasts, crack }: LearntRoast, used: ReturnType<typeof learntNow>) => {
    if (!crack) return;
    const inside = crackAheads.flatMap((ahead) => {
      const moment = roastMoment(track, turnSeconds, crack.seconds - ahead);
      const said = moment && forecastFrom(moment, pasts, used);
      const reached = said?.reaches(crack.expectedC, crack.spreadC);
      if (!said) return [];
      return [reached && ahead >= reached.soonestSeconds && ahead <= reached.latestSeconds ? 1 : 0];
    });
    if (inside.length > 0) cracks.push(meanOf(inside));
    if (cracks.length > newestCracks) cracks.shift();
  };
  const score = (seen: readonly Observed[]) => {
    const now = trusts.map(() => 0);
    for (const [at, ahead] of learntAheads.entries()) {
      const rows = seen.filter(({ aheadAt }) => aheadAt === at);
      if (rows.length === 0) continue;
      const errors = trusts.map((trust) =>
        meanOf(
          rows.map(({ actualC, usualC, features }) =>
            Math.abs(actualC - usualC - trust * correctionC(features, weights, ahead)),
          ),
        ),
      );
      // Of the usual error, so that one odd roast does not decide.
      for (const [index, error] of errors.entries())
        now[index] = (now[index] ?? 0) + error / ((errors[0] ?? 0) + 0.1) / ahead;
    }
    scores = scores.map((before, index) => before * rememberedOfTrust + (now[index] ?? 0));
  };
  const learn = (seen: readonly Observed[]) => {
    ridge.fade(rememberedOfWeights);
    for (const [at, ahead] of learntAheads.entries()) {
      const rows = seen.filter(({ aheadAt }) => aheadAt === at);
      for (const { features, actualC, usualC } of rows) {
        const residual = ((actualC - usualC) * 60) / ahead;
        if (Math.abs(residual) < maxResidualPerMinuteC)
          ridge.add(features, residual, 1 / rows.length / learntAheads.length);
      }
    }
    const solved = ridge.solve(penalty);
    if (solved.every(Number.isFinite)) weights = solved;
  };

  return {
    add(roast) {
      const seen = observe(roast);
      if (seen.length === 0) return;
      judgeCrack(roast, learntNow());
      if (roast.pasts.length >= pastsOfJudged) judge(seen, trusted());
      score(seen);
      learn(seen);
      roasts += 1;
    },
    learnt() {
      const [errorsC, persistentC] = [everyMean(judged, 'own'), everyMean(judged, 'persistent')];
      const now = learntNow();
      if ((!now.bands.below && !now.bands.above) || !(sumOf(errorsC) <= skilled * sumOf(persistentC))) return null;
      const timesFirstCrack = cracks.length >= fewestRoasts && meanOf(cracks) >= crackHeld;
      return { ...now, roasts, errorsC, timesFirstCrack };
    },
    record: () => (judged.length === 0 ? null : recordOf(judged)),
  };
}

const knownMeans = (judged: readonly JudgedRoast[], of: keyof JudgedRoast) =>
  learntAheads.map((_, at) => {
    const known = judged.map((each) => each[of][at]).filter(isReading);
    return known.length === 0 ? null : meanOf(known);
  });
const everyMean = (judged: readonly JudgedRoast[], of: keyof JudgedRoast) =>
  knownMeans(judged, of).map((mean) => mean ?? Number.NaN);

const recordOf = (judged: readonly JudgedRoast[]): ForecastRecord => ({
  roasts: judged.length,
  errorsC: knownMeans(judged, 'own'),
  hotErrorsC: knownMeans(judged, 'hot'),
  rateOfNowErrorsC: knownMeans(judged, 'persistent'),
  held: knownMeans(judged, 'inside'),
  hotHeld: knownMeans(judged, 'insideHot'),
});

/** The bands of one part of a roast. */
function createBands() {
  const [temp, rate] = [minHalfTempC, minHalfRateC].map((least) => createErrorBand(learntAheads.length, least));
  return {
    add(tempErrors: readonly number[][], rateErrors: readonly number[][]) {
      temp?.add(tempErrors);
      rate?.add(rateErrors);
    },
    halves(): HalfBands | null {
      const [tempC, ratePerMinuteC] = [temp?.halves(), rate?.halves()];
      return tempC && ratePerMinuteC ? { tempC, ratePerMinuteC } : null;
    },
  };
}

/** A roast as it would have been forecast every 10 s, with what came of it. */
function observe({ track, turnSeconds, dropSeconds, pasts }: LearntRoast): Observed[] {
  const { timesSeconds, beanTempC } = track;
  const rates = rateOfRise(timesSeconds, beanTempC, { chargeSeconds: 0, dropSeconds });
  const seen: Observed[] = [];
  for (let now = turnSeconds + minSinceTurnSeconds; now < dropSeconds - (learntAheads[0] ?? 0); now += everySeconds) {
    const moment = roastMoment(track, turnSeconds, now);
    if (!moment || !(moment.perSecondC > 0)) continue;
    const usual = usualRise(moment, pasts, lastAhead / stepSeconds + rateSteps);
    const features = featuresOf(moment, pasts);
    const riseAt = (step: number, weights: readonly number[]) => {
      const [ahead, usualC] = [step * stepSeconds, usual[step] ?? 0];
      return usualC + correctionC(features(ahead, usualC), weights, ahead);
    };
    for (const [aheadAt, ahead] of learntAheads.entries()) {
      const actual = now + ahead > dropSeconds ? null : valueAt(timesSeconds, beanTempC, now + ahead);
      const [step, usualC] = [ahead / stepSeconds, usual[ahead / stepSeconds] ?? 0];
      if (!isReading(actual)) continue;
      const actualRate = valueAt(timesSeconds, rates, now + ahead);
      seen.push({
        aheadAt,
        isHot: moment.tempC >= hotFromC,
        features: features(ahead, usualC),
        actualC: actual - moment.tempC,
        usualC,
        persistentC: moment.perSecondC * ahead,
        rateErrorC: (weights) =>
          isReading(actualRate)
            ? actualRate -
              (60 * (riseAt(step + rateSteps, weights) - riseAt(step - rateSteps, weights))) /
                (2 * rateSteps * stepSeconds)
            : null,
      });
    }
  }
  return seen;
}

const absolute = (value: number | null): number | null => (value === null ? null : Math.abs(value));
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;
