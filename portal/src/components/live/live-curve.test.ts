import { describe, expect, it } from 'vitest';
import { addSamples, emptyTrack } from '../../api/live-track.ts';
import { liveCurve, markNow } from './live-curve.ts';

const track = () => {
  const made = emptyTrack();
  const seconds = Array.from({ length: 200 }, (_, second) => second);
  // The drum before the charge, beans that rise by 12 °C/min, and the empty drum after the drop.
  const bean = seconds.map((t) => (t < 20 ? 220 : t <= 140 ? 90 + (t - 20) * 0.2 : 114 - (t - 140)));
  addSamples(made, { epoch: 'a', seq: seconds, mono: seconds.map((t) => t * 1000), channels: { bean_temp: bean } });
  return made;
};
const rateAt = (seconds: number, dropSeconds: number | null) => {
  const curve = liveCurve(track(), 20_000, 60, dropSeconds);
  return curve.ror[curve.time_seconds.indexOf(seconds)];
};

it('live curve: has a rate of rise from charge to drop only', () => {
  expect(rateAt(-1, 120)).toBeNull();
  expect(rateAt(120, 120)).toBeCloseTo(12);
  expect(rateAt(121, 120)).toBeNull();
  expect(rateAt(179, 120)).toBeNull();
  expect(rateAt(179, null)).toBeCloseTo(-60);
});

const reading = { boot: 1, mono: 0, wall: null, values: { bean_temp: 196.4 }, roast: null } as never;

describe('a mark set while the roast runs', () => {
  it('lies on the newest reading, with its temperature', () => {
    expect(markNow({ state: 'live', reading, readingAgeSeconds: 1 }, 512.25)).toEqual({
      time_seconds: 512.25,
      temp: 196.4,
    });
  });

  it('has the current time while readings are missing, not that of the last reading', () => {
    for (const state of ['stale', 'offline'] as const) {
      expect(markNow({ state, reading, readingAgeSeconds: 38 }, 512.25)).toEqual({ time_seconds: 550.25, temp: null });
    }
  });

  it('requires a charge', () => {
    expect(markNow({ state: 'live', reading, readingAgeSeconds: 0 }, null)).toBeNull();
  });
});
