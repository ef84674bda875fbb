import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { curveDistance, type CurveDistance } from '@roastery/roasting/curves/compare';
import { markOf } from '@roastery/roasting/marks';
import { valueAt, type Reading } from '@roastery/roasting/curves/series';

/** The style of each compared roast everywhere on the page: letter and dash as well as colour. */
export interface LineStyle {
  readonly tag: string;
  /** Colour token. */
  readonly token: string;
  /** Lengths of dash and gap, px. */
  readonly dash: readonly number[];
}

export const lineStyles: readonly LineStyle[] = [
  { tag: 'A', token: 'curve-bean', dash: [] },
  { tag: 'B', token: 'curve-exhaust', dash: [9, 3] },
  { tag: 'C', token: 'curve-drum', dash: [3, 3] },
  { tag: 'D', token: 'curve-rate', dash: [10, 3, 2, 3] },
  { tag: 'E', token: 'curve-burner-front', dash: [5, 5] },
];

export const maxCompared = lineStyles.length;

export const alignments = ['charge', 'first_crack'] as const;
export type Alignment = (typeof alignments)[number];
export const quantities = ['bean_temp', 'exhaust_temp', 'ror'] as const;
export type ComparedQuantity = (typeof quantities)[number];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The roast ids of an address: valid, unique, and at most `most`. */
export const idsIn = (text: string | undefined, most: number): string[] =>
  [...new Set((text ?? '').split(',').filter((id) => uuid.test(id)))].slice(0, most);

/** Seconds after charge at which a roast lies on the zero of the page; null when it has no such mark. */
export const zeroOf = (roast: Pick<Roast, 'marks'>, alignment: Alignment): number | null =>
  alignment === 'charge' ? 0 : (markOf(roast.marks, 'first_crack')?.time_seconds ?? null);

/** A roast's curve on the axis of the page. */
export interface AlignedRoast {
  readonly timeSeconds: readonly number[];
  readonly beanTemp: readonly Reading[];
  readonly exhaustTemp: readonly Reading[];
  readonly rates: readonly Reading[];
  readonly marks: readonly { readonly kind: string; readonly seconds: number; readonly temp: number | null }[];
  /** Drop, or the end of what was recorded. */
  readonly endSeconds: number;
}

const missing = (length: number): Reading[] => Array.from({ length }, () => null);

export const alignRoast = (roast: Pick<Roast, 'marks'>, curve: CurveColumns, zero: number): AlignedRoast => {
  const timeSeconds = curve.time_seconds.map((seconds) => seconds - zero);
  const drop = markOf(roast.marks, 'drop')?.time_seconds;
  return {
    timeSeconds,
    beanTemp: curve.channels['bean_temp'] ?? missing(timeSeconds.length),
    exhaustTemp: curve.channels['exhaust_temp'] ?? missing(timeSeconds.length),
    rates: curve.ror,
    marks: roast.marks.map((mark) => ({ kind: mark.kind, seconds: mark.time_seconds - zero, temp: mark.temp })),
    endSeconds: drop === undefined ? (timeSeconds.at(-1) ?? 0) : drop - zero,
  };
};

export const columnOfQuantity = (aligned: AlignedRoast, quantity: ComparedQuantity): readonly Reading[] =>
  quantity === 'ror' ? aligned.rates : quantity === 'exhaust_temp' ? aligned.exhaustTemp : aligned.beanTemp;

/** Value of a column at a time of the page, between the samples around it; null in a gap and outside of the curve. */
export const valueAtMoment = (aligned: AlignedRoast, quantity: ComparedQuantity, seconds: number): Reading =>
  valueAt(aligned.timeSeconds, columnOfQuantity(aligned, quantity), seconds);

/** The last time of the page at which every roast has a reading: a drop may lie a moment after its last sample. */
export const lastCommonSeconds = (roasts: readonly AlignedRoast[]): number =>
  Math.min(...roasts.map(({ endSeconds, timeSeconds }) => Math.min(endSeconds, timeSeconds.at(-1) ?? endSeconds)));

/** The difference of a roast from the reference at each of its own samples, where the reference has a reading. */
export const differenceFrom = (
  base: AlignedRoast,
  other: AlignedRoast,
  quantity: ComparedQuantity,
): { timeSeconds: number[]; values: Reading[] } => {
  const values = columnOfQuantity(other, quantity);
  const until = Math.min(base.endSeconds, other.endSeconds);
  const kept = other.timeSeconds.flatMap((time, index) => (time <= until ? [index] : []));
  return {
    timeSeconds: kept.map((index) => other.timeSeconds[index] ?? 0),
    values: kept.map((index) => {
      const value = values[index];
      const there = valueAtMoment(base, quantity, other.timeSeconds[index] ?? 0);
      return value === null || value === undefined || there === null ? null : value - there;
    }),
  };
};

/** The deviation of two bean curves, from their first common sample to the earlier drop. */
export const distanceBetween = (base: AlignedRoast, other: AlignedRoast): CurveDistance | null => {
  const lined = ({ timeSeconds, beanTemp, endSeconds }: AlignedRoast) => ({
    timesSeconds: timeSeconds,
    beanTempC: beanTemp,
    zeroSeconds: 0,
    endSeconds,
  });
  const from = Math.max(base.timeSeconds[0] ?? 0, other.timeSeconds[0] ?? 0);
  return curveDistance(lined(base), lined(other), Math.ceil(from));
};

/**
 * The axis of a difference is fitted to this share of its samples: the fall after the charge differs by tens of
 * degrees, and would flatten the rest.
 */
const fittedShare = 0.85;
const roomAbove = 1.25;
const differenceEnds = [0.5, 1, 2, 5, 10, 20, 50, 100];

/** End of an axis that is symmetric around zero. */
export const differenceEnd = (lines: readonly ArrayLike<number>[]): number => {
  const reaches = lines.map((values) => {
    const sizes = Array.from(values)
      .filter((value) => Number.isFinite(value))
      .map(Math.abs)
      .sort((a, b) => a - b);
    return sizes[Math.floor((sizes.length - 1) * fittedShare)] ?? 0;
  });
  const reach = Math.max(0, ...reaches) * roomAbove;
  return differenceEnds.find((end) => end >= reach) ?? reach;
};
