import { expect, it } from 'vitest';
import { guessTimeUnit } from './time-unit.ts';

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
