import { detectMarks } from '@roastery/roasting/detection/detect-marks';
import { marksInOrder, type MarkKind } from '@roastery/roasting/marks';
import { describe, expect, it } from 'vitest';
import { roastLevels, simulateRoast, type SimulatedRoast, type SimulateRoastOptions } from './simulate-roast.ts';

/** Seconds after charge; undefined when there is no such mark. */
const sinceCharge = (roast: SimulatedRoast, kind: MarkKind): number | undefined => {
  const [charge] = roast.marks;
  const mark = roast.marks.find((candidate) => candidate.kind === kind);
  return mark && charge && mark.timeSeconds - charge.timeSeconds;
};
/** Rate of rise over the 30 s before each whole second between two marks, °C/min. */
const ratesBetween = (roast: SimulatedRoast, from: MarkKind, to: MarkKind): number[] => {
  const at = (kind: MarkKind) => roast.marks.find((mark) => mark.kind === kind)?.index ?? Number.NaN;
  const { bean_temp: temps } = roast.columns;
  const rates: number[] = [];
  for (let index = at(from); index < at(to); index++) {
    rates.push(((temps[index] ?? Number.NaN) - (temps[index - 30] ?? Number.NaN)) * 2);
  }
  return rates;
};

const day: SimulateRoastOptions[] = [7, 15, 30].flatMap((capacityKg, size) =>
  roastLevels.flatMap((level, index) =>
    [0.5, 0.75, 0.95].map((share, fill) => ({
      seed: size * 100 + index * 10 + fill,
      capacityKg,
      level,
      batchKg: capacityKg * share,
      coffee: { moisturePercent: 9.5 + fill, densityGramsPerMl: 0.65 + 0.02 * index },
    })),
  ),
);

describe('simulateRoast', () => {
  it.each(day)('roasts $batchKg kg of $capacityKg kg to $level like a real machine', (options) => {
    const roast = simulateRoast(options);
    expect(marksInOrder(roast.marks)).toEqual({ ok: true });
    expect(sinceCharge(roast, 'turning_point')).toBeGreaterThanOrEqual(60);
    expect(sinceCharge(roast, 'turning_point')).toBeLessThanOrEqual(110);
    expect(sinceCharge(roast, 'dry_end')).toBeGreaterThan(170);
    const crack = roast.marks.find((mark) => mark.kind === 'first_crack');
    expect(crack?.tempC).toBeGreaterThan(195.5);
    expect(crack?.tempC).toBeLessThan(204.5);
    expect(sinceCharge(roast, 'drop')).toBeGreaterThan(8 * 60);
    expect(sinceCharge(roast, 'drop')).toBeLessThan(14 * 60);

    const rates = ratesBetween(roast, 'dry_end', 'drop');
    expect(Math.max(...rates.slice(0, 20))).toBeGreaterThan(12);
    expect(Math.max(...rates)).toBeLessThan(26);
    expect(rates.at(-1)).toBeGreaterThan(3);
    expect(rates.at(-1)).toBeLessThan(10.5);
    // Declining: never more than 3 °C/min above its minimum so far.
    let lowest = Number.POSITIVE_INFINITY;
    for (const rate of rates) {
      lowest = Math.min(lowest, rate);
      expect(rate - lowest).toBeLessThan(3.2);
    }
    const loss = 1 - roast.roastedKg / roast.greenKg;
    expect(loss).toBeGreaterThan(0.085);
    expect(loss).toBeLessThan(0.2);
    for (const name of ['heat_power', 'fan_speed', 'drum_speed'] as const) {
      expect(Math.min(...roast.columns[name])).toBeGreaterThanOrEqual(0);
      expect(Math.max(...roast.columns[name])).toBeLessThanOrEqual(100);
    }
    expect(roast.channels.every((name) => roast.columns[name].length === roast.timesSeconds.length)).toBe(true);
  });

  it('drops darker, later and lighter in weight from level to level', () => {
    const roasts = roastLevels.map((level) => simulateRoast({ seed: 5, level }));
    for (const [index, roast] of roasts.entries()) {
      const lighter = roasts[index - 1];
      if (lighter === undefined) continue;
      expect(sinceCharge(roast, 'drop')).toBeGreaterThan(sinceCharge(lighter, 'drop') ?? 0);
      expect(roast.roastedKg).toBeLessThan(lighter.roastedKg);
    }
    expect(sinceCharge(roasts.at(-1) as SimulatedRoast, 'second_crack')).toBeDefined();
    expect(sinceCharge(roasts[0] as SimulatedRoast, 'second_crack')).toBeUndefined();
  });

  it('is the same roast for the same seed and another for another', () => {
    const options: SimulateRoastOptions = { seed: 42, level: 'Dark', batchKg: 20 };
    expect(simulateRoast(options)).toEqual(simulateRoast(options));
    expect(simulateRoast({ ...options, seed: 43 }).columns.bean_temp).not.toEqual(
      simulateRoast(options).columns.bean_temp,
    );
  });

  it('samples at the requested rate, from before the charge to after the drop', () => {
    for (const hz of [1, 2, 4] as const) {
      const roast = simulateRoast({ seed: 3, hz, leadSeconds: 20, tailSeconds: 30 });
      const charge = roast.marks.find((mark) => mark.kind === 'charge');
      const drop = roast.marks.find((mark) => mark.kind === 'drop');
      expect(charge?.timeSeconds).toBeGreaterThanOrEqual(19);
      expect(charge?.timeSeconds).toBeLessThanOrEqual(23);
      expect((roast.timesSeconds.at(-1) ?? 0) - (drop?.timeSeconds ?? 0)).toBeGreaterThanOrEqual(29);
      expect((roast.timesSeconds[1] ?? 0) - (roast.timesSeconds[0] ?? 0)).toBeCloseTo(1 / hz, 9);
    }
  });

  it('is found by the detector: charge and drop within 5 s', () => {
    for (const options of day.filter((_, index) => index % 4 === 0)) {
      const roast = simulateRoast({ ...options, leadSeconds: 60, tailSeconds: 60 });
      const samples = roast.timesSeconds.map((timeSeconds, index) => ({
        timeSeconds,
        beanTempC: roast.columns.bean_temp[index] ?? null,
      }));
      const found = detectMarks(samples);
      for (const kind of ['charge', 'drop'] as const) {
        const real = roast.marks.find((mark) => mark.kind === kind)?.timeSeconds ?? Number.NaN;
        const seen = found.find((mark) => mark.kind === kind)?.timeSeconds ?? Number.NaN;
        expect(Math.abs(seen - real), `${kind} of ${JSON.stringify(options)}`).toBeLessThanOrEqual(5);
      }
    }
  });

  it('reaches the drop of the recipe form with its default control profile in about its time', () => {
    const roast = simulateRoast({
      seed: 8,
      batchKg: 12.5,
      controlProfile: [
        { timeSeconds: 0, burner: 100, exhaust: 30, drumRpm: 60 },
        { timeSeconds: 720, burner: 0, exhaust: 90, drumRpm: 30 },
      ],
      plan: { dropTempC: 210 },
    });
    expect(Math.abs((sinceCharge(roast, 'drop') ?? 0) - 720)).toBeLessThan(60);
    const { fan_speed: air } = roast.columns;
    expect(air[30 + 360]).toBeGreaterThan(55);
    expect(air[30 + 360]).toBeLessThan(65);
  });
});

describe('bad roasts', () => {
  const good = simulateRoast({ seed: 11 });

  it('stall before first crack and recover', () => {
    const rates = ratesBetween(simulateRoast({ seed: 11, fault: 'stalled' }), 'dry_end', 'first_crack');
    expect(Math.min(...rates)).toBeLessThan(2);
    expect(rates.at(-1)).toBeGreaterThan(5);
    expect(Math.min(...ratesBetween(good, 'dry_end', 'first_crack'))).toBeGreaterThan(6);
  });
  it('bake: are long, and hardly rise after first crack', () => {
    const baked = simulateRoast({ seed: 11, fault: 'baked' });
    expect(sinceCharge(baked, 'drop')).toBeGreaterThan(15 * 60);
    expect(Math.min(...ratesBetween(baked, 'first_crack', 'drop'))).toBeLessThan(3);
  });
  it('scorch: are charged far too hot', () => {
    const scorched = simulateRoast({ seed: 11, fault: 'scorched' });
    expect(scorched.marks[0]?.tempC).toBeGreaterThan(235);
    expect(Math.max(...scorched.columns.exhaust_temp)).toBeGreaterThan(Math.max(...good.columns.exhaust_temp) + 10);
  });
  it('run away: end before nine minutes', () => {
    const fast = simulateRoast({ seed: 11, fault: 'too_fast' });
    expect(sinceCharge(fast, 'drop')).toBeLessThan(9 * 60);
    expect(Math.max(...ratesBetween(fast, 'dry_end', 'first_crack'))).toBeGreaterThan(16);
  });
});
