import { describe, expect, it } from 'vitest';
import { sameBeans, type BoardRoast } from './same-beans.ts';

const minute = 60_000;
const board = (
  id: string,
  chargeMin: number | null,
  dropMin: number | null = null,
  beginMin = chargeMin ?? 0,
): BoardRoast => ({
  id,
  beginMs: beginMin * minute,
  chargeMs: chargeMin === null ? null : chargeMin * minute,
  dropMs: dropMin === null ? null : dropMin * minute,
});
const closed = { chargeMs: 60 * minute, dropMs: 72 * minute, nextChargeMs: null };
const open = { ...closed, dropMs: null };

describe('sameBeans', () => {
  it('includes a charge up to 3 minutes before the one by hand, unless that roast had dropped', () => {
    expect(sameBeans(closed, [board('a', 57)])).toEqual(['a']);
    expect(sameBeans(closed, [board('a', 56.9)])).toEqual([]);
    expect(sameBeans(closed, [board('a', 58, 59)])).toEqual([]);
  });
  it('includes everything between charge and drop by hand, and nothing after the drop', () => {
    expect(sameBeans(closed, [board('late', 73), board('false', 71.9), board('none', null, null, 65)])).toEqual([
      'none',
      'false',
    ]);
  });
  it('includes a charge up to 6 minutes after one by hand without a drop; a later one is the next batch', () => {
    expect(sameBeans(open, [board('a', 66)])).toEqual(['a']);
    expect(sameBeans(open, [board('a', 66.1)])).toEqual([]);
    expect(sameBeans(open, [board('next', 75), board('gone', null, null, 80)])).toEqual([]);
  });
  it('ends a roast without a drop by hand at the first final drop', () => {
    expect(sameBeans(open, [board('a', 60, 63), board('b', 64)])).toEqual(['a']);
    expect(sameBeans(open, [board('a', 60), board('b', 64)])).toEqual(['a', 'b']);
  });
  it('never reaches into the next roast made by hand', () => {
    expect(sameBeans({ ...open, nextChargeMs: 64 * minute }, [board('a', 64)])).toEqual([]);
  });
});
