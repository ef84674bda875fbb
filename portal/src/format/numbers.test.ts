import { afterEach, describe, expect, it } from 'vitest';
import { offeredRegions } from '../features/account/regions.ts';
import { defaultConventions, setConventions } from './conventions.ts';
import { formatBytes, formatNumber, formatPercent, formatRoasts, numberInField, readNumber } from './numbers.ts';

afterEach(() => setConventions(defaultConventions));
const inRegion = (region: string) => setConventions({ ...defaultConventions, region });

it('formatNumber: has the given decimals, groups thousands and has no negative zero', () => {
  expect([0.35, 60, 19_200, -0.0001].map((kg) => formatNumber(kg, 1, 2))).toEqual(['0.35', '60.0', '19,200.0', '0.0']);
  expect(formatNumber(19.96, 1, 1, 'floor')).toBe('19.9');
});

it('formatRoasts: chooses between one and many', () => {
  expect([0, 1, 1250].map(formatRoasts)).toEqual(['0 roasts', '1 roast', '1,250 roasts']);
});

it('formats shares and sizes', () => {
  expect(formatPercent(0.18345)).toBe('18.3%');
  expect(formatPercent(-0.0001)).toBe('0.0%');
  expect([640_000, 2_100_000, 312e6, 7.44e9].map(formatBytes)).toEqual(['640 KB', '2.1 MB', '312 MB', '7.4 GB']);
});

it.each([
  ['de', '1.234,5', '18,3\u00a0%', '-0,5'],
  ['fr', '1\u202f234,5', '18,3\u00a0%', '-0,5'],
  ['en-GB', '1,234.5', '18.3%', '-0.5'],
  ['sv', '1\u00a0234,5', '18,3\u00a0%', '\u22120,5'],
  ['ja', '1,234.5', '18.3%', '-0.5'],
])('formatNumber: writes numbers as %s does', (region, thousands, share, negative) => {
  inRegion(region);
  expect([formatNumber(1234.5, 1), formatPercent(0.1834), formatNumber(-0.5, 1)]).toEqual([thousands, share, negative]);
});

const values = [0, 0.5, 9.4, 12.125, 999.9, 1000, 1234.5, 12_345.678, 1_234_567.89, -2.5, -1234.5];
describe.each(offeredRegions)('numbers in the region %s', (region) => {
  it('are read as formatted, with thousands and in a field', () => {
    inRegion(region);
    for (const value of values) {
      expect(readNumber(formatNumber(value, 0, 3), region), formatNumber(value, 0, 3)).toBe(String(value));
      expect(readNumber(numberInField(value), region), numberInField(value)).toBe(String(value));
    }
    let seed = 7;
    for (let count = 0; count < 200; count += 1) {
      seed = (seed * 48_271) % 2_147_483_647;
      const value = (seed - 1e9) / 10 ** (seed % 7);
      const digits = 6;
      const short = Number(value.toFixed(digits));
      expect(Number(readNumber(formatNumber(value, 0, digits), region)), `${value}`).toBeCloseTo(short, 9);
    }
  });
});

it.each([
  ['en-US', '1,234', '1234'],
  ['en-US', '1234.5', '1234.5'],
  ['en-US', '9,4', '9.4'],
  ['en-US', ' 1,234,567.8 ', '1234567.8'],
  ['en-US', '1.234,5', '1234.5'],
  ['en-US', '.5', '0.5'],
  ['en-US', '12,', '12'],
  ['de', '1.234', '1234'],
  ['de', '1.234,5', '1234.5'],
  ['de', '0,5', '0.5'],
  ['de', '0.125', '0.125'],
  ['de', '12.5', '12.5'],
  ['de', '-2,5', '-2.5'],
  ['de', '\u22122,5', '-2.5'],
  ['fr', '1 234,5', '1234.5'],
  ['de', "1'234,5", '1234.5'],
])('readNumber: in %s %j is %s', (region, typed, number) => {
  expect(readNumber(typed, region)).toBe(number);
});

it.each([
  ['en-US', '9e3'],
  ['en-US', '1,23,4'],
  ['en-US', '-'],
  ['en-US', '.'],
  ['en-US', '12 kg'],
  ['de', '1.2.3'],
  // A thousand or one and a bit: in France it could be either.
  ['fr', '1.234'],
])('readNumber: in %s %j is no number', (region, typed) => {
  expect(readNumber(typed, region)).toBeUndefined();
});
