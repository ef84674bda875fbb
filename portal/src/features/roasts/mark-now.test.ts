import { describe, expect, it } from 'vitest';
import { markNow } from './mark-now.ts';

const reading = { boot: 1, mono: 0, wall: null, values: { bean_temp: 196.4 }, roast: null } as never;

describe('a mark set while the roast runs', () => {
  it('lies on the newest reading, with its temperature', () => {
    expect(markNow({ state: 'live', reading, readingAgeSeconds: 1 }, 512.25)).toEqual({
      time_seconds: 512.25,
      temp: 196.4,
    });
  });

  it('lies at its own moment while readings are missing, not where they stopped', () => {
    for (const state of ['stale', 'offline'] as const) {
      expect(markNow({ state, reading, readingAgeSeconds: 38 }, 512.25)).toEqual({ time_seconds: 550.25, temp: null });
    }
  });

  it('waits for a charge', () => {
    expect(markNow({ state: 'live', reading, readingAgeSeconds: 0 }, null)).toBeNull();
  });
});
