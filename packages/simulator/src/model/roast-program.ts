import type { MarkKind } from '@roastery/roasting/marks';
import { beanWeightKg, type GreenCoffee } from './beans.ts';
import {
  chargeBeans,
  dropBeans,
  emptyRoaster,
  stepRoaster,
  type RoasterControls,
  type RoasterState,
} from './drum-roaster.ts';
import { createRandom } from './random.ts';
import { createOperator, type RoastOperator } from './roast-operator.ts';
import type { RoastPlan } from './roast-plan.ts';

/** The next batch. */
export interface Batch {
  readonly greenKg: number;
  readonly coffee: GreenCoffee;
  readonly plan: RoastPlan;
}

export const programPhases = ['preheating', 'ready', 'roasting', 'cooling'] as const;
export type ProgramPhase = (typeof programPhases)[number];

/** An event; `tempC` is the reading of the bean probe. */
export interface ProgramMark {
  readonly kind: MarkKind;
  readonly timeSeconds: number;
  readonly tempC: number;
}

export interface ProgramOptions {
  readonly capacityKg: number;
  readonly seed: number;
  /** The batch of each roast: called before the machine heats for it, with 0, 1, 2 … */
  readonly nextBatch: (roast: number) => Batch;
  /** Drum temperature at the start, °C; room temperature for a cold machine. */
  readonly startTempC?: number;
  readonly ambientC?: number;
  /** Shortest wait between drop and next charge, s: the cooler has to empty. Default 150. */
  readonly betweenBatchesSeconds?: number;
  /** Shortest wait before the first charge, s. Default 20. */
  readonly firstChargeSeconds?: number;
  /** Charge automatically when hot enough (default), or only when `charge()` is called. */
  readonly autoCharge?: boolean;
}

/** A machine with its operator, roasting batch after batch. Time only passes in `advance`. */
export interface RoastProgram {
  readonly timeSeconds: number;
  readonly phase: ProgramPhase;
  readonly roaster: RoasterState;
  readonly controls: RoasterControls;
  /** Marks of the current or last roast; empty before the first charge. */
  readonly marks: readonly ProgramMark[];
  /** Roasts begun. */
  readonly roasts: number;
  readonly batch: Batch;
  /** Weight of the last drop, kg; null while beans are in the drum or before the first drop. */
  readonly roastedKg: number | null;
  /** Advances time; returns the marks that occurred. */
  advance(seconds: number): readonly ProgramMark[];
  /** Charges now, if the drum is empty; false otherwise. */
  charge(): boolean;
  /** Drops now, if there are beans in the drum; false otherwise. */
  drop(): boolean;
  /** Sets a control instead of the operator (a written register); undefined returns it. */
  override(control: keyof RoasterControls, value: number | undefined): void;
}

const stepSeconds = 0.25;
/** Dry end by the usual convention, second crack on a drum roaster's probe, °C. */
const dryEndC = 150;
const secondCrackC = 223.5;
/** A roast that makes no progress is dropped after this time, s. */
const longestRoastSeconds = 1500;

export const createRoastProgram = (options: ProgramOptions): RoastProgram => {
  const random = createRandom(options.seed);
  const betweenBatchesSeconds = options.betweenBatchesSeconds ?? 150;
  const ambientC = options.ambientC ?? 24;
  let batch = options.nextBatch(0);
  let roaster = emptyRoaster(options.capacityKg, options.startTempC ?? ambientC, ambientC);
  let phase: ProgramPhase = 'preheating';
  let steps = 0;
  let roasts = 0;
  let operator: RoastOperator = createOperator(batch.plan);
  let controls: RoasterControls = { heatPercent: 0, airPercent: 40, drumRpm: batch.plan.drumRpm };
  let roastedKg: number | null = null;
  let marks: ProgramMark[] = [];
  let fresh: ProgramMark[] = [];
  let chargedAt = 0;
  let readyFrom = options.firstChargeSeconds ?? 20;
  let owed = 0;
  let holding = 20;
  let holdUntil = 0;
  const overridden: Partial<Record<keyof RoasterControls, number>> = {};
  /** Bean probe at the last 80 steps (20 s), newest last. */
  let probeTrail: number[] = [];

  const time = (): number => steps * stepSeconds;
  const mark = (kind: MarkKind, tempC = roaster.beanProbeC): void => {
    if (marks.some((known) => known.kind === kind)) return;
    const happened = { kind, timeSeconds: time(), tempC };
    marks.push(happened);
    fresh.push(happened);
  };
  const rate = (): number | null => {
    const oldest = probeTrail[0];
    const newest = probeTrail.at(-1);
    if (oldest === undefined || newest === undefined || probeTrail.length < 40) return null;
    return ((newest - oldest) / ((probeTrail.length - 1) * stepSeconds)) * 60;
  };
  const charge = (): boolean => {
    if (phase === 'roasting') return false;
    marks = [];
    mark('charge');
    roaster = chargeBeans(roaster, batch.greenKg, batch.coffee, random.gaussian() * 0.7);
    operator = createOperator(batch.plan);
    probeTrail = [];
    chargedAt = time();
    roastedKg = null;
    roasts += 1;
    phase = 'roasting';
    return true;
  };
  const drop = (): boolean => {
    if (phase !== 'roasting' || roaster.beans === null) return false;
    const { beans } = roaster;
    // First crack continues in the cooler: no end of crack is marked after the drop.
    mark('drop');
    roastedKg = beanWeightKg(beans);
    roaster = dropBeans(roaster);
    phase = 'cooling';
    readyFrom = time() + betweenBatchesSeconds;
    batch = options.nextBatch(roasts);
    return true;
  };

  /** Between batches: brings the empty drum to charge temperature and holds it there. */
  const heatEmptyDrum = (): void => {
    const gap = batch.plan.chargeTempC - roaster.beanProbeC;
    if (time() >= holdUntil) {
      holdUntil = time() + 15;
      // A cold machine heats at full power; near the charge temperature the burner only makes up for the losses.
      holding = Math.min(45, Math.max(5, holding + 0.12 * gap));
      const wanted = holding + 1.1 * gap - 1.2 * (rate() ?? 0);
      const most = phase === 'cooling' ? 20 : 100;
      const heatPercent = Math.min(most, Math.max(0, Math.round(wanted / 2.5) * 2.5));
      controls = { heatPercent, airPercent: gap < -3 ? 75 : 35, drumRpm: batch.plan.drumRpm };
    }
    if (phase === 'cooling' && time() >= readyFrom - betweenBatchesSeconds / 3) {
      mark('cool_end');
      phase = 'preheating';
    }
    if (phase === 'preheating' && Math.abs(gap) < 2.5 && time() >= readyFrom) {
      phase = 'ready';
      if (options.autoCharge ?? true) charge();
    }
  };
  const watchBeans = (): void => {
    const { beans, beanProbeC } = roaster;
    if (beans === null) return;
    const sinceChargeSeconds = time() - chargedAt;
    const ratePerMinute = rate();
    const before = probeTrail.at(-2);
    if (sinceChargeSeconds > 25 && before !== undefined && beanProbeC > before) mark('turning_point');
    const pastTurningPoint = marks.some((known) => known.kind === 'turning_point');
    if (pastTurningPoint && beanProbeC >= dryEndC) mark('dry_end');
    if (beans.cracked > 0.012) mark('first_crack');
    if (beans.cracked > 0.85) mark('first_crack_end');
    if (beans.cracked > 0.8 && beanProbeC >= secondCrackC) mark('second_crack');
    controls = operator.controls({ sinceChargeSeconds, beanTempC: beanProbeC, ratePerMinute, pastTurningPoint });
    if ((pastTurningPoint && beanProbeC >= batch.plan.dropTempC) || sinceChargeSeconds > longestRoastSeconds) drop();
  };
  const step = (): void => {
    roaster = stepRoaster(roaster, { ...controls, ...overridden }, stepSeconds);
    steps += 1;
    probeTrail.push(roaster.beanProbeC);
    if (probeTrail.length > 20 / stepSeconds) probeTrail.shift();
    if (phase === 'roasting') watchBeans();
    else heatEmptyDrum();
  };

  return {
    get timeSeconds() {
      return time();
    },
    get phase() {
      return phase;
    },
    get roaster() {
      return roaster;
    },
    get controls() {
      return { ...controls, ...overridden };
    },
    get marks() {
      return marks;
    },
    get roasts() {
      return roasts;
    },
    get batch() {
      return batch;
    },
    get roastedKg() {
      return roastedKg;
    },
    advance(seconds) {
      fresh = [];
      owed += seconds;
      while (owed >= stepSeconds - 1e-9) {
        owed -= stepSeconds;
        step();
      }
      return fresh;
    },
    charge,
    drop,
    override(control, value) {
      if (value === undefined) delete overridden[control];
      else overridden[control] = value;
    },
  };
};
