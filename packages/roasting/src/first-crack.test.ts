import { normal, randomStream } from '@roastery/testing/marks/random';
import { describe, expect, it } from 'vitest';
import { expectCrack, predictFirstCrack, type PastCrack } from './first-crack.ts';

const past = (tempC: number, shared: Partial<PastCrack> = {}): PastCrack => ({
  tempC,
  sameMachine: true,
  sameRecipe: false,
  sameCoffee: false,
  sameLot: false,
  ...shared,
});
const lot = { sameLot: true, sameCoffee: true };

describe('predictFirstCrack', () => {
  it('uses the literature with a wide spread when no crack has been marked', () => {
    expect(predictFirstCrack([])).toMatchObject({ source: 'literature', roasts: 0 });
    expect(predictFirstCrack([]).spreadC).toBeGreaterThan(8);
  });

  it('follows the closest roasts with a narrower band for each', () => {
    const elsewhere = Array.from({ length: 20 }, (_, n) => past(205 + (n % 3), { sameMachine: false }));
    const here = Array.from({ length: 12 }, (_, n) => past(190 + (n % 5) - 2));
    const ofLot = [past(184, lot), past(184.5, lot), past(183.5, lot), past(184, lot)];
    const [roastery, machine, one, four] = [
      predictFirstCrack(elsewhere),
      predictFirstCrack([...here, ...elsewhere]),
      predictFirstCrack([past(184, lot), ...here, ...elsewhere]),
      predictFirstCrack([...ofLot, ...here, ...elsewhere]),
    ];
    expect([roastery, machine, one, four].map(({ source }) => source)).toEqual(['roastery', 'machine', 'lot', 'lot']);
    expect(four.roasts).toBe(4);
    expect(Math.abs(machine.tempC - 190)).toBeLessThan(1.5);
    expect(one.tempC).toBeGreaterThan(four.tempC);
    expect(Math.abs(four.tempC - 184)).toBeLessThan(1);
    expect(machine.spreadC).toBeLessThan(roastery.spreadC);
    expect(four.spreadC).toBeLessThan(machine.spreadC);
    // One roast of a lot tells where it cracks, and not yet how far the next one may lie from it.
    expect(one.spreadC).toBeGreaterThan(four.spreadC * 1.2);
  });

  it('is robust to one wrong mark', () => {
    const right = Array.from({ length: 6 }, (_, n) => past(192 + (n % 2), lot));
    expect(Math.abs(predictFirstCrack([past(140, lot), ...right]).tempC - predictFirstCrack(right).tempC)).toBeLessThan(
      1,
    );
  });

  it('covers eight of ten roasts of new machines and lots', () => {
    const random = randomStream(42);
    let [inside, asked] = [0, 0];
    for (let machine = 0; machine < 60; machine++) {
      const machineC = 196 + 7 * normal(random);
      const cracks: PastCrack[] = [];
      for (let lotNo = 0; lotNo < 6; lotNo++) {
        const lotC = machineC + 2.5 * normal(random);
        for (let roast = 0; roast < 5; roast++) {
          const actual = lotC + 1.8 * normal(random);
          const known = cracks.map((crack, index) => ({ ...crack, sameLot: index < roast, sameCoffee: index < roast }));
          const { tempC, spreadC } = predictFirstCrack(known);
          asked++;
          if (Math.abs(actual - tempC) <= 1.2816 * spreadC) inside++;
          cracks.unshift(past(actual));
        }
      }
    }
    expect(inside / asked).toBeGreaterThanOrEqual(0.8);
    expect(inside / asked).toBeLessThan(0.93);
  });

  it('lies within its band at a machine’s first roast, however alike those of the roastery’s other machine were', () => {
    const random = randomStream(43);
    const roasteries = 400;
    let inside = 0;
    for (let n = 0; n < roasteries; n++) {
      const roasteryC = 196 + 5 * normal(random);
      const otherC = roasteryC + 4.5 * normal(random);
      const other = Array.from({ length: 30 }, () => past(otherC + 1.5 * normal(random), { sameMachine: false }));
      const { tempC, spreadC } = predictFirstCrack(other);
      const actual = roasteryC + 4.5 * normal(random) + 2.5 * normal(random);
      if (Math.abs(actual - tempC) <= 1.2816 * spreadC) inside++;
    }
    expect(inside / roasteries).toBeGreaterThanOrEqual(0.8);
  });

  it('widens the band when a fifth of the roasts lie far off', () => {
    const usual = Array.from({ length: 16 }, (_, n) => past(194 + (n % 4)));
    const strange = [past(180), past(181), past(209), past(211)];
    expect(predictFirstCrack([...usual, ...strange]).spreadC).toBeGreaterThan(1.8 * predictFirstCrack(usual).spreadC);
  });
});

/** Half the band in parts of the time ahead, where the temperature is known. */
const doubtShare = (beanC: number) => {
  const crack = expectCrack({ tempC: 196, spreadC: 0 }, beanC, 8);
  return crack ? (crack.latestSeconds - crack.soonestSeconds) / 2 / crack.likelySeconds : Number.NaN;
};

describe('forecast of first crack', () => {
  const predicted = { tempC: 196, spreadC: 2 };

  it('is later than a linear forecast, with a band that grows with the spread', () => {
    const soon = expectCrack(predicted, 180, 8);
    expect(soon?.likelySeconds).toBeGreaterThan(120);
    expect(soon?.likelySeconds).toBeLessThan(160);
    const unsure = expectCrack({ ...predicted, spreadC: 4 }, 180, 8);
    const width = (crack: typeof soon) => (crack?.latestSeconds ?? 0) - (crack?.soonestSeconds ?? 0);
    expect(width(unsure)).toBeGreaterThan(width(soon) * 1.2);
  });

  it('is forecast shortly past the temperature, but not long past it', () => {
    expect(expectCrack(predicted, 197, 8)?.soonestSeconds).toBe(0);
    expect(expectCrack(predicted, 201, 8)).toBeNull();
  });

  it('excludes temperatures that have passed without a crack', () => {
    const unsure = { tempC: 196, spreadC: 6 };
    const likelyC = [186, 196, 202].map(
      (beanC) => beanC + ((expectCrack(unsure, beanC, 8)?.likelySeconds ?? 0) / 60) * 8,
    );
    expect(likelyC).toEqual(likelyC.toSorted((a, b) => a - b));
    const atIt = expectCrack(unsure, 196, 8);
    expect(atIt?.likelySeconds, 'at the likely temperature it isn’t due within seconds').toBeGreaterThan(15);
  });

  it('widens the band with the distance, less than in proportion', () => {
    expect(doubtShare(188)).toBeGreaterThan(doubtShare(180));
    expect(doubtShare(180), 'two minutes ahead').toBeGreaterThan(0.2);
    expect(doubtShare(180)).toBeLessThan(0.4);
  });

  it('returns null when no forecast is possible', () => {
    expect(expectCrack(predicted, 180, 0.5), 'stalled').toBeNull();
    expect(expectCrack(predicted, 110, 12), 'minutes ahead').toBeNull();
    expect(expectCrack({ tempC: 196, spreadC: 10 }, 180, 5), 'anywhere').toBeNull();
    expect(expectCrack(predicted, null, 8)).toBeNull();
  });
});
