import type { DoubtfulProblem } from '@roastery/contract/roast-imports';
import { markOf } from '@roastery/roasting/marks';
import { valueAt, type Reading } from '@roastery/roasting/curves/series';
import { cToF, formatDuration } from '@roastery/roasting/units';
import { z } from 'zod';
import { valuesOf, type ImportedRoast } from './imported-roast.ts';

/** What an imported roast is judged by. */
export const figuresShape = z.object({
  duration_seconds: z.number().nullable(),
  first_crack_c: z.number().nullable(),
  drop_c: z.number().nullable(),
  /** The lowest reading after the charge, and its time since then. */
  turn_c: z.number().nullable(),
  turn_seconds: z.number().nullable(),
  /** The time of the first sample in the file. */
  begins_at_seconds: z.number(),
});
export type RoastFigures = z.infer<typeof figuresShape>;

/** The completed roasts of a machine: at least `leastRoasts`, else it judges nothing. */
export interface MachineFigures {
  readonly durationsSeconds: readonly number[];
  readonly firstCracksC: readonly number[];
}
export const leastRoasts = 5;

export interface Doubt {
  readonly problem: DoubtfulProblem;
  readonly sentence: string;
}

/** Beans turn within this after the charge. */
const latestTurnSeconds = 300;
/** A dip of a few degrees is noise, and no turn. */
const minTurnFallC = 5;

const turnOf = (timesSeconds: readonly number[], bean: readonly Reading[], charge: number) => {
  let lowest: { seconds: number; tempC: number } | undefined;
  for (const [index, time] of timesSeconds.entries()) {
    const tempC = bean[index] ?? null;
    const seconds = time - charge;
    if (tempC === null || seconds < 0 || seconds > latestTurnSeconds) continue;
    if (lowest === undefined || tempC < lowest.tempC) lowest = { seconds, tempC };
  }
  const atCharge = valueAt(timesSeconds, bean, charge);
  if (lowest === undefined || atCharge === null || atCharge - lowest.tempC < minTurnFallC) return undefined;
  return lowest;
};

export const figuresOf = (roast: ImportedRoast): RoastFigures => {
  const { timesSeconds, marks } = roast;
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const [charge, crack, drop] = (['charge', 'first_crack', 'drop'] as const).map((kind) => markOf(marks, kind));
  const tempAt = (mark: typeof charge) =>
    mark === undefined ? null : (mark.tempC ?? valueAt(timesSeconds, bean, mark.timeSeconds));
  const turn = charge === undefined ? undefined : turnOf(timesSeconds, bean, charge.timeSeconds);
  return {
    duration_seconds: charge === undefined || drop === undefined ? null : drop.timeSeconds - charge.timeSeconds,
    first_crack_c: tempAt(crack),
    drop_c: tempAt(drop),
    turn_c: turn?.tempC ?? null,
    turn_seconds: turn?.seconds ?? null,
    begins_at_seconds: timesSeconds[0] ?? 0,
  };
};

/** Shorter and longer roasts occur, but more often a wrong unit of time, or a recording that was cut off. */
const usualSeconds = { from: 120, to: 3600 };
/** Beans crack near 196 °C; probes of all kinds show it within this. */
const usualCrackC = { from: 150, to: 240 };
const latestBeginSeconds = 3600;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Three times the spread of the middle half of a machine's roasts, at least this share of their median or this much. */
const rangeOf = (
  values: readonly number[],
  least: { readonly share: number; readonly by: number },
): Range | undefined => {
  if (values.length < leastRoasts) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const median = at(0.5);
  const wide = Math.max((at(0.75) - at(0.25)) * 3, median * least.share, least.by);
  return { from: Math.min(median - wide, sorted[0] ?? 0), to: Math.max(median + wide, sorted.at(-1) ?? 0) };
};

const isWithin = (value: number, { from, to }: Range): boolean => value >= from && value <= to;
const inBoth = (tempC: number): string => `${Math.round(tempC)} °C (${Math.round(cToF(tempC))} °F)`;
const spanOf = (values: readonly number[], write: (value: number) => string): string =>
  `${write(Math.min(...values))} to ${write(Math.max(...values))}`;

const durationDoubt = (seconds: number, known: readonly number[]): string | undefined => {
  const ofMachine = rangeOf(known, { share: 0.5, by: 60 });
  if (isWithin(seconds, ofMachine ?? usualSeconds)) return undefined;
  const lasts = `The roast lasts ${formatDuration(seconds)}`;
  if (ofMachine !== undefined) {
    return `${lasts}; ${known.length} other roasts of this machine last ${spanOf(known, formatDuration)}.`;
  }
  return seconds < usualSeconds.from
    ? `${lasts}, less than 2 minutes. Check the unit of time, the charge and the drop.`
    : `${lasts}, more than an hour. Check the unit of time, the charge and the drop.`;
};

const crackDoubt = (tempC: number, known: readonly number[]): string | undefined => {
  const ofMachine = rangeOf(known, { share: 0, by: 15 });
  if (isWithin(tempC, ofMachine ?? usualCrackC)) return undefined;
  const cracks = `First crack is at ${inBoth(tempC)}`;
  return ofMachine === undefined
    ? `${cracks}; beans crack between ${inBoth(usualCrackC.from)} and ${inBoth(usualCrackC.to)}. Check the unit and the mark.`
    : `${cracks}; in ${known.length} other roasts of this machine it is at ${spanOf(known, inBoth)}.`;
};

/**
 * What is unlikely about a roast, to be asked: no file is refused for it. With at least five roasts of its machine these count
 * instead of the general limits.
 */
export const doubtsOf = (figures: RoastFigures, machine?: MachineFigures): Doubt[] => {
  const {
    duration_seconds: seconds,
    first_crack_c: crackC,
    drop_c: dropC,
    turn_c: turnC,
    turn_seconds: turnAt,
  } = figures;
  const doubts: Doubt[] = [];
  const add = (problem: DoubtfulProblem, sentence: string | undefined) => {
    if (sentence !== undefined) doubts.push({ problem, sentence });
  };
  if (figures.begins_at_seconds > latestBeginSeconds) {
    const begins = formatDuration(figures.begins_at_seconds);
    add(
      'time_offset',
      `The first sample is ${begins} after the zero of the recording. Check the column and the unit of time.`,
    );
  }
  if (seconds !== null) add('duration', durationDoubt(seconds, machine?.durationsSeconds ?? []));
  if (seconds !== null && turnAt !== null && seconds <= turnAt) {
    add(
      'drop',
      `The drop comes ${formatDuration(seconds)} after the charge, before the beans have turned. Check both marks.`,
    );
  } else if (dropC !== null && turnC !== null && dropC <= turnC) {
    add(
      'drop',
      `The beans are dropped at ${inBoth(dropC)}, below their turning point at ${inBoth(turnC)}. Check the drop.`,
    );
  }
  if (crackC !== null) add('first_crack', crackDoubt(crackC, machine?.firstCracksC ?? []));
  return doubts;
};
