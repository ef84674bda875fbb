import { describe, expect, it } from 'vitest';
import { lttbIndices } from './decimate.ts';
import type { Reading } from './series.ts';
import { normal, randomStream } from '@roastery/testing/marks/random';

const random = randomStream(11);
const times = Float64Array.from({ length: 20_000 }, (_, k) => k * 0.25);
const temps: Reading[] = Array.from(times, (t) => 100 + t * 0.02 + normal(random));
temps[7777] = 400;
for (let k = 9000; k < 9400; k++) temps[k] = null;

const decimate = (points: number) => lttbIndices(times, temps, points);

describe('decimation by the largest triangle', () => {
  it.each([50, 500, 3000])('keeps to about %i points, in order, without inventing one', (points) => {
    const indices = decimate(points);
    expect(indices.length).toBeLessThanOrEqual(points + 2);
    expect(indices.length).toBeGreaterThan(points * 0.9);
    expect(indices.every((index, k) => k === 0 || index > (indices[k - 1] ?? 0))).toBe(true);
  });

  it('keeps both ends, the peak, and the gap', () => {
    const indices = decimate(500);
    expect([indices[0], indices.at(-1)]).toEqual([0, 19_999]);
    expect(indices).toContain(7777);
    expect(indices).toContain(8999);
    expect(indices).toContain(9400);
    expect(indices.filter((index) => temps[index] === null)).toHaveLength(1);
  });
});

it('leaves a short series unchanged, and treats NaN as a gap', () => {
  expect(lttbIndices([0, 1, 2], [5, null, 6], 10)).toEqual([0, 1, 2]);
  const y = Float64Array.from({ length: 100 }, (_, k) => (k > 40 && k < 60 ? Number.NaN : k));
  expect(lttbIndices(y, y, 20).filter((index) => Number.isNaN(y[index]))).toEqual([41]);
});
