import { expect, it } from 'vitest';
import { hanning, medianFilter, movingAverage } from './smoothing.ts';

it('smoothing: the median removes a single spike and keeps an edge', () => {
  expect(medianFilter([1, 1, 90, 1, 1], 3)).toEqual([1, 1, 1, 1, 1]);
  expect(medianFilter([0, 0, 0, 9, 9, 9], 3)).toEqual([0, 0, 0, 9, 9, 9]);
});

it('keeps a straight line straight away from the ends', () => {
  const line = Array.from({ length: 40 }, (_, k) => 3 + 2 * k);
  for (const smooth of [hanning(line, 11), movingAverage(line, 5), medianFilter(line, 5)]) {
    for (let k = 6; k < 34; k++) expect(smooth[k]).toBeCloseTo(line[k] ?? 0, 9);
  }
});

it('smoothing: keeps gaps and does not count them', () => {
  expect(movingAverage([1, null, 3], 3)).toEqual([1, null, 3]);
  expect(hanning([5, null, 5, null, 5], 3)).toEqual([5, null, 5, null, 5]);
  expect(medianFilter([null, null], 3)).toEqual([null, null]);
});

it('refuses a window without a middle', () => {
  expect(() => movingAverage([1, 2], 4)).toThrow(RangeError);
});
