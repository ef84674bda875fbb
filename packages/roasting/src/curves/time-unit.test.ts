import { expect, it } from 'vitest';
import { guessTimeUnit, withTimeInSeconds } from './time-unit.ts';

it('time unit: guesses by the last time [P95]', () => {
  expect([0, 720, 5000, 5001, 50_000, 50_001, 720_000].map(guessTimeUnit)).toEqual([
    's',
    's',
    's',
    'cs',
    'cs',
    'ms',
    'ms',
  ]);
});

it('time unit: reports its choice and accepts another one', () => {
  const points = [
    { time: 0, bean: 200 },
    { time: 6000, bean: 90 },
  ];
  expect(withTimeInSeconds(points)).toMatchObject({ unit: 'cs', points: [{ timeSeconds: 0 }, { timeSeconds: 60 }] });
  expect(withTimeInSeconds(points, 's').points[1]).toEqual({ timeSeconds: 6000, bean: 90 });
});

it('time unit: drops points with an invalid or negative time', () => {
  const points = [{ time: 'start' }, { time: -1 }, { time: '2' }, { time: null }, { time: Number.NaN }, { time: 3 }];
  expect(withTimeInSeconds(points)).toEqual({
    unit: 's',
    dropped: 4,
    points: [{ timeSeconds: 2 }, { timeSeconds: 3 }],
  });
});
