import { describe, expect, it } from 'vitest';
import { RangeSet } from './ranges.ts';

describe('RangeSet', () => {
  it('joins neighbours and overlaps into one range', () => {
    const set = new RangeSet([
      [10, 19],
      [30, 39],
      [0, 4],
    ]);
    set.add(20, 29);
    expect(set.ranges()).toEqual([
      [0, 4],
      [10, 39],
    ]);
    set.add(3, 12);
    expect(set.ranges()).toEqual([[0, 39]]);
  });

  it('removes a range in the middle', () => {
    const set = new RangeSet([[0, 99]]);
    set.remove(10, 19);
    expect(set.ranges()).toEqual([
      [0, 9],
      [20, 99],
    ]);
    expect(set.covers(0, 20)).toBe(false);
    expect(set.within(5, 24)).toEqual([
      [5, 9],
      [20, 24],
    ]);
    expect(set.count()).toBe(90);
  });

  it('equals a plain set after random additions and removals', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const set = new RangeSet();
    const plain = new Set<number>();
    for (let step = 0; step < 2000; step++) {
      const from = random(200);
      const to = from + random(20) - 1;
      const adds = random(2) === 0;
      if (adds) set.add(from, to);
      else set.remove(from, to);
      for (let seq = from; seq <= to; seq++) {
        if (adds) plain.add(seq);
        else plain.delete(seq);
      }
      const listed = set.ranges().flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, index) => a + index));
      expect(listed).toEqual([...plain].sort((a, b) => a - b));
    }
  });
});
