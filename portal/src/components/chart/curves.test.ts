import { expect, it } from 'vitest';
import { curveStyles, drawnColumn, drawnCurve, rateBounds, temperatureTop } from './curves.ts';
import { visiblePoints } from './pixel-decimation.ts';

const curve = { time_seconds: [0, 1], channels: { bean_temp: [100, 200] }, ror: [10, 20] };

it.each([
  ['C', 'per_minute', [100, 200], [10, 20], { min: -20, max: 50 }],
  ['C', 'per_30_seconds', [100, 200], [5, 10], { min: -10, max: 25 }],
  ['F', 'per_minute', [212, 392], [18, 36], { min: -40, max: 90 }],
  ['F', 'per_30_seconds', [212, 392], [9, 18], { min: -20, max: 45 }],
] as const)(
  'draws temperature and rate in °%s, %s, on axes of the same units',
  (degree, rate, temps, rates, bounds) => {
    const units = { temperature_unit: degree, rate_unit: rate };
    const drawn = (key: string) =>
      curveStyles.filter((style) => style.key === key).map((style) => drawnCurve(curve, style, units));
    expect(drawn('beanTemp').map(({ y }) => [...y])).toEqual([temps]);
    expect(drawn('ror').map(({ y }) => [...y])).toEqual([rates]);
    expect(rateBounds(units)).toEqual(bounds);
    expect(temperatureTop(drawn('beanTemp'), units)).toBe(degree === 'C' ? 250 : 500);
  },
);

const identity = (value: number): number => value;

it('breaks a line where nothing was recorded, also when it is decimated', () => {
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
