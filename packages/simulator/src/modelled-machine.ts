import { percentToRpm } from '@roastery/roasting/recipe/control-profile';
import { raisedAfter, type EventName, type RoastingMachine } from './machine.ts';
import { usualGreenCoffee } from './model/beans.ts';
import type { RoasterControls } from './model/drum-roaster.ts';
import { readingsOf, usualMaxDrumRpm } from './model/machine-readings.ts';
import { createRandom } from './model/random.ts';
import { roastLevels, roastPlan } from './model/roast-plan.ts';
import { createRoastProgram, type Batch } from './model/roast-program.ts';

/** `cold`: from room temperature. `preheat`: hot, charges after a moment. `roasting`: a roast is under way. */
export const startPhases = ['cold', 'preheat', 'roasting'] as const;
export type StartPhase = (typeof startPhases)[number];

export interface ModelledMachineOptions {
  readonly seed: number;
  /** Default 30. */
  readonly capacityKg?: number;
  /** Default preheat. */
  readonly start?: StartPhase;
  /** With `preheat`: machine seconds until the first charge. Default 15. */
  readonly chargeAfterSeconds?: number;
  /** With `roasting`: seconds since charge. Default 150. */
  readonly roastedSeconds?: number;
  /** Charge batch after batch (default), or only when ordered to. */
  readonly autoCharge?: boolean;
  readonly nextBatch?: (roast: number) => Batch;
  readonly betweenBatchesSeconds?: number;
  readonly maxDrumRpm?: number;
  /** 1 is usual, 0 none. */
  readonly noise?: number;
}

/** Batches of a typical day: levels, weights and coffees change, without faults. */
export const variedBatches = (capacityKg: number, seed: number): ((roast: number) => Batch) => {
  return (roast) => {
    const random = createRandom(seed * 1000 + roast);
    return {
      greenKg: Math.round(capacityKg * random.between(0.6, 0.9) * 2) / 2,
      coffee: {
        moisturePercent: random.between(9.8, 11.8),
        densityGramsPerMl: usualGreenCoffee.densityGramsPerMl + random.gaussian() * 0.02,
      },
      plan: roastPlan(roastLevels[(roast + 1) % roastLevels.length] ?? 'Medium'),
    };
  };
};

const outputControls: Record<string, keyof RoasterControls> = {
  heat_power: 'heatPercent',
  fan_speed: 'airPercent',
  drum_speed: 'drumRpm',
};

/** The thermal model with its operator as a machine behind registers. */
export const createModelledMachine = (options: ModelledMachineOptions): RoastingMachine => {
  const capacityKg = options.capacityKg ?? 30;
  const maxDrumRpm = options.maxDrumRpm ?? usualMaxDrumRpm;
  const start = options.start ?? 'preheat';
  const nextBatch = options.nextBatch ?? variedBatches(capacityKg, options.seed);
  const random = createRandom(options.seed + 17);
  const autoCharge = options.autoCharge ?? true;
  const program = createRoastProgram({
    capacityKg,
    seed: options.seed,
    nextBatch,
    startTempC: start === 'cold' ? 24 : nextBatch(0).plan.chargeTempC,
    firstChargeSeconds: options.chargeAfterSeconds ?? 15,
    autoCharge,
    ...(options.betweenBatchesSeconds === undefined ? {} : { betweenBatchesSeconds: options.betweenBatchesSeconds }),
  });
  if (start === 'roasting') {
    // A machine that has been hot for a while, so that the current roast began like any other.
    program.advance(120);
    program.charge();
    program.advance(options.roastedSeconds ?? 150);
  }
  return {
    get timeSeconds() {
      return program.timeSeconds;
    },
    get phase() {
      return program.phase;
    },
    get roasts() {
      return program.roasts;
    },
    sampleIndex: undefined,
    advance: (seconds) => void program.advance(seconds),
    secondsToNextChange: () => undefined,
    readings() {
      const { roaster } = program;
      return {
        ...readingsOf(roaster, { noise: options.noise ?? 1, random }, maxDrumRpm),
        // Instruments that some real machines have besides.
        drum_temp: roaster.drumTempC,
        inlet_temp: roaster.inletTempC,
        ambient_temp: roaster.ambientC,
      };
    },
    raisedEvents: () => raisedAfter(program.marks.map((mark) => mark.kind satisfies EventName)),
    charge: () => program.charge(),
    drop: () => program.drop(),
    setOutput(name, value) {
      const control = outputControls[name];
      if (control === undefined) return false;
      program.override(control, control === 'drumRpm' ? percentToRpm(value, maxDrumRpm) : value);
      return true;
    },
  };
};
