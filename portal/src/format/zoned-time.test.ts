import { describe, expect, it } from 'vitest';
import { instantOf, localDayOf, localTimeOf } from './zoned-time.ts';

describe('a time on the roastery’s clock', () => {
  it.each([
    ['2026-11-21T07:40:00.000Z', 'Europe/Berlin', '2026-11-21T08:40'],
    ['2026-07-01T23:30:00.000Z', 'Asia/Tokyo', '2026-07-02T08:30'],
    ['2026-07-01T23:30:00.000Z', 'UTC', '2026-07-01T23:30'],
    ['2026-07-01T00:10:00.000Z', 'America/Los_Angeles', '2026-06-30T17:10'],
    ['2026-07-01T00:10:00.000Z', 'Asia/Kathmandu', '2026-07-01T05:55'],
  ])('%s in %s is %s, and back', (instant, zone, local) => {
    expect(localTimeOf(instant, zone)).toBe(local);
    expect(instantOf(local, zone)).toBe(instant);
  });
  it('is the earlier of two when clocks are set back', () => {
    expect(instantOf('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  });
  it('is an hour later when clocks are set forward', () => {
    expect(instantOf('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  });
  it.each(['', 'yesterday', '2026-13-40T00:00', '2026-11-21'])('is undefined for %j', (text) => {
    expect(instantOf(text, 'UTC')).toBeNull();
  });
});

it('localDayOf: uses the zone’s day, not that of UTC', () => {
  expect(localDayOf('2026-11-21T23:30:00Z', 'Europe/Berlin')).toBe('2026-11-22');
  expect(localDayOf('2026-11-21T07:30:00Z', 'America/Los_Angeles')).toBe('2026-11-20');
});
