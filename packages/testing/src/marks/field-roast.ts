import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { normal, randomStream } from './random.ts';

/** Machines and habits of the field that are rare in the recorded roasts. */
export const fieldKinds = [
  'fluid bed',
  'sample roaster',
  'very small batch',
  'slow probe',
  'cold drum',
  'cooled in the drum',
  'back to back',
  'long stall',
] as const;
export type FieldKind = (typeof fieldKinds)[number];

export interface FieldSeries {
  readonly samples: readonly DetectorSample[];
  /** The roasts in it, in the order in which they were made. */
  readonly roasts: readonly { readonly charge: number; readonly drop: number }[];
  /** How the owner has set the machine. */
  readonly charging: 'hot' | 'cold';
}

interface Habit {
  readonly charging: 'hot' | 'cold';
  readonly roasts: number;
  readonly intervalSeconds: readonly [number, number];
  /** Time constant of the probe. */
  readonly probeSeconds: readonly [number, number];
  readonly chargeC: readonly [number, number];
  /** How much of the surrounding air the probe in the beans measures: 0 beans only, 1 air only. */
  readonly airShare: readonly [number, number];
  readonly lengthSeconds: readonly [number, number];
  readonly dropC: readonly [number, number];
  /** How far the emptied machine's probe falls, and how slowly. */
  readonly fallC: readonly [number, number];
  readonly fallSeconds: readonly [number, number];
  readonly betweenSeconds: readonly [number, number];
}

const drum: Habit = {
  charging: 'hot',
  roasts: 1,
  intervalSeconds: [0.5, 3],
  probeSeconds: [3, 8],
  chargeC: [170, 220],
  airShare: [0.02, 0.12],
  lengthSeconds: [480, 840],
  dropC: [198, 224],
  fallC: [25, 70],
  fallSeconds: [15, 40],
  betweenSeconds: [120, 300],
};

const habits: Readonly<Record<FieldKind, Habit>> = {
  'fluid bed': { ...drum, charging: 'cold', lengthSeconds: [240, 480], probeSeconds: [1, 4], fallC: [140, 170] },
  'sample roaster': { ...drum, lengthSeconds: [270, 480], probeSeconds: [1, 3], airShare: [0.2, 0.4] },
  'very small batch': { ...drum, airShare: [0.78, 0.92], lengthSeconds: [300, 540], chargeC: [185, 215] },
  'slow probe': { ...drum, probeSeconds: [15, 28], intervalSeconds: [1, 5], fallC: [40, 80] },
  'cold drum': { ...drum, charging: 'cold', lengthSeconds: [720, 1080], fallC: [80, 120], fallSeconds: [40, 90] },
  'cooled in the drum': { ...drum, fallC: [150, 170], fallSeconds: [240, 500] },
  'back to back': { ...drum, roasts: 3, betweenSeconds: [75, 150], fallC: [15, 45] },
  'long stall': { ...drum },
};

/** Beans and machine as a probe sees them, with its noise; the same for the same kind and seed. */
export function fieldSeries(kind: FieldKind, seed: number): FieldSeries {
  const habit = habits[kind];
  const random = randomStream(seed * 8 + fieldKinds.indexOf(kind));
  const between = ([low, high]: readonly [number, number]) => low + (high - low) * random();
  const interval = between(habit.intervalSeconds);
  const probeLag = between(habit.probeSeconds);
  const airShare = between(habit.airShare);
  const resolutionC = random() < 0.5 ? 0.1 : 0.5;
  const noiseC = 0.25 * random();
  const ambientC = 15 + 12 * random();
  let outsideC = habit.charging === 'cold' ? ambientC : between(habit.chargeC);
  let probeC = outsideC;

  const samples: DetectorSample[] = [];
  let now = 0;
  let nextRead = interval * random();
  const step = 0.1;
  const run = (seconds: number, outside: (since: number) => number) => {
    const from = now;
    while (now - from < seconds) {
      outsideC = outside(now - from);
      probeC += ((outsideC - probeC) * step) / probeLag;
      now += step;
      if (now < nextRead) continue;
      nextRead += interval * (0.9 + 0.2 * random());
      const read = Math.round((probeC + noiseC * normal(random)) / resolutionC) * resolutionC;
      samples.push({ timeSeconds: now, beanTempC: random() < 0.01 ? null : read });
    }
  };

  const roasts: { charge: number; drop: number }[] = [];
  run(20 + 100 * random(), () => outsideC);
  for (let batch = 0; batch < habit.roasts; batch++) {
    const charge = now;
    const startC = outsideC;
    const length = between(habit.lengthSeconds);
    const dropC = between(habit.dropC);
    const stallAt = kind === 'long stall' ? length * (0.6 + 0.25 * random()) : Number.POSITIVE_INFINITY;
    const stallC = 1.5 + 3 * random();
    const airLag = 15 + 12 * random();
    const bend = habit.charging === 'cold' ? 1.5 : 2.2;
    const curve = (since: number) => (1 - Math.exp((-bend * since) / length)) / (1 - Math.exp(-bend));
    run(length, (since) => {
      const beans = ambientC + (dropC - ambientC) * curve(since);
      if (habit.charging === 'cold') return beans;
      const air = Math.max(beans, startC - 12 * (1 - Math.exp(-since / 60)));
      const around = beans + (air - beans) * airShare * Math.exp((-since / length) * (airShare > 0.5 ? 0.6 : 2));
      const left = (startC - around) * Math.exp(-since / airLag);
      const stalled = since - stallAt;
      // The airflow opened too far: the reading falls for half a minute and recovers.
      const stall = stalled > 0 && stalled < 60 ? stallC * Math.sin((Math.PI * stalled) / 60) : 0;
      return around + left - stall;
    });
    const drop = now;
    roasts.push({ charge, drop });
    const emptiedC = outsideC - between(habit.fallC);
    const fallSeconds = between(habit.fallSeconds);
    const topC = outsideC;
    const pause = batch + 1 < habit.roasts ? between(habit.betweenSeconds) : 420;
    const reheatC = between(habit.chargeC);
    run(pause, (since) => {
      const fallen = emptiedC + (topC - emptiedC) * Math.exp(-since / fallSeconds);
      const reheated = batch + 1 < habit.roasts ? Math.max(0, since / pause - 0.4) / 0.6 : 0;
      return fallen + (reheatC - fallen) * reheated;
    });
  }
  return { samples, roasts, charging: habit.charging };
}
