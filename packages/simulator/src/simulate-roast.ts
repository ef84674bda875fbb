import type { ControlPoint } from '@roastery/roasting/recipe/control-profile';
import type { MarkKind } from '@roastery/roasting/marks';
import { usualGreenCoffee, type GreenCoffee } from './model/beans.ts';
import { modelChannels, readingsOf, usualMaxDrumRpm, type ModelChannel } from './model/machine-readings.ts';
import { createRandom } from './model/random.ts';
import { roastPlan, type RoastFault, type RoastLevel, type RoastPlan } from './model/roast-plan.ts';
import { createRoastProgram, type ProgramMark } from './model/roast-program.ts';

export { roastFaults, roastLevels, type RoastFault, type RoastLevel, type RoastPlan } from './model/roast-plan.ts';
export type { GreenCoffee } from './model/beans.ts';

export interface SimulateRoastOptions {
  /** Same options, same seed: same roast, to the last digit. */
  readonly seed: number;
  /** Samples per second, up to 4. Default 1. */
  readonly hz?: 1 | 2 | 4;
  /** Default 30. */
  readonly capacityKg?: number;
  /** Green weight. Default 80 % of the capacity. */
  readonly batchKg?: number;
  readonly coffee?: Partial<GreenCoffee>;
  /** Default Medium. */
  readonly level?: RoastLevel;
  /** The fault of the roast, if any. */
  readonly fault?: RoastFault | null;
  /** A recipe's control profile; the operator corrects its burner where the rate of rise deviates. */
  readonly controlProfile?: readonly ControlPoint[];
  /** Single figures of the plan, e.g. `{ dropTempC: 211 }`. */
  readonly plan?: Partial<RoastPlan>;
  /** Samples kept from before the charge and after the drop, s. Defaults 30 and 45. */
  readonly leadSeconds?: number;
  readonly tailSeconds?: number;
  /** Of the room. Default 24. */
  readonly ambientC?: number;
  /** RPM at which `drum_speed` reads 100 %. Default 100. */
  readonly maxDrumRpm?: number;
  /** 1 is usual, 0 none. */
  readonly noise?: number;
}

export interface SimulatedMark {
  readonly kind: MarkKind;
  /** On the same axis as `timesSeconds`. */
  readonly timeSeconds: number;
  /** Index of the sample nearest to the mark. */
  readonly index: number;
  /** Reading of the bean probe, °C. */
  readonly tempC: number;
}

export interface SimulatedRoast {
  readonly hz: number;
  /** Seconds since the first sample, evenly spaced. */
  readonly timesSeconds: readonly number[];
  readonly channels: readonly ModelChannel[];
  /** One column per channel, as long as `timesSeconds`: °C, %, Pa; rounded to a tenth, as in a register. */
  readonly columns: Readonly<Record<ModelChannel, readonly number[]>>;
  /** In order of time; charge and drop are always present. */
  readonly marks: readonly SimulatedMark[];
  readonly greenKg: number;
  /** Roasted weight. */
  readonly roastedKg: number;
  readonly level: RoastLevel;
}

const tenth = (value: number): number => Math.round(value * 10) / 10;

/** One whole roast of the modelled machine, from before the charge to after the drop. Pure; takes about 50 ms. */
export const simulateRoast = (options: SimulateRoastOptions): SimulatedRoast => {
  const hz = options.hz ?? 1;
  const capacityKg = options.capacityKg ?? 30;
  const level = options.level ?? 'Medium';
  const greenKg = options.batchKg ?? capacityKg * 0.8;
  const leadSeconds = options.leadSeconds ?? 30;
  const maxDrumRpm = options.maxDrumRpm ?? usualMaxDrumRpm;
  const random = createRandom(options.seed + 1);
  const plan = roastPlan(level, options.fault ?? null, {
    // No operator charges at exactly the same temperature twice.
    ...(options.fault ? {} : { chargeTempC: 205 + random.gaussian() * 2 }),
    ...(options.controlProfile ? { controlProfile: options.controlProfile } : {}),
    ...options.plan,
  });
  const batch = { greenKg, coffee: { ...usualGreenCoffee, ...options.coffee }, plan };
  const program = createRoastProgram({
    capacityKg,
    seed: options.seed,
    nextBatch: () => batch,
    startTempC: plan.chargeTempC,
    firstChargeSeconds: Math.max(120, leadSeconds + 5),
    ...(options.ambientC !== undefined && { ambientC: options.ambientC }),
  });

  const columns = Object.fromEntries(modelChannels.map((name) => [name, [] as number[]])) as Record<
    ModelChannel,
    number[]
  >;
  const times: number[] = [];
  const happened: ProgramMark[] = [];
  let endsAt = Number.POSITIVE_INFINITY;
  let roastedKg = 0;
  while (program.timeSeconds < endsAt) {
    for (const mark of program.advance(1 / hz)) {
      happened.push(mark);
      if (mark.kind !== 'drop') continue;
      roastedKg = program.roastedKg ?? 0;
      endsAt = mark.timeSeconds + (options.tailSeconds ?? 45);
    }
    times.push(program.timeSeconds);
    const readings = readingsOf(program.roaster, { noise: options.noise ?? 1, random }, maxDrumRpm);
    for (const name of modelChannels) columns[name].push(tenth(readings[name]));
  }

  const chargedAt = happened.find((mark) => mark.kind === 'charge')?.timeSeconds ?? 0;
  const first = Math.max(0, Math.floor((chargedAt - leadSeconds) * hz) - 1);
  const startSeconds = times[first] ?? 0;
  return {
    hz,
    timesSeconds: times.slice(first).map((time) => time - startSeconds),
    channels: modelChannels,
    columns: Object.fromEntries(modelChannels.map((name) => [name, columns[name].slice(first)])) as Record<
      ModelChannel,
      number[]
    >,
    marks: happened.map((mark) => ({
      kind: mark.kind,
      timeSeconds: mark.timeSeconds - startSeconds,
      index: Math.round((mark.timeSeconds - startSeconds) * hz),
      tempC: tenth(mark.tempC),
    })),
    greenKg,
    roastedKg: Math.round(roastedKg * 100) / 100,
    level,
  };
};
