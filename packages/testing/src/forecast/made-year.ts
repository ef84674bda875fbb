import { roastLevels, roastPlan } from '@roastery/simulator/model/roast-plan';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import { normal, randomStream } from '../marks/random.ts';

/** What changes on a machine, from which roast of its year on. */
export interface MadeChange {
  readonly fromRoast: number;
  /** The bean probe reads so much more than before. */
  readonly probeC?: number;
  /** And the exhaust probe. */
  readonly exhaustC?: number;
  /** The burner gives this share of what it did at the same setting. */
  readonly burnerShare?: number;
}

/** A roast of a made year, second by second from charge to drop. */
export interface MadeRoast {
  readonly coffee: string;
  readonly batchKg: number;
  readonly beanTempC: readonly number[];
  readonly exhaustTempC: readonly number[];
  readonly heatPower: readonly number[];
  readonly fanSpeed: readonly number[];
}

export const roastsOfAYear = 300;
const coffeesAtOnce = 5;
/** A coffee is sold out after about so many roasts, and another one follows. */
const roastsOfACoffee = 90;
const capacityKg = 15;

/**
 * A year of a machine of the thermal model with the usual scatter: coffees with their own moisture, density, batch and
 * level that come and go, weather, the hand of the operator, batches between full and half. The operator acts on what
 * the probe reads.
 */
export function madeYear(seed: number, roasts = roastsOfAYear, change?: MadeChange): MadeRoast[] {
  const random = randomStream(seed);
  const around = (mean: number, deviation: number) => mean + deviation * normal(random);
  const newCoffee = (number: number) => ({
    name: `Coffee ${number}`,
    moisturePercent: around(11, 0.7),
    densityGramsPerMl: around(0.69, 0.025),
    batchKg: capacityKg * Math.min(0.95, Math.max(0.5, around(0.78, 0.12))),
    level: roastLevels[Math.floor(random() * roastLevels.length)] ?? 'Medium',
    charge: around(0, 3),
    pace: around(1, 0.05),
  });
  let coffees = Array.from({ length: coffeesAtOnce }, (_, number) => newCoffee(number));
  let made = coffeesAtOnce;
  const hottestDay = random();
  return Array.from({ length: roasts }, (_, number) => {
    coffees = coffees.map((coffee) => (random() < 1 / roastsOfACoffee ? newCoffee(made++) : coffee));
    const coffee = coffees[Math.floor(random() * coffees.length)] ?? newCoffee(made++);
    const batchKg = (random() < 0.1 ? 0.7 : 1) * coffee.batchKg * around(1, 0.015);
    const hasChanged = change !== undefined && number >= change.fromRoast;
    const probeC = hasChanged ? (change.probeC ?? 0) : 0;
    const exhaustC = hasChanged ? (change.exhaustC ?? 0) : 0;
    const burner = hasChanged ? (change.burnerShare ?? 1) : 1;
    const usual = roastPlan(coffee.level);
    const pace = coffee.pace * around(1, 0.04);
    const [rateAt100C, rateAt205C] = [usual.rateAt100C * pace, usual.rateAt205C * pace * around(1, 0.05)];
    // The plan is in what the probe reads, the model in what it should.
    const perC = (rateAt205C - rateAt100C) / 105;
    const roast = simulateRoast({
      seed: Math.floor(random() * 2 ** 31),
      capacityKg,
      batchKg,
      ambientC: around(20 + 6 * Math.cos(2 * Math.PI * (number / roastsOfAYear - hottestDay)), 2.5),
      coffee: {
        moisturePercent: coffee.moisturePercent + around(0, 0.15),
        densityGramsPerMl: coffee.densityGramsPerMl + around(0, 0.003),
      },
      leadSeconds: 30 + 400 * random(),
      plan: {
        ...usual,
        chargeTempC: usual.chargeTempC + coffee.charge + around(0, 2) - probeC,
        dropTempC: usual.dropTempC + around(0, 1) - probeC,
        rateAt100C: rateAt100C + perC * probeC,
        rateAt205C: rateAt205C + perC * probeC,
        firstHeatPercent: usual.firstHeatPercent * pace * around(1, 0.03) * burner,
        airPercent: [around(40, 2), around(50, 2), around(62, 2)],
      },
    });
    const timeOf = (kind: 'charge' | 'drop') => roast.marks.find((mark) => mark.kind === kind)?.index ?? 0;
    const [from, to] = [timeOf('charge'), timeOf('drop') + 1];
    return {
      coffee: coffee.name,
      batchKg: Math.round(batchKg * 10) / 10,
      beanTempC: roast.columns.bean_temp.slice(from, to).map((temp) => temp + probeC),
      exhaustTempC: roast.columns.exhaust_temp.slice(from, to).map((temp) => temp + exhaustC),
      heatPower: roast.columns.heat_power.slice(from, to).map((percent) => Math.min(100, percent / burner)),
      fanSpeed: roast.columns.fan_speed.slice(from, to),
    };
  });
}
