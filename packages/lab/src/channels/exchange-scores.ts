import {
  exchangedInRow,
  exchangeLimits,
  roastsToAgree,
  verdictOf,
  type ChannelVerdict,
  type ExchangeLimits,
} from '@roastery/roasting/curves/exchanged-channels';
import {
  readUnder,
  seen,
  withExchangedColumns,
  type MarksFrom,
  type ProbeCondition,
  type SeenRoasts,
  type TwoProbeRoast,
} from './two-probe-roasts.ts';

/** The same recordings with their columns as they are and exchanged. */
export interface BothWays {
  readonly right: readonly SeenRoasts[];
  readonly exchanged: readonly SeenRoasts[];
}

/** What is said about a series of roasts in which `truth` holds. */
export interface ExchangeScore {
  readonly roasts: number;
  readonly said: number;
  readonly silent: number;
  readonly wrong: number;
  /** After how many of these roasts the machine says that its channels look exchanged; null if never. */
  readonly saysAfter: number | null;
}

export function bothWays(roasts: readonly TwoProbeRoast[], condition: ProbeCondition, from: MarksFrom): BothWays {
  const read = roasts.map((roast, seed) => readUnder(condition, roast, seed));
  return {
    right: read.map((roast) => seen(roast, from)),
    exchanged: read.map((roast) => seen(withExchangedColumns(roast), from)),
  };
}

export const sidesOf = ({ right }: BothWays): string[] => [...new Set(right.map(({ side }) => side))].sort();

const only = ({ right, exchanged }: BothWays, keep: (side: string) => boolean): BothWays => ({
  right: right.filter(({ side }) => keep(side)),
  exchanged: exchanged.filter(({ side }) => keep(side)),
});
export const ofSide = (both: BothWays, name: string): BothWays => only(both, (side) => side === name);
export const withoutSide = (both: BothWays, name: string): BothWays => only(both, (side) => side !== name);

export function scoreOf(
  roasts: readonly SeenRoasts[],
  truth: Exclude<ChannelVerdict, 'unsure'>,
  limits: ExchangeLimits = exchangeLimits,
): ExchangeScore {
  const verdicts = roasts.flatMap(({ evidences }) =>
    evidences.map((evidence) => (evidence === null ? 'unsure' : verdictOf(evidence, limits))),
  );
  let inRow = 0;
  let saysAfter: number | null = null;
  for (const [index, verdict] of verdicts.entries()) {
    inRow = exchangedInRow(inRow, { verdict });
    if (inRow >= roastsToAgree) saysAfter ??= index + 1;
  }
  const count = (wanted: (verdict: ChannelVerdict) => boolean) => verdicts.filter(wanted).length;
  return {
    roasts: verdicts.length,
    said: count((verdict) => verdict === truth),
    silent: count((verdict) => verdict === 'unsure'),
    wrong: count((verdict) => verdict !== truth && verdict !== 'unsure'),
    saysAfter,
  };
}

const grid: readonly ExchangeLimits[] = [10, 15, 20, 30].flatMap((minFallC) =>
  [0.3, 0.5, 0.8, 1.2].flatMap((minFallShare) =>
    [2, 4, 8, 12].flatMap((colderC) =>
      [40, 70, 100].map((laterTurnSeconds) => ({ minFallC, minFallShare, colderC, laterTurnSeconds })),
    ),
  ),
);
/** Larger for stricter limits. */
const strictness = ({ minFallC, minFallShare, colderC, laterTurnSeconds }: ExchangeLimits): number =>
  minFallC / 10 + minFallShare * 2 + colderC / 4 - laterTurnSeconds / 50;

/** The limits that recognise most of these roasts without one wrong word; of equal ones the strictest. */
export function chooseLimits({ right, exchanged }: BothWays): ExchangeLimits {
  const judged = grid.map((limits) => {
    const [kept, found] = [scoreOf(right, 'right', limits), scoreOf(exchanged, 'exchanged', limits)];
    return { limits, wrong: kept.wrong + found.wrong, said: found.said };
  });
  const [best] = judged.toSorted(
    (a, b) => a.wrong - b.wrong || b.said - a.said || strictness(b.limits) - strictness(a.limits),
  );
  return best?.limits ?? exchangeLimits;
}
