import { describe, expect, it } from 'vitest';
import { curveBand, middleCurve, secondCurve } from './curve-band.ts';

const straight = (offset: number, seconds: number) => Array.from({ length: seconds + 1 }, (_, at) => 100 + offset + at);

describe('curve band', () => {
  it('is computed at every second, and gaps stay gaps', () => {
    const curve = secondCurve([0, 0.5, 2, 4, 30, 31.9], [100, 101, 104, 108, 150, 152]);
    expect(curve).toHaveLength(32);
    expect(curve.slice(0, 5)).toEqual([100, 102, 104, 106, 108]);
    expect(curve[17]).toBeNull();
    expect(curve[31]).toBeCloseTo(151.05, 2);
    expect(secondCurve([], [])).toEqual([]);
  });

  it('contains most curves', () => {
    const curves = Array.from({ length: 11 }, (_, index) => straight(index, 600));
    const band = curveBand(curves, straight(2, 620));
    expect(band.time_seconds.slice(0, 3)).toEqual([0, 5, 10]);
    expect([band.low[1], band.middle[1], band.high[1], band.reference[1]]).toEqual([106, 110, 114, 107]);
    // The reference lasted longer than the others.
    expect(band.time_seconds.at(-1)).toBe(620);
    expect([band.low.at(-1), band.reference.at(-1)]).toEqual([null, 722]);
  });

  it('has a median up to the time that half of the curves reach', () => {
    const middle = middleCurve([straight(0, 300), straight(10, 400), straight(20, 500)]);
    expect(middle[300]).toBe(410);
    expect(middle).toHaveLength(401);
    expect(middle[400]).toBe(515);
    expect(middleCurve([])).toEqual([]);
  });
});
