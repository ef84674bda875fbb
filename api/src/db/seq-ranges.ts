import { entryCount, type JournalBatch } from '@roastery/contract/mqtt';

/** Sequence numbers from `start` up to, not including, `end`. */
export interface SeqRange {
  readonly start: number;
  readonly end: number;
}

/** The numbers of a batch's entries. */
export const rangeOf = (batch: JournalBatch): SeqRange => ({ start: batch.seq, end: batch.seq + entryCount(batch) });

/** Ascending ranges that neither overlap nor touch: the normal form of Postgres' int8multirange. */
export type SeqRanges = readonly SeqRange[];

/** Reads Postgres' text form, `{[0,20),[40,60)}`. Throws on anything else: it comes from our own column. */
export const parseMultirange = (text: string): SeqRanges => {
  if (text === '{}') return [];
  if (!/^\{\[\d+,\d+\)(?:,\[\d+,\d+\))*\}$/.test(text))
    throw new Error(`not a multirange of sequence numbers: ${text}`);
  return Array.from(text.matchAll(/\[(\d+),(\d+)\)/g), ([, start, end]) => ({
    start: Number(start),
    end: Number(end),
  }));
};

export const formatMultirange = (ranges: SeqRanges): string =>
  `{${ranges.map(({ start, end }) => `[${start},${end})`).join(',')}}`;

/** Index of the first range that ends after `seq` or touches it from below. */
const firstTouching = (ranges: SeqRanges, seq: number): number => {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The ranges with one more; overlapping and touching ones are merged. */
export const withRange = (ranges: SeqRanges, added: SeqRange): SeqRanges => {
  if (added.end <= added.start) return ranges;
  const from = firstTouching(ranges, added.start);
  let { start, end } = added;
  let to = from;
  for (let range = ranges[to]; range !== undefined && range.start <= end; range = ranges[++to]) {
    start = Math.min(start, range.start);
    end = Math.max(end, range.end);
  }
  return [...ranges.slice(0, from), { start, end }, ...ranges.slice(to)];
};

/** The parts of `wanted` that no range covers, ascending. */
export const missingFrom = (ranges: SeqRanges, wanted: SeqRange): SeqRange[] => {
  const missing: SeqRange[] = [];
  let at = wanted.start;
  for (let index = firstTouching(ranges, wanted.start); index < ranges.length && at < wanted.end; index++) {
    const range = ranges[index];
    if (range === undefined || range.start >= wanted.end) break;
    if (range.start > at) missing.push({ start: at, end: range.start });
    at = Math.max(at, range.end);
  }
  if (at < wanted.end) missing.push({ start: at, end: wanted.end });
  return missing;
};

/** The parts of `wanted` that the ranges cover, ascending. */
export const coveredBy = (ranges: SeqRanges, wanted: SeqRange): SeqRange[] => {
  const covered: SeqRange[] = [];
  for (let index = firstTouching(ranges, wanted.start); index < ranges.length; index++) {
    const range = ranges[index];
    if (range === undefined || range.start >= wanted.end) break;
    const part = { start: Math.max(range.start, wanted.start), end: Math.min(range.end, wanted.end) };
    if (part.end > part.start) covered.push(part);
  }
  return covered;
};
