import { readdirSync, readFileSync } from 'node:fs';
import { parseAlog } from '@roastery/roasting/artisan/alog';
import { markOf } from '@roastery/roasting/marks';
import { isReading, valueAt, type Reading } from '@roastery/roasting/curves/series';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { roastLevels, simulateRoast } from './simulate-roast.ts';

const data = sharedData();
const skipped = data.title('');

interface Curve {
  readonly name: string;
  /** Seconds after charge, and bean temperature. */
  readonly times: readonly number[];
  readonly temps: readonly Reading[];
  readonly dropSeconds: number;
  readonly crackSeconds: number | null;
}

/** Rates of rise over 30 s where the bean temperature first passes each of these, °C/min. */
const passed = [120, 130, 140, 150, 160, 170, 180, 190];
const ratesOf = (curve: Curve): number[] =>
  passed.flatMap((tempC) => {
    // From 90 s on the probe has turned in every drum.
    const at = curve.times.findIndex((time, index) => time > 90 && (curve.temps[index] ?? 0) >= tempC);
    const time = curve.times[at];
    if (time === undefined) return [Number.NaN];
    const before = valueAt(curve.times, curve.temps, time - 15);
    const after = valueAt(curve.times, curve.temps, time + 15);
    return [before === null || after === null ? Number.NaN : (after - before) * 2];
  });

/** Whole roasts of drum roasters among the real files: charged hot, first crack marked, 8 to 14 minutes. */
const realCurves = (): Curve[] =>
  readdirSync(data.path('alog')).flatMap((file) => {
    const roast = parseAlog(readFileSync(data.path('alog', file), 'utf8'));
    const charge = markOf(roast.marks, 'charge');
    const drop = markOf(roast.marks, 'drop');
    const crack = markOf(roast.marks, 'first_crack');
    if (!charge || !drop || !crack) return [];
    const dropSeconds = drop.timeSeconds - charge.timeSeconds;
    const chargedHot = isReading(charge.tempC) && charge.tempC > 150;
    if (!chargedHot || dropSeconds < 8 * 60 || dropSeconds > 14 * 60) return [];
    const times = roast.timesSeconds.map((time) => time - charge.timeSeconds);
    const crackSeconds = crack.timeSeconds - charge.timeSeconds;
    return [{ name: file, times, temps: roast.beanTempC, dropSeconds, crackSeconds }];
  });

const simulatedCurve = (seed: number): Curve => {
  const level = roastLevels[seed % roastLevels.length] ?? 'Medium';
  const roast = simulateRoast({ seed, level, batchKg: 18 + (seed % 5) * 2 });
  const charge = markOf(roast.marks, 'charge')?.timeSeconds ?? 0;
  const crack = markOf(roast.marks, 'first_crack');
  return {
    name: `${level} ${seed}`,
    times: roast.timesSeconds.map((time) => time - charge),
    temps: roast.columns.bean_temp,
    dropSeconds: (markOf(roast.marks, 'drop')?.timeSeconds ?? 0) - charge,
    crackSeconds: crack ? crack.timeSeconds - charge : null,
  };
};

describe(`simulated roasts beside real ones${skipped}`, () => {
  it.skipIf(!data.present)('rise as fast as real ones throughout', () => {
    const real = realCurves();
    expect(real.length).toBeGreaterThanOrEqual(8);
    const rates = real.map(ratesOf);
    for (let seed = 0; seed < 10; seed++) {
      const curve = simulatedCurve(seed);
      for (const [index, rate] of ratesOf(curve).entries()) {
        const known = rates.map((row) => row[index] ?? Number.NaN).filter((value) => Number.isFinite(value));
        const where = `${curve.name} at ${passed[index]} °C`;
        expect(rate, where).toBeGreaterThan(Math.min(...known) - 1.5);
        expect(rate, where).toBeLessThan(Math.max(...known) + 1.5);
      }
    }
  });

  it.skipIf(!data.present)('crack and drop at the time of real ones', () => {
    const real = realCurves();
    const cracks = real.map((curve) => curve.crackSeconds ?? Number.NaN);
    const drops = real.map((curve) => curve.dropSeconds);
    for (let seed = 0; seed < 10; seed++) {
      const curve = simulatedCurve(seed);
      expect(curve.crackSeconds, curve.name).toBeGreaterThan(Math.min(...cracks));
      expect(curve.crackSeconds, curve.name).toBeLessThan(Math.max(...cracks));
      expect(curve.dropSeconds, curve.name).toBeGreaterThan(Math.min(...drops));
      expect(curve.dropSeconds, curve.name).toBeLessThan(Math.max(...drops));
    }
  });
});
