import { describe, expect, it } from 'vitest';
import { isWholeRoast } from '@roastery/testing/marks/doubtful-marks';
import {
  allFolders,
  recordedRoasts,
  recordedRoastsPresent,
  recordedRoastsTitle,
} from '@roastery/testing/marks/recorded-roasts';
import type { ArtisanRoast } from '../artisan/alog.ts';
import { createFrozenWatch, type FrozenChange } from './frozen-values.ts';
import { markOf } from '../marks.ts';
import type { Reading } from './series.ts';

type Column = (second: number) => Reading;

/** The findings for ten minutes at 1 Hz. */
const watched = (bean: Column, exhaust: Column): (FrozenChange & { at: number })[] => {
  const watch = createFrozenWatch();
  return Array.from({ length: 600 }, (_, second) => second).flatMap((second) =>
    watch
      .push(second, { bean_temp: bean(second), exhaust_temp: exhaust(second) })
      .map((change) => ({ ...change, at: second })),
  );
};
const rising: Column = (second) => 100 + second / 10;
const still: Column = (second) => rising(Math.min(second, 100));
const whole: Column = (second) => Math.floor(150 + second / 20);

describe('frozen values', () => {
  it('finds a bean temperature that is constant for 30 s while the exhaust changes, and its end', () => {
    expect(watched((second) => rising(Math.min(second, 200) + Math.max(0, second - 300)), rising)).toEqual([
      { channel: 'bean_temp', isFrozen: true, sinceSeconds: 200, at: 230 },
      { channel: 'bean_temp', isFrozen: false, sinceSeconds: 200, at: 301 },
    ]);
  });

  it('reports a second occurrence separately', () => {
    const bean: Column = (second) => rising(second < 300 ? Math.min(second, 100) : Math.min(second, 400));
    expect(watched(bean, rising).map(({ isFrozen, sinceSeconds }) => [isFrozen, sinceSeconds])).toEqual([
      [true, 100],
      [false, 100],
      [true, 400],
    ]);
  });

  it('finds a bean temperature after 60 s when all channels are constant', () => {
    expect(watched(still, still)).toEqual([{ channel: 'bean_temp', isFrozen: true, sinceSeconds: 100, at: 160 }]);
  });

  it('does not report missing readings as a frozen value', () => {
    expect(watched((second) => (second > 100 && second < 300 ? null : rising(second)), rising)).toEqual([]);
  });

  it('does not report whole degrees of a slow roast as a frozen value', () => {
    expect(watched(whole, rising)).toEqual([]);
  });
});

/** The findings for a recorded roast from charge to drop. */
const findingsOf = ({ timesSeconds, beanTempC, exhaustTempC, marks }: ArtisanRoast): string[] => {
  const watch = createFrozenWatch();
  const charge = markOf(marks, 'charge')?.timeSeconds ?? 0;
  const drop = markOf(marks, 'drop')?.timeSeconds ?? 0;
  return timesSeconds.flatMap((time, index) =>
    time < charge || time > drop
      ? []
      : watch
          .push(time - charge, { bean_temp: beanTempC[index] ?? null, exhaust_temp: exhaustTempC[index] ?? null })
          .filter(({ isFrozen }) => isFrozen)
          .map(({ channel }) => channel),
  );
};

describe('frozen values of recorded roasts', () => {
  it.skipIf(!recordedRoastsPresent)(`are dead exhaust probes only${recordedRoastsTitle}`, () => {
    const roasts = recordedRoasts(allFolders).filter(({ roast }) => isWholeRoast(roast));
    const found = roasts.flatMap(({ id, roast }) => findingsOf(roast).map((channel) => `${id} ${channel}`));
    expect(roasts.length).toBeGreaterThan(50);
    // 23: constant for two minutes while the beans change by 33 °C. 70: constant for the whole roast.
    expect(found).toEqual(['23 exhaust_temp', '70 exhaust_temp']);
  });
});
