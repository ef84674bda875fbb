import { expect, it } from 'vitest';
import { formatCount, formatKilograms, formatMoment, formatPercent, isTimeZone, localDay } from './format.ts';

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

it('isTimeZone: accepts IANA names only', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
