/** The group of roasts that a prediction is based on; `literature` when no crack has been marked yet. */
export const crackSources = ['lot', 'coffee', 'recipe', 'batch', 'machine', 'roastery', 'literature'] as const;
export type CrackSource = (typeof crackSources)[number];

/**
 * The first crack of a past roast, as a person or the machine marked it, and what that roast has in common with the
 * running one.
 */
export interface PastCrack {
  readonly tempC: number;
  readonly sameMachine: boolean;
  /** Weights within `crackBatchRatio`. */
  readonly sameBatch: boolean;
  readonly sameRecipe: boolean;
  readonly sameCoffee: boolean;
  readonly sameLot: boolean;
}

/**
 * Batches up to this ratio crack at about the same reading; in a batch of twice the weight the probe is covered
 * differently. On recorded roasts 1.3 and 1.5 give the same result; 1.12, as for curves, leaves too few roasts, and 2
 * mixes different batches.
 */
export const crackBatchRatio = 1.5;

/** The predicted bean temperature of first crack. */
export interface PredictedFirstCrack {
  readonly tempC: number;
  /**
   * The deviation to expect of the next roast's crack, °C: eight in ten lie within 1.28 of these, as of a standard
   * deviation.
   */
  readonly spreadC: number;
  /** The closest group that has roasts. Broader groups only stabilise the prediction. */
  readonly source: CrackSource;
  /** Number of roasts in that group. */
  readonly roasts: number;
}

/**
 * The assumption before the first roast: probes differ from machine to machine, so books say 190-205 °C. `apart` is the
 * standard deviation between groups of a kind, `within` that between the roasts of a group, °C.
 */
const literature = { tempC: 196, spreadC: 9 };
const groups: readonly { source: CrackSource; apart: number; within: number; holds: (past: PastCrack) => boolean }[] = [
  { source: 'roastery', apart: 9, within: 7, holds: () => true },
  { source: 'machine', apart: 6, within: 2.5, holds: (past) => past.sameMachine },
  { source: 'batch', apart: 2.5, within: 2.5, holds: (past) => past.sameMachine && past.sameBatch },
  { source: 'recipe', apart: 2.5, within: 2.5, holds: (past) => past.sameMachine && past.sameRecipe },
  { source: 'coffee', apart: 2.5, within: 2.2, holds: (past) => past.sameMachine && past.sameCoffee },
  { source: 'lot', apart: 2, within: 2, holds: (past) => past.sameMachine && past.sameLot },
];
/** The weight of the usual spread, in roasts, against the spread within a group. */
const usualSpreadWeight = 4;
/** Older roasts are ignored: probes are moved and coffees change. On recorded roasts the newest five predict best. */
const newestOfMachine = 5;
const newestOfRoastery = 30;

/**
 * Predicts the crack temperature from past roasts, newest first. It starts with the broadest group. Each closer group
 * corrects the estimate, weighted by its number of roasts and its spread. Medians are used, so one wrong mark has
 * little effect.
 */
export function predictFirstCrack(past: readonly PastCrack[]): PredictedFirstCrack {
  let prediction: PredictedFirstCrack = { ...literature, source: 'literature', roasts: 0 };
  let meanVariance = literature.spreadC ** 2;
  for (const { source, apart, within, holds } of groups) {
    const temps = past
      .filter(holds)
      .slice(0, source === 'roastery' ? newestOfRoastery : newestOfMachine)
      .map(({ tempC }) => tempC);
    if (temps.length === 0) continue;
    const middleC = middle(temps);
    // A single roast is its own median and shows no spread.
    const shownBy = temps.length - 1;
    const shownC = spreadAround(middleC, temps);
    // However alike roasts of other machines are, they do not show how far this machine's probe deviates from theirs.
    const alikeC = source === 'roastery' ? Math.max(within, shownC) : shownC;
    const variance = (usualSpreadWeight * within ** 2 + shownBy * alikeC ** 2) / (usualSpreadWeight + shownBy);
    // A median is less certain than a mean: π/2 times the variance, for three values and more.
    const ofMiddle = (variance / temps.length) * (temps.length > 2 ? Math.PI / 2 : 1);
    const before = Math.min(meanVariance + apart ** 2, literature.spreadC ** 2 + apart ** 2);
    const weight = before / (before + ofMiddle);
    meanVariance = before * (1 - weight);
    prediction = {
      tempC: prediction.tempC + weight * (middleC - prediction.tempC),
      spreadC: Math.sqrt(meanVariance + variance) * overNormal(usualSpreadWeight + shownBy),
      source,
      roasts: temps.length,
    };
  }
  return prediction;
}

/** The temperatures between which eight in ten roasts crack. */
export const crackRange = ({ tempC, spreadC }: { tempC: number; spreadC: number }): { fromC: number; toC: number } => ({
  fromC: tempC - band * spreadC,
  toC: tempC + band * spreadC,
});

/** Four in five of a normal distribution lie within this many standard deviations. */
const band = 1.2816;

/**
 * The standard deviation of a normal distribution that covers eight in ten of these values, and one value more. It uses
 * the eighth of ten rather than the median: cracks of unusual beans are rare and far off, wrong marks are rarer.
 */
function spreadAround(middleC: number, temps: readonly number[]): number {
  const away = temps.map((temp) => Math.abs(temp - middleC)).toSorted((a, b) => a - b);
  const eighth = Math.min(away.length, Math.ceil(0.8 * (away.length + 1)));
  return (away[eighth - 1] ?? 0) / band;
}

/** How much wider Student's t is than the normal distribution at eight in ten (Cornish-Fisher). */
function overNormal(degreesOfFreedom: number): number {
  const z2 = band ** 2;
  return 1 + (z2 + 1) / (4 * degreesOfFreedom) + (5 * z2 ** 2 + 16 * z2 + 3) / (96 * degreesOfFreedom ** 2);
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = sorted.length >> 1;
  const upper = sorted[at] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[at - 1] ?? upper)) / 2;
}
