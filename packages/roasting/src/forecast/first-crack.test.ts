import { normal, randomStream } from '@roastery/testing/marks/random';
import { describe, expect, it } from 'vitest';
import { predictFirstCrack, type PastCrack } from './first-crack.ts';

const past = (tempC: number, shared: Partial<PastCrack> = {}): PastCrack => ({
  tempC,
  sameMachine: true,
  sameBatch: false,
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
    // One roast of a lot shows where it cracks, but not how far the next one may deviate.
    expect(one.spreadC).toBeGreaterThan(four.spreadC * 1.2);
  });

  it('prefers batches of about the same weight', () => {
    const small = Array.from({ length: 4 }, (_, n) => past(189 + (n % 2), { sameBatch: true }));
    const large = [past(206), past(205)];
    const [together, apart] = [
      predictFirstCrack([...small, ...large].map((crack) => ({ ...crack, sameBatch: false }))),
      predictFirstCrack([...small, ...large]),
    ];
    expect([together.source, apart.source]).toEqual(['machine', 'batch']);
    expect(Math.abs(apart.tempC - 189.5)).toBeLessThan(Math.abs(together.tempC - 189.5));
    expect(apart.spreadC).toBeLessThan(together.spreadC / 1.5);
  });

  it('is robust to one wrong mark', () => {
    const right = Array.from({ length: 6 }, (_, n) => past(192 + (n % 2), lot));
    expect(Math.abs(predictFirstCrack([past(140, lot), ...right]).tempC - predictFirstCrack(right).tempC)).toBeLessThan(
      1,
    );
  });

  it('covers eight in ten roasts of new machines and lots', () => {
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

  it('has a wide enough band at a machine’s first roast, however alike other machines’ roasts were', () => {
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

  it('widens the band when one of the newest five roasts lies far off', () => {
    const usual = Array.from({ length: 16 }, (_, n) => past(194 + (n % 4)));
    const strange = [...usual.slice(0, 2), past(180), ...usual.slice(2)];
    expect(predictFirstCrack(strange).spreadC).toBeGreaterThan(1.8 * predictFirstCrack(usual).spreadC);
  });
});
