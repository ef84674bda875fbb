import { describe, expect, it } from 'vitest';
import { chosenDays, daysOf } from './span.ts';

describe('spans of days', () => {
  it('include today, and use whole months', () => {
    expect(daysOf('30d', '2026-03-01')).toEqual({ from: '2026-01-31' });
    expect(daysOf('12m', '2026-11-21')).toEqual({ from: '2025-12-01' });
    expect(daysOf('12m', '2026-01-31')).toEqual({ from: '2025-02-01' });
    expect(daysOf('all', '2026-11-21')).toEqual({});
  });

  it('are months and a year of the calendar', () => {
    expect(daysOf('month', '2026-03-31')).toEqual({ from: '2026-03-01' });
    expect(daysOf('last-month', '2026-03-31')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
    expect(daysOf('last-month', '2026-01-15')).toEqual({ from: '2025-12-01', to: '2025-12-31' });
    expect(daysOf('year', '2026-11-21')).toEqual({ from: '2026-01-01' });
  });

  it('accept only valid days from the address', () => {
    expect(chosenDays('2026-05-01', undefined)).toEqual({ from: '2026-05-01' });
    expect(chosenDays('2026-05-02', '2026-05-01')).toEqual({ from: '2026-05-01', to: '2026-05-02' });
    expect(chosenDays('yesterday', '2026-13-01')).toBeUndefined();
  });
});
