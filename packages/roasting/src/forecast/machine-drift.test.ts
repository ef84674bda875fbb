import { madeYear, type MadeChange, type MadeRoast } from '@roastery/testing/forecast/made-year';
import { describe, expect, it } from 'vitest';
import { fewestWatched, watchDrift } from './machine-drift.ts';

const changedAt = 60;
/** A few weeks of a machine that changes after 60 roasts. */
const weeks = (seed: number, after: number, change?: Omit<MadeChange, 'fromRoast'>): MadeRoast[] =>
  madeYear(seed, changedAt + after, change && { ...change, fromRoast: changedAt });

describe('drift of a machine', () => {
  it('is said of a bean probe that reads 3 °C less, from the roast on that it began with', () => {
    const { roasts, drift } = watchDrift(weeks(9_001, 15, { probeC: -3 }));
    expect(roasts).toBe(75);
    expect(drift?.of).toBe('bean_probe');
    expect(Math.abs((drift?.change ?? 0) + 3)).toBeLessThan(1.5);
    expect(Math.abs((drift?.fromRoast ?? 0) - changedAt)).toBeLessThanOrEqual(4);
    expect(drift?.deviation).toBeLessThan(0.7);
  });

  it('is said of an exhaust probe that reads 3 °C more and shows as a little less', () => {
    const { drift } = watchDrift(weeks(9_008, 15, { exhaustC: 3 }));
    expect(drift?.of).toBe('exhaust_probe');
    expect(Math.abs((drift?.change ?? 0) - 3)).toBeLessThan(1);
  });

  it.each([
    { gives: 0.94, withExhaust: true },
    { gives: 0.9, withExhaust: false },
  ])('is said of a burner that gives $gives of what it did, with an exhaust probe: $withExhaust', (machine) => {
    const roasts = weeks(9_002, 15, { burnerShare: machine.gives });
    const { drift } = watchDrift(
      machine.withExhaust ? roasts : roasts.map((roast) => ({ ...roast, exhaustTempC: undefined })),
    );
    expect(drift?.of).toBe('burner');
    expect(Math.abs((drift?.change ?? 0) / (100 * (machine.gives - 1)) - 1)).toBeLessThan(0.4);
  });

  it('is not said of the usual scatter of coffees, batches and weather', () => {
    const roasts = weeks(9_003, 60);
    for (let night = fewestWatched; night <= roasts.length; night += 10)
      expect(watchDrift(roasts.slice(0, night)).drift).toBeNull();
  });

  it('is not made of one odd roast, and not of coffees that were never roasted before', () => {
    const odd = weeks(9_004, 6).map((roast, place) =>
      place === changedAt + 2 ? { ...roast, beanTempC: roast.beanTempC.map((temp) => temp - 25) } : roast,
    );
    expect(watchDrift(odd).drift).toBeNull();
    const changed = weeks(9_005, 12, { probeC: -3 }).map((roast, place) =>
      place < changedAt ? roast : { ...roast, coffee: `New ${roast.coffee}` },
    );
    expect(watchDrift(changed).drift).toBeNull();
  });

  it('counts the roasts with a batch and a burner setting, and says nothing of too few', () => {
    const roasts = weeks(9_006, 15, { probeC: -6 });
    expect(watchDrift(roasts.slice(-fewestWatched + 1)).drift).toBeNull();
    expect(watchDrift(roasts.map((roast) => ({ ...roast, batchKg: null })))).toEqual({ roasts: 0, drift: null });
    expect(watchDrift(roasts.map((roast) => ({ ...roast, heatPower: undefined })))).toEqual({ roasts: 0, drift: null });
    expect(watchDrift([])).toEqual({ roasts: 0, drift: null });
  });
});
