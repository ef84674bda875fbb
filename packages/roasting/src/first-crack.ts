/** Whose roasts it was learnt from; `literature` where nobody has marked a crack yet. */
export const crackSources = ['lot', 'coffee', 'recipe', 'machine', 'roastery', 'literature'] as const;
export type CrackSource = (typeof crackSources)[number];

/** The first crack of a past roast, as a person or the machine marked it, and what that roast shares with the one that runs. */
export interface PastCrack {
  readonly tempC: number;
  readonly sameMachine: boolean;
  readonly sameRecipe: boolean;
  readonly sameCoffee: boolean;
  readonly sameLot: boolean;
}

/** At which bean temperature the beans will crack. */
export interface LearntCrack {
  readonly tempC: number;
  /** Standard deviation of the next roast's crack around it, °C. */
  readonly spreadC: number;
  /** The closest group that was learnt from; what is broader only steadies it. */
  readonly source: CrackSource;
  /** Roasts in that group. */
  readonly roasts: number;
}

/** When it is to be expected, in seconds from now: eight of ten come between `soonest` and `latest`. */
export interface ExpectedCrack {
  readonly likelySeconds: number;
  readonly soonestSeconds: number;
  readonly latestSeconds: number;
}

/**
 * What is held before any roast was seen: probes differ from machine to machine, so books say 190-205 °C. `apart` is how
 * far groups of a kind lie from each other (standard deviation, °C), `within` how far roasts of a group do.
 */
const literature = { tempC: 196, spreadC: 9 };
const groups: readonly { source: CrackSource; apart: number; within: number; holds: (past: PastCrack) => boolean }[] = [
  { source: 'roastery', apart: 9, within: 7, holds: () => true },
  { source: 'machine', apart: 6, within: 4, holds: (past) => past.sameMachine },
  { source: 'recipe', apart: 2.5, within: 3, holds: (past) => past.sameMachine && past.sameRecipe },
  { source: 'coffee', apart: 2.5, within: 2.5, holds: (past) => past.sameMachine && past.sameCoffee },
  { source: 'lot', apart: 2, within: 2, holds: (past) => past.sameMachine && past.sameLot },
];
/** The spread within a group is believed as if this many roasts had shown the usual one before. */
const usualSpreadWeight = 4;
/** Older roasts say little of a probe that was moved since. */
const newestOfAGroup = 30;

/**
 * Learns the crack temperature from past roasts, newest first: from the broadest group to the closest, each pulling the one
 * before it by as much as its number and its spread deserve. Middle values count, so one wrong mark doesn't move it.
 */
export function learnCrack(past: readonly PastCrack[]): LearntCrack {
  let learnt: LearntCrack = { ...literature, source: 'literature', roasts: 0 };
  let meanVariance = literature.spreadC ** 2;
  for (const { source, apart, within, holds } of groups) {
    const temps = past
      .filter(holds)
      .slice(0, newestOfAGroup)
      .map(({ tempC }) => tempC);
    if (temps.length === 0) continue;
    const middleC = middle(temps);
    const shownC = 1.4826 * middle(temps.map((temp) => Math.abs(temp - middleC)));
    const variance =
      (usualSpreadWeight * within ** 2 + temps.length * shownC ** 2) / (usualSpreadWeight + temps.length);
    // A middle value is less certain than a mean: π/2 times the variance, for three values and more.
    const ofMiddle = (variance / temps.length) * (temps.length > 2 ? Math.PI / 2 : 1);
    const before = Math.min(meanVariance + apart ** 2, literature.spreadC ** 2 + apart ** 2);
    const weight = before / (before + ofMiddle);
    meanVariance = before * (1 - weight);
    learnt = {
      tempC: learnt.tempC + weight * (middleC - learnt.tempC),
      spreadC: Math.sqrt(meanVariance + variance),
      source,
      roasts: temps.length,
    };
  }
  return learnt;
}

/**
 * The rate of rise dies away as beans near the temperature around them, to 1/e in about this long. On recorded roasts it
 * halves the error of a straight line 2 minutes ahead; the bench `marks` chooses it anew without the roast it is tried on.
 */
export const rateDiesAwaySeconds = 450;
/** How far the curve itself strays from that, in parts of the time ahead (standard deviation), and at the least. */
const straysShare = 0.2;
const straysAtLeastSeconds = 4;
/** Heat is taken back before the crack more often than given: the late side is longer. */
const laterShare = 1.35;
/** Four of five of a normal distribution lie within so many standard deviations. */
const band = 1.2816;
/** Further ahead a curve says nothing yet. */
const farthestSeconds = 300;
/** A band wider than this, from end to end, is no help to anybody. */
const widestSeconds = 240;

/**
 * First crack from here on: where the dying rate of rise meets the learnt temperature, and the band of both doubts. Null
 * where nothing honest can be said: no rise, too far ahead, too wide, or long past the temperature.
 * @param beanTempC now
 * @param ratePerMinuteC smoothed over about 20 s
 */
export function expectCrack(
  learnt: Pick<LearntCrack, 'tempC' | 'spreadC'>,
  beanTempC: number | null,
  ratePerMinuteC: number | null,
  diesAwaySeconds = rateDiesAwaySeconds,
): ExpectedCrack | null {
  if (beanTempC === null || ratePerMinuteC === null || ratePerMinuteC < 1) return null;
  const highestC = learnt.tempC + band * learnt.spreadC;
  if (beanTempC >= highestC) return null;
  // It hasn't cracked yet, so the temperatures already passed are out.
  const likelyC = beanTempC < learnt.tempC ? learnt.tempC : (beanTempC + highestC) / 2;
  const likelySeconds = secondsUntil(likelyC - beanTempC, ratePerMinuteC / 60, diesAwaySeconds);
  if (likelySeconds > farthestSeconds) return null;
  const rateThen = (ratePerMinuteC / 60) * Math.exp(-likelySeconds / diesAwaySeconds);
  const strays = Math.hypot(straysShare * likelySeconds, straysAtLeastSeconds);
  const doubt = band * Math.hypot(strays, learnt.spreadC / rateThen);
  const soonestSeconds = Math.max(0, likelySeconds - doubt);
  const latestSeconds = likelySeconds + laterShare * doubt;
  if (latestSeconds - soonestSeconds > widestSeconds) return null;
  return { likelySeconds, soonestSeconds, latestSeconds };
}

/** Seconds until the bean temperature has risen by so much, at a rate that dies away; never more than the curve allows. */
function secondsUntil(riseC: number, ratePerSecondC: number, diesAwaySeconds: number): number {
  const share = riseC / (ratePerSecondC * diesAwaySeconds);
  return share < 0.95 ? -diesAwaySeconds * Math.log(1 - share) : Number.POSITIVE_INFINITY;
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = sorted.length >> 1;
  const upper = sorted[at] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[at - 1] ?? upper)) / 2;
}
