import { expect, it } from 'vitest';
import { movingAverage } from './smoothing.ts';

it('smoothing: keeps a straight line straight away from the ends', () => {
  const line = Array.from({ length: 40 }, (_, k) => 3 + 2 * k);
  const smooth = movingAverage(line, 5);
  for (let k = 6; k < 34; k++) expect(smooth[k]).toBeCloseTo(line[k] ?? 0, 9);
});

it('smoothing: keeps gaps and does not count them', () => {
  expect(movingAverage([1, null, 3], 3)).toEqual([1, null, 3]);
});

it('refuses a window without a middle', () => {
  expect(() => movingAverage([1, 2], 4)).toThrow(RangeError);
});
