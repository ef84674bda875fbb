import { expect, it } from 'vitest';
import { createSyncPace } from './sync-pace.ts';

const startedAt = 5_000_000;
const minute = 60_000;

it('sync pace: syncs each second for the first minute after the start, then changes to the slow pace', () => {
  const pace = createSyncPace(startedAt);
  const idle = (mono: number) => pace.after({ mono, beanTempC: 200, roastRuns: false });
  expect(idle(startedAt + 1000)).toBe('each_second');
  expect(idle(startedAt + minute - 1)).toBe('each_second');
  expect(idle(startedAt + minute)).toBe('gather');
});

it('sync pace: syncs each second while a roast runs, regardless of the probe', () => {
  const pace = createSyncPace(startedAt);
  for (let second = 61; second < 900; second++)
    expect(pace.after({ mono: startedAt + second * 1000, beanTempC: second % 2 ? null : 150, roastRuns: true })).toBe(
      'each_second',
    );
  expect(pace.after({ mono: startedAt + 15 * minute, beanTempC: 150, roastRuns: false })).toBe('gather');
});

it('sync pace: ends the slow pace at a fall of the bean temperature as after a charge, not when a drum cools', () => {
  const pace = createSyncPace(startedAt);
  let mono = startedAt + 2 * minute;
  let beanTempC = 220;
  const second = (changeC: number) =>
    pace.after({ mono: (mono += 1000), beanTempC: (beanTempC += changeC), roastRuns: false });
  // Ten degrees a minute, with a probe that jumps by a degree.
  for (let count = 0; count < 120; count++) expect(second(-1 / 6 + (count % 2 ? 0.5 : -0.5))).toBe('gather');
  const falling = Array.from({ length: 6 }, () => second(-1.5));
  expect(falling.slice(2)).toEqual(falling.slice(2).map(() => 'each_second'));
  for (let count = 0; count < 59; count++) expect(second(0.1)).toBe('each_second');
  for (let count = 0; count < 15; count++) second(0.1);
  expect(second(0.1)).toBe('gather');
});
