import { predictFirstCrack } from '@roastery/roasting/first-crack';
import { percentile } from '../bench.ts';
import { straysOf } from './crack-band.ts';
import { banded, errorsOf, knownOf, straight, type CrackedRoast, type Say } from './crack-score.ts';

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
        errorsOf(roasts, ahead, (now, roast) => banded(knownOf(roast), now, { diesAwaySeconds: tau })).median / ahead,
      0,
    );
  return choices.reduce((best, tau) => (error(tau) < error(best) ? tau : best));
};

/** The recorded roasts, each forecast from the others: by temperature known, predicted, and as the reference does. */
export const forecastRecorded = (roasts: readonly CrackedRoast[], ahead: number | readonly number[]) => {
  const errors = (say: Say) => errorsOf(roasts, ahead, say);
  return {
    known: errors((now, roast) => banded(knownOf(roast), now)),
    knownLeaveOneOut: errors((now, roast) => {
      const others = without(roasts, roast);
      return banded(knownOf(roast), now, {
        diesAwaySeconds: bestDecay(others),
        straysPerRootSecond: straysOf(others),
      });
    }),
    knownStraight: errors((now, roast) => straight(roast.crackC, now)),
    predicted: errors((now, roast) => banded(predictFirstCrack(pastOf(without(roasts, roast), roast.machine)), now)),
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
