import { expect, it } from 'vitest';
import {
  formatCount,
  formatDays,
  formatKilograms,
  formatMoment,
  formatPercent,
  isTimeZone,
  localDay,
} from './format.ts';

it('formats counts, weights and shares in one way', () => {
  expect([formatCount(1_250_000), formatKilograms(10.2004), formatKilograms(12), formatPercent(0.18345)]).toEqual([
    '1,250,000',
    '10.2 kg',
    '12 kg',
    '18.3%',
  ]);
});

it('formatMoment and localDay: use the clock of the time zone', () => {
  const instant = '2026-11-21T23:30:00.000Z';
  expect(formatMoment(instant, 'Europe/Berlin')).toMatch(/^November 22, 2026 at 12:30\sAM$/);
  expect([localDay('Europe/Berlin', instant), localDay('America/Bogota', instant)]).toEqual([
    '2026-11-22',
    '2026-11-21',
  ]);
});

const daysText = (from: string, to: string, region?: string) => formatDays({ from, to }, region);

it('formatDays: names a whole month, else the first and the last day', () => {
  expect(daysText('2028-02-01', '2028-02-29')).toBe('February 2028');
  expect(daysText('2026-11-01', '2026-11-12')).toBe('Nov 1 – Nov 12, 2026');
  expect(daysText('2025-12-31', '2026-01-01', 'en-GB')).toBe('31 Dec 2025 – 1 Jan 2026');
  expect(daysText('2026-01-01', '2026-03-31', 'de-DE'), 'files are English').toBe('Jan 1 – Mar 31, 2026');
  expect(daysText('2026-11-12', '2026-11-12')).toBe('Nov 12, 2026');
});

it('isTimeZone: accepts IANA names only', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
