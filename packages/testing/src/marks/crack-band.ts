import { banded, errorsOf, knownOf, meanOf, momentBefore, type CrackedRoast } from './crack-score.ts';
import { randomStream } from './random.ts';

/** Every moment at which a live page forecasts, s before the crack; the last seconds are of no use to anybody. */
export const usefulMoments: readonly number[] = Array.from({ length: 97 }, (_, n) => 20 + 5 * n);

/**
 * How far eight of ten roasts stray from their forecast, seconds per root of the seconds ahead, where the crack
 * temperature is known: the conformal quantile for one roast more than these. Moments of one roast stray together, so each
 * roast counts once and not each moment.
 */
export const straysOf = (roasts: readonly CrackedRoast[]): number => {
  const scores = roasts.flatMap((roast) => {
    const ofRoast = usefulMoments.flatMap((ahead) => {
      const now = momentBefore(roast, ahead);
      const said = now && banded(knownOf(roast), now);
      if (!now || !said) return [];
      return [Math.abs(roast.crackSeconds - now.timeSeconds - said.likely) / Math.sqrt(Math.max(said.likely, 6))];
    });
    return ofRoast.map((score) => ({ score, weight: 1 / ofRoast.length / roasts.length }));
  });
  const share = 0.8 * (1 + 1 / roasts.length);
  let reached = 0;
  for (const { score, weight } of scores.toSorted((a, b) => a.score - b.score)) {
    reached += weight;
    if (reached >= share) return score;
  }
  return Number.POSITIVE_INFINITY;
};

const splits = 60;

/** Fits the band on one half of the roasts and tries it on the other, over many ways of parting them. */
export const triedOnOtherHalf = (roasts: readonly CrackedRoast[]): { covered: number; widthSeconds: number } => {
  const random = randomStream(5);
  const tried = Array.from({ length: splits }, () => {
    const shuffled = roasts
      .map((roast) => ({ roast, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ roast }) => roast);
    const fitted = straysOf(shuffled.slice(0, roasts.length >> 1));
    return errorsOf(shuffled.slice(roasts.length >> 1), usefulMoments, (now, roast) =>
      banded(knownOf(roast), now, { straysPerRootSecond: fitted }),
    );
  });
  return {
    covered: meanOf(tried.map(({ covered }) => covered)),
    widthSeconds: meanOf(tried.map(({ widthSeconds }) => widthSeconds)),
  };
};
