import { describe, expect, it } from 'vitest';
import { coveredBy, formatMultirange, missingFrom, parseMultirange, type SeqRanges, withRange } from './seq-ranges.ts';

/** The same operations on sets of numbers, slow and simple. */
const numbersOf = (ranges: SeqRanges): Set<number> => {
  const numbers = new Set<number>();
  for (const { start, end } of ranges) for (let seq = start; seq < end; seq++) numbers.add(seq);
  return numbers;
};

describe('ranges of sequence numbers', () => {
  it('behave like sets of numbers, in any order of additions', () => {
    let seed = 42;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    for (let round = 0; round < 50; round++) {
      let ranges: SeqRanges = [];
      const plain = new Set<number>();
      for (let step = 0; step < 40; step++) {
        const start = random(120);
        const added = { start, end: start + random(12) };
        const wanted = Array.from({ length: added.end - added.start }, (_, n) => added.start + n);
        expect([...numbersOf(missingFrom(ranges, added))]).toEqual(wanted.filter((seq) => !plain.has(seq)));
        expect([...numbersOf(coveredBy(ranges, added))]).toEqual(wanted.filter((seq) => plain.has(seq)));
        ranges = withRange(ranges, added);
        for (const seq of wanted) plain.add(seq);
        expect([...numbersOf(ranges)]).toEqual([...plain].toSorted((a, b) => a - b));
        for (const [index, range] of ranges.entries())
          expect(range.start).toBeGreaterThan(ranges[index - 1]?.end ?? -1);
      }
      expect(parseMultirange(formatMultirange(ranges))).toEqual(ranges);
    }
  });
});
