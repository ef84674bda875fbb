import { noise } from '@roastery/testing/marks/field-conditions';
import { describe, expect, it } from 'vitest';
import { recoveryOf } from './recovery.ts';

const turnAt = 100;
const series = (riseC: (since: number) => number, interval = 1) =>
  Array.from({ length: Math.floor(150 / interval) }, (_, index) => {
    const timeSeconds = turnAt + index * interval;
    return { timeSeconds, tempC: 120 + riseC(timeSeconds - turnAt), heat: null, fan: null };
  });
const beans = (since: number) => 0.25 * since - 5 * (1 - Math.exp(-since / 20));
const door = (since: number) => 25 * (1 - Math.exp(-since / 25));

describe('recoveryOf', () => {
  it.each([0.25, 1, 5])('separates steady warming from an exponential return, every %d s', (interval) => {
    const warm = recoveryOf(series(beans, interval), turnAt, 0);
    expect(warm?.slowedTo).toBeGreaterThan(0.9);
    expect(warm?.steadyAt).toBeGreaterThan(0.9);
    const back = recoveryOf(series(door, interval), turnAt, 0);
    expect(back?.slowedTo).toBeLessThan(0.1);
    expect(back?.steadyAt).toBeLessThan(0.2);
  });

  it('keeps the slowest rate when the drum is heated later', () => {
    const heated = recoveryOf(
      series((since) => door(since) + 0.2 * Math.max(0, since - 80)),
      turnAt,
      0,
    );
    expect(heated?.latest.perSecond).toBeGreaterThan(0.15);
    expect(heated?.slowedTo).toBeLessThan(0.3);
  });

  it('does not mistake few beans that slow down over minutes for a door', () => {
    const slowing = recoveryOf(
      series((since) => 30 * (1 - Math.exp(-since / 130))),
      turnAt,
      0,
    );
    expect(slowing?.slowedTo).toBeGreaterThan(0.5);
  });

  it('reports no slowdown that noise alone may show', () => {
    const noisy = noise(0.5)(
      series((since) => 0.15 * since, 5).map(({ timeSeconds, tempC }) => ({ timeSeconds, beanTempC: tempC })),
      3,
    ).map(({ timeSeconds, beanTempC }) => ({
      timeSeconds,
      tempC: Math.round(beanTempC ?? 0),
      heat: null,
      fan: null,
    }));
    expect(recoveryOf(noisy, turnAt, 0.6)?.slowedTo).toBeGreaterThan(0.5);
  });

  it('ignores an outlier', () => {
    const torn = series(beans).map((reading, index) => (index === 70 ? { ...reading, tempC: 60 } : reading));
    expect(recoveryOf(torn, turnAt, 0)?.slowedTo).toBeGreaterThan(0.8);
  });

  it('returns null for the first half minute', () => {
    expect(recoveryOf(series(beans).slice(0, 30), turnAt, 0)).toBeNull();
  });
});
