import { describe, expect, it } from 'vitest';
import { readingOf } from './quantities.ts';

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

  it('groups thousands, has no negative zero and shows -- for a missing value', () => {
    expect(readingOf('weight', 12_345.678, celsius)).toEqual({ value: '12,345.7', unit: 'kg' });
    const small = [0.13, 0.5, 0.2835, 0].map((kg) => readingOf('weight', kg, celsius).value);
    expect(small).toEqual(['0.13', '0.5', '0.284', '0.0']);
    expect(readingOf('rate', -0.04, celsius).value).toBe('0.0');
    expect(readingOf('temperature', null, celsius)).toEqual({ value: '--', unit: '' });
    expect(readingOf('share', 0.1825, celsius).value).toBe('18.3');
  });
});
