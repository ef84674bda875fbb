import { describe, expect, it } from 'vitest';
import { betterClock, type ClockClaim, clockOf, clockQuality, type WallClock } from './wall-clock.ts';

const bootedAt = Date.parse('2026-11-21T06:00:00Z');
const day = 86_400_000;
/** A batch received 200 ms after its last entry, unless specified otherwise. */
const claim = (mono: number, more: Partial<ClockClaim> = {}): ClockClaim => ({
  synced: true,
  t: bootedAt + mono,
  mono,
  lastMono: mono + 5000,
  receivedAtMs: bootedAt + mono + 5200,
  ...more,
});
const clockAfter = (claims: readonly ClockClaim[]): WallClock | undefined =>
  claims.map(clockOf).reduce<WallClock | undefined>((known, said) => betterClock(known, said), undefined);

describe('wall clock of a boot', () => {
  it('is the board’s own when it is synchronised', () => {
    expect(clockAfter([claim(1000)])).toEqual({ offsetMs: bootedAt, quality: clockQuality.synchronised });
    // A backlog of a day, sent late.
    expect(clockAfter([claim(1000, { receivedAtMs: bootedAt + day })])?.offsetMs).toBe(bootedAt);
  });

  it.each([400 * day, -400 * day])(
    'is derived from the time of receipt when an unsynchronised board clock is off by %i ms',
    (error) => {
      const clock = clockAfter([claim(1000, { synced: false, t: bootedAt + 1000 + error })]);
      expect(clock).toEqual({ offsetMs: bootedAt + 200, quality: clockQuality.received });
    },
  );

  it('is never later than the server’s, synchronised or not', () => {
    const clock = clockAfter([claim(1000, { t: bootedAt + 1000 + 400 * day })]);
    expect(clock?.quality).toBe(clockQuality.received);
  });

  it('improves with a batch of less delay and with a synchronised clock, in any order', () => {
    const late = claim(1000, { synced: false, t: 0, receivedAtMs: bootedAt + day });
    const live = claim(day, { synced: false, t: 0 });
    const set = claim(day + 60_000);
    expect(clockAfter([late, live])).toEqual(clockAfter([live, late]));
    expect(clockAfter([late, live])?.offsetMs).toBe(bootedAt + 200);
    for (const order of [
      [late, live, set],
      [set, late, live],
      [live, set, late],
    ]) {
      expect(clockAfter(order)).toEqual({ offsetMs: bootedAt, quality: clockQuality.synchronised });
    }
  });
});
