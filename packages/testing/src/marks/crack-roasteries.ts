import type { ArtisanRoast } from '@roastery/roasting/alog';
import { predictFirstCrack, type PredictedFirstCrack } from '@roastery/roasting/first-crack';
import { roastLevels, simulateRoast } from '@roastery/simulator/simulate-roast';
import { percentile } from '../bench.ts';
import { banded, crackedRoast, errorsOf, straight, type CrackedRoast } from './crack-score.ts';
import { normal, randomStream } from './random.ts';

/** The roasts of a roastery in their order, each with what the ones before it taught. */
export interface CrackRoastery {
  readonly roasts: readonly CrackedRoast[];
  readonly predicted: ReadonlyMap<CrackedRoast, PredictedFirstCrack>;
  /** Middle crack temperature of those before it on its machine: the reference. */
  readonly medians: ReadonlyMap<CrackedRoast, number>;
}

/** Each roast forecast from those before it on its machine. `make` makes one, or fails to. */
const roastery = (
  machines: number,
  lots: number,
  ofLot: number,
  make: (machine: number, lot: number) => { tempC: number; roast: CrackedRoast | undefined },
): CrackRoastery => {
  const predicted = new Map<CrackedRoast, PredictedFirstCrack>();
  const medians = new Map<CrackedRoast, number>();
  for (let machine = 0; machine < machines; machine++) {
    const before: { tempC: number; lot: number }[] = [];
    for (let lot = 0; lot < lots; lot++) {
      for (let n = 0; n < ofLot; n++) {
        const { tempC, roast } = make(machine, lot);
        if (roast && before.length > 0) {
          const temps = before.map((past) => past.tempC);
          medians.set(roast, percentile(temps, 0.5));
          const past = before.map((crack) => ({
            tempC: crack.tempC,
            sameMachine: true,
            sameRecipe: false,
            sameCoffee: crack.lot === lot,
            sameLot: crack.lot === lot,
          }));
          predicted.set(roast, predictFirstCrack(past.toReversed()));
        }
        before.push({ tempC, lot });
      }
    }
  }
  return { roasts: [...predicted.keys()], predicted, medians };
};

/** What is said at some moments before the cracks of a roastery, beside a straight line to the middle of past cracks. */
export const forecast = ({ roasts, predicted, medians }: CrackRoastery, ahead: number | readonly number[]) => ({
  predicted: errorsOf(roasts, ahead, (now, roast) => {
    const temperature = predicted.get(roast);
    return temperature ? banded(temperature, now) : null;
  }),
  pastMedian: errorsOf(roasts, ahead, (now, roast) => straight(medians.get(roast) ?? Number.NaN, now)),
});

/**
 * A roastery imagined on the recorded curves: five machines whose probes differ by 6 °C, lots that differ by 2.5 °C, eight
 * roasts each that crack within 1.5 °C of their lot.
 */
export const imaginedRoastery = (files: readonly ArtisanRoast[]): CrackRoastery => {
  const random = randomStream(11);
  let [machineC, lotC] = [Number.NaN, Number.NaN];
  let [lastMachine, lastLot] = [-1, -1];
  return roastery(5, 4, 8, (machine, lot) => {
    if (machine !== lastMachine) machineC = 194 + 6 * normal(random);
    if (machine !== lastMachine || lot !== lastLot) lotC = machineC + 2.5 * normal(random);
    [lastMachine, lastLot] = [machine, lot];
    const tempC = lotC + 1.5 * normal(random);
    const file = files[Math.floor(random() * files.length)];
    return { tempC, roast: file && crackedRoast(file, tempC) };
  });
};

/**
 * A roastery of simulated drums: eight machines from 3 to 60 kg, three coffees each, roasted fast and slow, light and dark, full and
 * half full, now and then badly. Nothing of it was fitted to.
 */
export const simulatedRoastery = (seed: number): CrackRoastery => {
  const random = randomStream(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const pick = <T>(choices: readonly [T, ...T[]]): T => choices[Math.floor(random() * choices.length)] ?? choices[0];
  const capacities = Array.from({ length: 8 }, () => between(3, 60));
  const coffees = capacities.map(() =>
    Array.from({ length: 3 }, () => ({ moisturePercent: between(9, 12.5), densityGramsPerMl: between(0.62, 0.75) })),
  );
  return roastery(8, 3, 5, (machine, lot) => {
    const capacityKg = capacities[machine] ?? 30;
    const { marks, timesSeconds, columns } = simulateRoast({
      seed: Math.floor(random() * 2 ** 31),
      hz: pick([1, 2, 4]),
      capacityKg,
      batchKg: capacityKg * between(0.5, 1),
      coffee: coffees[machine]?.[lot] ?? {},
      level: pick(roastLevels),
      fault: pick([null, null, null, 'stalled', 'too_fast', 'baked']),
      plan: { rateAt100C: between(17, 30), rateAt205C: between(4, 11) },
      noise: between(0, 2),
    });
    const roast = crackedRoast({ machine: String(machine), marks, timesSeconds, beanTempC: columns.bean_temp });
    return { tempC: roast?.crackC ?? Number.NaN, roast };
  });
};
