import { normal, randomStream } from '@roastery/testing/marks/random';
import { describe, expect, it } from 'vitest';
import { expectCrack, learnCrack, type PastCrack } from './first-crack.ts';

const past = (tempC: number, shared: Partial<PastCrack> = {}): PastCrack => ({
  tempC,
  sameMachine: true,
  sameRecipe: false,
  sameCoffee: false,
  sameLot: false,
  ...shared,
});
const lot = { sameLot: true, sameCoffee: true };

describe('the crack temperature', () => {
  it('is the book’s where nobody marked one, and says how little that is worth', () => {
    expect(learnCrack([])).toMatchObject({ source: 'literature', roasts: 0 });
    expect(learnCrack([]).spreadC).toBeGreaterThan(8);
  });

  it('follows the closest roasts, and is surer with each', () => {
    const elsewhere = Array.from({ length: 20 }, (_, n) => past(205 + (n % 3), { sameMachine: false }));
    const here = Array.from({ length: 12 }, (_, n) => past(190 + (n % 5) - 2));
    const ofLot = [past(184, lot), past(184.5, lot), past(183.5, lot), past(184, lot)];
    const [roastery, machine, one, four] = [
      learnCrack(elsewhere),
      learnCrack([...here, ...elsewhere]),
      learnCrack([past(184, lot), ...here, ...elsewhere]),
      learnCrack([...ofLot, ...here, ...elsewhere]),
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

  it('isn’t moved by one wrong mark', () => {
    const right = Array.from({ length: 6 }, (_, n) => past(192 + (n % 2), lot));
    expect(Math.abs(learnCrack([past(140, lot), ...right]).tempC - learnCrack(right).tempC)).toBeLessThan(1);
  });

  it('lies within its band eight of ten times, for machines and lots never seen before', () => {
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
          const { tempC, spreadC } = learnCrack(known);
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
      const { tempC, spreadC } = learnCrack(other);
      const actual = roasteryC + 4.5 * normal(random) + 2.5 * normal(random);
      if (Math.abs(actual - tempC) <= 1.2816 * spreadC) inside++;
    }
    expect(inside / roasteries).toBeGreaterThanOrEqual(0.8);
  });

  it('counts with rare strange beans: a fifth of the roasts lying far off widens the band', () => {
    const usual = Array.from({ length: 16 }, (_, n) => past(194 + (n % 4)));
    const strange = [past(180), past(181), past(209), past(211)];
    expect(learnCrack([...usual, ...strange]).spreadC).toBeGreaterThan(1.8 * learnCrack(usual).spreadC);
  });
});

/** Half the band in parts of the time ahead, where the temperature is known. */
const doubtShare = (beanC: number) => {
  const crack = expectCrack({ tempC: 196, spreadC: 0 }, beanC, 8);
  return crack ? (crack.latestSeconds - crack.soonestSeconds) / 2 / crack.likelySeconds : Number.NaN;
};

describe('first crack ahead of time', () => {
  const learnt = { tempC: 196, spreadC: 2 };

  it('comes later than a straight line says, within a band that grows with the doubt', () => {
    const soon = expectCrack(learnt, 180, 8);
    expect(soon?.likelySeconds).toBeGreaterThan(120);
    expect(soon?.likelySeconds).toBeLessThan(160);
    const unsure = expectCrack({ ...learnt, spreadC: 4 }, 180, 8);
    const width = (crack: typeof soon) => (crack?.latestSeconds ?? 0) - (crack?.soonestSeconds ?? 0);
    expect(width(unsure)).toBeGreaterThan(width(soon) * 1.2);
  });

  it('is still awaited shortly past the temperature, and no more long past it', () => {
    expect(expectCrack(learnt, 197, 8)?.soonestSeconds).toBe(0);
    expect(expectCrack(learnt, 201, 8)).toBeNull();
  });

  it('counts out what has passed: the longer it doesn’t crack, the later and the hotter it will', () => {
    const unsure = { tempC: 196, spreadC: 6 };
    const likelyC = [186, 196, 202].map(
      (beanC) => beanC + ((expectCrack(unsure, beanC, 8)?.likelySeconds ?? 0) / 60) * 8,
    );
    expect(likelyC).toEqual(likelyC.toSorted((a, b) => a - b));
    const atIt = expectCrack(unsure, 196, 8);
    expect(atIt?.likelySeconds, 'at the likely temperature it isn’t due within seconds').toBeGreaterThan(15);
  });

  it('doubts a curve more the further ahead it looks, and less than in proportion', () => {
    expect(doubtShare(188)).toBeGreaterThan(doubtShare(180));
    expect(doubtShare(180), 'two minutes ahead').toBeGreaterThan(0.2);
    expect(doubtShare(180)).toBeLessThan(0.4);
  });

  it('says nothing where nothing honest can be said', () => {
    expect(expectCrack(learnt, 180, 0.5), 'stalled').toBeNull();
    expect(expectCrack(learnt, 110, 12), 'minutes ahead').toBeNull();
    expect(expectCrack({ tempC: 196, spreadC: 10 }, 180, 5), 'anywhere').toBeNull();
    expect(expectCrack(learnt, null, 8)).toBeNull();
  });
});
