import { describe, expect, it } from 'vitest';
import { choosePeriod, daysBefore, daysIn, periodStarts, periodWithin } from './periods.ts';

const startOf = (day: string, weekStart?: 'sunday' | 'saturday') =>
  periodStarts({ from: day, to: day }, 'week', weekStart)[0];
const before = (from: string, to: string) => Object.values(daysBefore({ from, to }) ?? {});

describe('periods', () => {
  it('begin weeks on the requested day', () => {
    expect(startOf('2026-11-21', 'sunday')).toBe('2026-11-15');
    expect(startOf('2026-11-22', 'sunday')).toBe('2026-11-22');
    expect(startOf('2026-11-22', 'saturday')).toBe('2026-11-21');
    expect(startOf('1969-12-31', 'sunday')).toBe('1969-12-28');
    expect(periodStarts({ from: '2026-11-20', to: '2026-12-06' }, 'week', 'sunday')).toEqual([
      '2026-11-15',
      '2026-11-22',
      '2026-11-29',
      '2026-12-06',
    ]);
  });

  it('begin weeks on Monday, also before 1970 and across years', () => {
    expect(startOf('2026-11-21')).toBe('2026-11-16');
    expect(startOf('2026-11-16')).toBe('2026-11-16');
    expect(startOf('2027-01-01')).toBe('2026-12-28');
    expect(startOf('1969-12-31')).toBe('1969-12-29');
  });

  it('are cut to the span, so that their links count the same roasts', () => {
    const span = { from: '2026-11-05', to: '2026-12-10' };
    expect(periodStarts(span, 'month').map((start) => periodWithin(start, 'month', span))).toEqual([
      { from: '2026-11-05', to: '2026-11-30' },
      { from: '2026-12-01', to: '2026-12-10' },
    ]);
    expect(periodStarts(span, 'week')).toHaveLength(6);
    expect(periodStarts({ from: '2024-02-28', to: '2024-03-01' }, 'day')).toEqual([
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
    ]);
  });

  it('fit the span and are never too many', () => {
    expect(choosePeriod({ from: '2026-11-01', to: '2026-11-30' }, undefined)).toBe('day');
    expect(choosePeriod({ from: '2026-08-24', to: '2026-11-21' }, undefined)).toBe('week');
    expect(choosePeriod({ from: '2025-11-22', to: '2026-11-21' }, undefined)).toBe('month');
    expect(choosePeriod({ from: '2025-11-22', to: '2026-11-21' }, 'day')).toBe('day');
    expect(choosePeriod({ from: '2016-01-01', to: '2026-11-21' }, 'day')).toBe('month');
    expect(periodStarts({ from: '0001-01-01', to: '9999-12-31' }, 'month')).toEqual([]);
  });

  it('end at both ends of the calendar', () => {
    // The seventh day of a week and the month after reach beyond the year 9999, whose text sorts before all others.
    expect(periodStarts({ from: '9999-12-31', to: '9999-12-31' }, 'day')).toEqual(['9999-12-31']);
    for (const day of ['0000-01-01', '0001-01-01', '1900-01-01', '1970-01-01', '2200-12-31', '9999-12-31']) {
      for (const kind of ['day', 'week', 'month'] as const) {
        expect(periodStarts({ from: day, to: day }, kind), `${kind} ${day}`).toHaveLength(1);
        expect(periodStarts({ from: 'x', to: day }, kind)).toEqual([]);
      }
    }
    const span = { from: '2200-12-01', to: '2200-12-31' };
    expect(periodWithin('2200-12-01', 'month', span)).toEqual(span);
  });

  it('compare with the same number of days before', () => {
    expect(daysBefore({ from: '2026-03-02', to: '2026-03-31' })).toEqual({ from: '2026-01-31', to: '2026-03-01' });
    expect(daysIn({ from: '2026-03-29', to: '2026-03-29' })).toBe(1);
    expect(daysBefore({ from: '0001-01-02', to: '2026-03-31' })).toBeUndefined();
  });

  it('compare months and a year to date with those before', () => {
    expect(before('2026-03-01', '2026-03-31'), 'March').toEqual(['2026-02-01', '2026-02-28']);
    expect(before('2026-01-01', '2026-01-31'), 'January').toEqual(['2025-12-01', '2025-12-31']);
    expect(before('2026-04-01', '2026-06-30'), 'a quarter').toEqual(['2026-01-01', '2026-03-31']);
    expect(before('2026-11-01', '2026-11-12'), 'a month to date').toEqual(['2026-10-01', '2026-10-12']);
    expect(before('2026-03-01', '2026-03-30'), 'a longer month to date').toEqual(['2026-02-01', '2026-02-28']);
    expect(before('2026-01-01', '2026-11-28'), 'a year to date').toEqual(['2025-01-01', '2025-11-28']);
    expect(before('2024-01-01', '2024-02-29'), 'of a leap year').toEqual(['2023-01-01', '2023-02-28']);
  });
});
