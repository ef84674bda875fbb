import { describe, expect, it } from 'vitest';
import { roundTicks, shownLabels } from './ticks.ts';

describe('an axis', () => {
  it.each([
    [0, 97, [0, 25, 50, 75, 100]],
    [0, 412.6, [0, 200, 400, 600]],
    [0.131, 0.204, [0.12, 0.14, 0.16, 0.18, 0.2, 0.22]],
    [0, 0.9, [0, 0.25, 0.5, 0.75, 1]],
    [0, 3, [0, 1, 2, 3]],
    [5, 5, [5, 6]],
  ])('from %f to %f has round values', (low, high, ticks) => expect(roundTicks(low, high)).toEqual(ticks));

  it('writes as many labels as fit, the last one always', () => {
    expect([...shownLabels(5, 500, 60)]).toEqual([4, 3, 2, 1, 0]);
    expect([...shownLabels(10, 200, 60)]).toEqual([9, 6, 3, 0]);
    expect([...shownLabels(0, 500, 60)]).toEqual([]);
  });
});
