import { describe, expect, it } from 'vitest';
import { risingIndices, stretchesOf, valueAt } from './series.ts';
import { randomStream } from '@roastery/testing/marks/random';

describe('a value between readings', () => {
  const times = [0, 2, 4, 30, 32];
  const values = [10, null, 14, 40, 42];

  it('lies on the line between its neighbours', () => {
    expect([0, 1, 3, 4, 31].map((at) => valueAt(times, values, at))).toEqual([10, 11, 13, 14, 41]);
  });

  it('is null outside the series and inside a gap', () => {
    expect([-1, 33, 10].map((at) => valueAt(times, values, at))).toEqual([null, null, null]);
    expect(valueAt(times, values, 17, 60)).toBe(27);
    expect(valueAt([], [], 0)).toBeNull();
  });
});

it('splits a series at gaps of more than three readings', () => {
  const values = [1, null, null, null, 5, null, null, null, null, 10, 11];
  expect(
    stretchesOf(
      values.map((_, k) => k),
      values,
    ),
  ).toEqual([
    [0, 4],
    [9, 10],
  ]);
});

it('risingIndices: picks the longest rising run', () => {
  expect(risingIndices([1, 2, 99, 3, 4, 5])).toEqual([0, 1, 3, 4, 5]);
  expect(risingIndices([3, 3, Number.NaN, 4])).toHaveLength(2);
  expect(risingIndices([])).toEqual([]);
  const random = randomStream(2);
  const times = Array.from({ length: 500 }, (_, k) => (random() < 0.05 ? random() * 500 : k));
  const picked = risingIndices(times).map((index) => times[index] ?? 0);
  expect(picked.length).toBeGreaterThan(470);
  expect(picked.every((time, k) => k === 0 || time > (picked[k - 1] ?? 0))).toBe(true);
});
