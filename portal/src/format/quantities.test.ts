import { afterEach, describe, expect, it } from 'vitest';
import { defaultConventions, setConventions } from './conventions.ts';
import { readingOf, shownDifference } from './quantities.ts';

afterEach(() => setConventions(defaultConventions));

const celsius = { temperature_unit: 'C', rate_unit: 'per_minute' } as const;
const fahrenheit = { temperature_unit: 'F', rate_unit: 'per_minute' } as const;

describe('figures in the user’s units', () => {
  it('shows temperatures with one decimal in the chosen unit', () => {
    expect(readingOf('temperature', 204.46, celsius)).toEqual({ value: '204.5', unit: '°C' });
    expect(readingOf('temperature', 200, fahrenheit)).toEqual({ value: '392.0', unit: '°F' });
  });

  it('converts a rate by 1.8 without the offset of 32', () => {
    expect(readingOf('rate', 10, fahrenheit)).toEqual({ value: '18.0', unit: '°F/min' });
    expect(readingOf('rate', 0, fahrenheit).value).toBe('0.0');
    expect(readingOf('rate', 10, { temperature_unit: 'C', rate_unit: 'per_30_seconds' })).toEqual({
      value: '5.0',
      unit: '°C/30 s',
    });
  });

  it('subtracts figures as they are shown, in every region', () => {
    // 204.5 and 203.4 on the page: 1.1, although 204.46 - 203.44 is 1.0 when it is rounded.
    expect(shownDifference('temperature', 204.46, 203.44, celsius)).toBe(1.1);
    expect(shownDifference('temperature', 200, 201, fahrenheit)).toBe(-1.8);
    expect(shownDifference('weight', 1234.56, 0.284, celsius)).toBe(1234.316);
    expect(shownDifference('share', 0.1825, 0.2, celsius)).toBe(-1.7);
    expect(shownDifference('temperature', null, 201, celsius)).toBeNull();
    setConventions({ ...defaultConventions, region: 'de-DE' });
    expect(shownDifference('weight', 1234.56, 1000, celsius)).toBe(234.6);
  });

  it('groups thousands, has no negative zero and shows -- for a missing value', () => {
    expect(readingOf('weight', 12_345.678, celsius)).toEqual({ value: '12,345.7', unit: 'kg' });
    const small = [0.13, 0.5, 0.2835, 0].map((kg) => readingOf('weight', kg, celsius).value);
    expect(small).toEqual(['0.13', '0.5', '0.284', '0.0']);
    expect(readingOf('rate', -0.04, celsius).value).toBe('0.0');
    expect(readingOf('temperature', null, celsius)).toEqual({ value: '--', unit: '' });
    expect(readingOf('share', 0.1825, celsius).value).toBe('18.3');
  });
});
