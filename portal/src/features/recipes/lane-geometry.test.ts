import { describe, expect, it } from 'vitest';
import { draftOf } from './control-points.ts';
import { handlePlaces } from './lane-geometry.ts';

const points = (count: number) =>
  draftOf(Array.from({ length: count }, (_, time) => ({ time, burner: 50, exhaust: 50, drum: 50 })));

describe('handlePlaces', () => {
  it('gives each of a few points a handle', () => {
    expect(handlePlaces(points(60), null)).toHaveLength(60);
    expect(handlePlaces([], null)).toEqual([]);
  });
  it('gives few of 1,800 points a handle, including both ends, the active one and its neighbours', () => {
    const places = handlePlaces(points(1800), 'saved-1234');
    expect(places.length).toBeLessThan(70);
    expect(places).toEqual(expect.arrayContaining([0, 1233, 1234, 1235, 1799]));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});
