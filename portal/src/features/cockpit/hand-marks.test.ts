import type { RoastMark } from '@roastery/contract/roasts';
import { expect, it } from 'vitest';
import { nextHandMark, withPending } from './hand-marks.ts';

const mark = (kind: RoastMark['kind'], time_seconds: number): RoastMark => ({
  kind,
  time_seconds,
  temp: null,
  origin: 'detector',
  confidence: 1,
  provisional: false,
});

it('hand marks: the next one follows the last one set, also when others were skipped', () => {
  expect(nextHandMark([])).toBe('charge');
  expect(nextHandMark([mark('charge', 0), mark('turning_point', 80)])).toBe('dry_end');
  expect(nextHandMark([mark('charge', 0), mark('first_crack', 500)])).toBe('first_crack_end');
  expect(nextHandMark([mark('drop', 700)])).toBeNull();
});

it('hand marks: a queued one replaces the stored one', () => {
  const stored = [mark('charge', 0), mark('first_crack', 500)];
  expect(withPending(stored, [mark('first_crack', 480)])).toEqual([mark('charge', 0), mark('first_crack', 480)]);
  expect(withPending(stored, [])).toEqual(stored);
});
