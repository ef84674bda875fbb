import { expect, it } from 'vitest';
import { drawnColumn } from './curves.ts';
import { visiblePoints } from './pixel-decimation.ts';

const identity = (value: number): number => value;

it('breaks a line where nothing was recorded, however thinned it is drawn', () => {
  const times = Array.from({ length: 4000 }, (_, index) => (index < 2000 ? index / 2 : 60 + index / 2));
  const drawn = drawnColumn(
    times,
    times.map(() => 100),
    identity,
  );
  for (const pixels of [200, 1200, 20_000]) {
    const points = visiblePoints(drawn, 0, 3000, pixels);
    const inside = points.filter(({ x }) => x > 999.5 && x < 1060);
    expect(inside.map(({ y }) => y)).toEqual([Number.NaN]);
    expect(points.filter(({ y }) => Number.isNaN(y))).toHaveLength(1);
  }
});

it('bridges three missing readings, not a fourth, and nothing over a pause of the whole board', () => {
  const times = [0, 1, 2, 3, 4, 5, 6, 7, 8, 40, 41];
  const column = [0, null, null, null, 4, null, null, null, null, 40, 41];
  const { x, y } = drawnColumn(times, column, identity);
  expect([...x]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 24, 40, 41]);
  expect([...y]).toEqual([0, 1, 2, 3, 4, ...Array<number>(5).fill(Number.NaN), 40, 41]);
  expect([...drawnColumn([0, 1, 2, 60, 61], [0, null, null, null, 5], identity).y]).toEqual([
    0,
    ...Array<number>(4).fill(Number.NaN),
    5,
  ]);
});
