import { describe, expect, it } from 'vitest';
import {
  guessTimeUnit,
  cToF,
  fToC,
  formatDuration,
  formatTemperature,
  fromKg,
  massUnits,
  parseDuration,
  parseMassUnit,
  rateCToF,
  rateFToC,
  toKg,
} from './units.ts';

describe('units', () => {
  it('converts temperatures with the offset of 32 and rates without', () => {
    expect(cToF(204.4)).toBeCloseTo(399.92);
    expect(fToC(212)).toBeCloseTo(100);
    expect(rateCToF(10)).toBeCloseTo(18);
    expect(rateFToC(18)).toBeCloseTo(10);
    expect(fToC(cToF(-40))).toBeCloseTo(-40);
  });

  it('converts weights of files', () => {
    expect(toKg(225, 'g')).toBeCloseTo(0.225);
    expect(toKg(10, 'oz')).toBeCloseTo(0.2835, 4);
    for (const unit of massUnits) expect(fromKg(toKg(3, unit), unit)).toBeCloseTo(3);
    expect(['Kg', 'lbs', ' OZ ', 'g', 'bag'].map(parseMassUnit)).toEqual(['kg', 'lb', 'oz', 'g', null]);
  });

  it('writes durations as a roaster’s clock does', () => {
    expect([0, 59.6, 612.4, 3725, -5, -0.2].map((seconds) => formatDuration(seconds))).toEqual([
      '0:00',
      '1:00',
      '10:12',
      '62:05',
      '-0:05',
      '0:00',
    ]);
    expect([null, undefined, Number.NaN].map(formatDuration)).toEqual(['--', '--', '--']);
  });

  it('reads back every duration it writes', () => {
    for (let seconds = 0; seconds < 4000; seconds += 37) expect(parseDuration(formatDuration(seconds))).toBe(seconds);
    expect(['1:02:03', '90', '1:60', '', 'a:10', '-1:00'].map(parseDuration)).toEqual([
      3723,
      90,
      null,
      null,
      null,
      null,
    ]);
  });

  it('shows one decimal in the reader’s unit', () => {
    expect(formatTemperature(204.44)).toBe('204.4 °C');
    expect(formatTemperature(100, 'F')).toBe('212.0 °F');
    expect(formatTemperature(-0.01)).toBe('0.0 °C');
    expect(formatTemperature(null)).toBe('--');
  });
});

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
