import { expect, it } from 'vitest';
import { isLow, runOutText, shareText } from './lots.ts';

it('shows the run-out in weeks from a week on, else in days, and none without use [P212]', () => {
  expect([null, 0, 0.4, 1, 6.99, 7, 13.9, 14, 365].map(runOutText)).toEqual([
    '--',
    '< 1 day',
    '< 1 day',
    '1 day',
    '6 days',
    '1+ weeks',
    '1+ weeks',
    '2+ weeks',
    '52+ weeks',
  ]);
});

it('shows a weight in red below 20 percent, not at 20 [P178]', () => {
  expect([19.99, 20, 20.01, -3].map((percentage_remaining) => isLow({ percentage_remaining }))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

it('rounds the remaining share down', () => {
  expect([100, 99.99, 20, 19.99, 0.4].map((percentage_remaining) => shareText({ percentage_remaining }))).toEqual([
    '100%',
    '99%',
    '20%',
    '19%',
    '0%',
  ]);
});
