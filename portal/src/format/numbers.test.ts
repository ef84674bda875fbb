import { expect, it } from 'vitest';
import {
  formatAmount,
  formatBytes,
  formatRoasts,
  formatExactKilograms,
  formatMoney,
  formatNumber,
  formatPercent,
} from './numbers.ts';

it('formatNumber: keeps to its decimals, groups thousands and has no negative zero', () => {
  expect([0.35, 60, 19_200, -0.0001].map((kg) => formatNumber(kg, 1, 2))).toEqual(['0.35', '60.0', '19,200.0', '0.0']);
  expect(formatNumber(19.96, 1, 1, 'floor')).toBe('19.9');
  expect(formatExactKilograms(12.1251)).toBe('12.125');
});

it('formatRoasts: chooses between one and many', () => {
  expect([0, 1, 1250].map(formatRoasts)).toEqual(['0 roasts', '1 roast', '1,250 roasts']);
});

it('formats shares, amounts and sizes', () => {
  expect(formatPercent(0.18345)).toBe('18.3%');
  expect(formatPercent(-0.0001)).toBe('0.0%');
  expect([formatAmount(1234.5), formatMoney(1234.5), formatMoney(1234.5, 0)]).toEqual([
    '1,234.50',
    '$1,234.50',
    '$1,235',
  ]);
  expect([640_000, 2_100_000, 312e6, 7.44e9].map(formatBytes)).toEqual(['640 KB', '2.1 MB', '312 MB', '7.4 GB']);
});
