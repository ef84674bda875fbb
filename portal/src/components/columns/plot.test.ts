import { describe, expect, it } from 'vitest';
import { bandPath, layPlot, linePath, roundTicks, runsOf, shownLabels } from './plot.ts';

const same = (value: number): number => value;

describe('a plot', () => {
  const plot = layPlot({ width: 406, height: 134, columns: 4, ticks: [0, 50, 100], tickText: String });

  it('places columns side by side and values from bottom to top', () => {
    expect(plot.right).toBe(400);
    expect(plot.x(3) + plot.step / 2).toBeCloseTo(plot.right);
    expect(plot.x(0) - plot.step / 2).toBeCloseTo(plot.left);
    expect([plot.y(0), plot.y(50), plot.y(100)]).toEqual([110, 60, 10]);
  });

  it('draws gaps as gaps', () => {
    expect(runsOf([null, 1, 2, null, 3])).toEqual([
      { from: 1, values: [1, 2] },
      { from: 4, values: [3] },
    ]);
    expect(linePath([1, 2, null, 3], same, same)).toBe('M0 1L1 2M3 3');
    expect(bandPath([1, 1, null], [2, 3, 4], same, same)).toBe('M0 2L1 3L1 1L0 1Z');
  });
});

describe('an axis', () => {
  it.each([
    [0, 97, [0, 25, 50, 75, 100]],
    [0, 412.6, [0, 200, 400, 600]],
    [0.131, 0.204, [0.12, 0.14, 0.16, 0.18, 0.2, 0.22]],
    [0, 0.9, [0, 0.25, 0.5, 0.75, 1]],
    [0, 3, [0, 1, 2, 3]],
    [5, 5, [5, 6]],
  ])('from %f to %f has round values', (low, high, ticks) => expect(roundTicks(low, high)).toEqual(ticks));

  it('shows as many labels as fit, always including the last one', () => {
    expect([...shownLabels(5, 500, 60)]).toEqual([4, 3, 2, 1, 0]);
    expect([...shownLabels(10, 200, 60)]).toEqual([9, 6, 3, 0]);
    expect([...shownLabels(0, 500, 60)]).toEqual([]);
  });
});
