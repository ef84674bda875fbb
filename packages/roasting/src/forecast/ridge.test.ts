import { describe, expect, it } from 'vitest';
import { createRidge, weighted } from './ridge.ts';

const observed = [
  [1, 0, 2],
  [1, 1, 5],
  [1, 2, 8],
  [1, 3, 11],
] as const;

const learnt = () => {
  const ridge = createRidge(2);
  for (const [one, x, y] of observed) ridge.add([one, x], y, 1);
  return ridge;
};

describe('ridge', () => {
  it('finds the weights of a line, and shrinks them by its penalty', () => {
    const [level = 0, slope = 0] = learnt().solve(1e-9);
    expect([level, slope].map((weight) => weight.toFixed(4))).toEqual(['2.0000', '3.0000']);
    expect(weighted([1, 10], [level, slope])).toBeCloseTo(32, 4);
    const shrunk = learnt().solve(10);
    expect(Math.hypot(...shrunk)).toBeLessThan(Math.hypot(level, slope));
  });

  it('expects nothing without observations', () => {
    expect(createRidge(2).solve(1)).toEqual([0, 0]);
  });

  it('follows newer observations where earlier ones have faded', () => {
    const ridge = learnt();
    ridge.fade(0.001);
    for (const [one, x] of observed) ridge.add([one, x], -x, 1);
    expect(ridge.solve(1e-6)[1]).toBeCloseTo(-1, 1);
  });
});
