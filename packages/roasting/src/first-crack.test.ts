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
    expect([roastery, machine, one, four].map(({ spreadC }) => spreadC)).toEqual(
      [roastery, machine, one, four].map(({ spreadC }) => spreadC).toSorted((a, b) => b - a),
    );
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
    expect(inside / asked).toBeGreaterThan(0.75);
    expect(inside / asked).toBeLessThan(0.93);
  });
});

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
    expect(expectCrack(learnt, 199, 8)).toBeNull();
  });

  it('says nothing where nothing honest can be said', () => {
    expect(expectCrack(learnt, 180, 0.5), 'stalled').toBeNull();
    expect(expectCrack(learnt, 110, 12), 'minutes ahead').toBeNull();
    expect(expectCrack({ tempC: 196, spreadC: 10 }, 180, 5), 'anywhere').toBeNull();
    expect(expectCrack(learnt, null, 8)).toBeNull();
  });
});
