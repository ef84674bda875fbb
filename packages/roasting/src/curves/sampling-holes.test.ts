import { expect, it } from 'vitest';
import { samplingHoles } from './sampling-holes.ts';

const every = (seconds: number, count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index * seconds);

it('sampling holes: finds interruptions', () => {
  const times = [...every(0.5, 100), ...every(0.5, 100, 63.5), ...every(0.5, 100, 117)];
  expect(samplingHoles(times)).toEqual([
    { fromSeconds: 49.5, toSeconds: 63.5, index: 99 },
    { fromSeconds: 113, toSeconds: 117, index: 199 },
  ]);
});

it('sampling holes: ignores a late reading and slow sampling', () => {
  expect(samplingHoles([0, 0.5, 1, 3.9, 4.4])).toEqual([]);
  expect(samplingHoles(every(10, 70))).toEqual([]);
  expect(samplingHoles([...every(10, 20), ...every(10, 20, 231)])).toHaveLength(1);
  expect(samplingHoles([])).toEqual([]);
  expect(samplingHoles([5])).toEqual([]);
});
