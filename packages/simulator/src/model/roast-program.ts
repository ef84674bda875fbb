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
import { createRandom, type Random } from './random.ts';
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

class Program implements RoastProgram {
  phase: ProgramPhase = 'preheating';
  roaster: RoasterState;
  marks: ProgramMark[] = [];
  roasts = 0;
  batch: Batch;
  roastedKg: number | null = null;
  readonly #options: ProgramOptions;
  readonly #random: Random;
  readonly #betweenBatchesSeconds: number;
  readonly #overridden: Partial<Record<keyof RoasterControls, number>> = {};
  #operator: RoastOperator;
  #controls: RoasterControls;
  #steps = 0;
  #owed = 0;
  #fresh: ProgramMark[] = [];
  #chargedAt = 0;
  #readyFrom: number;
  #holding = 20;
  #holdUntil = 0;
  /** Bean probe at the last 80 steps (20 s), newest last. */
  #probeTrail: number[] = [];

  constructor(options: ProgramOptions) {
    const ambientC = options.ambientC ?? 24;
    this.#options = options;
    this.#random = createRandom(options.seed);
    this.#betweenBatchesSeconds = options.betweenBatchesSeconds ?? 150;
    this.#readyFrom = options.firstChargeSeconds ?? 20;
    this.batch = options.nextBatch(0);
    this.roaster = emptyRoaster(options.capacityKg, options.startTempC ?? ambientC, ambientC);
    this.#operator = createOperator(this.batch.plan);
    this.#controls = { heatPercent: 0, airPercent: 40, drumRpm: this.batch.plan.drumRpm };
  }

  get timeSeconds(): number {
    return this.#steps * stepSeconds;
  }

  get controls(): RoasterControls {
    return { ...this.#controls, ...this.#overridden };
  }

  advance(seconds: number): readonly ProgramMark[] {
    this.#fresh = [];
    this.#owed += seconds;
    while (this.#owed >= stepSeconds - 1e-9) {
      this.#owed -= stepSeconds;
      this.#step();
    }
    return this.#fresh;
  }

  charge(): boolean {
    if (this.phase === 'roasting') return false;
    this.marks = [];
    this.#mark('charge');
    this.roaster = chargeBeans(this.roaster, this.batch.greenKg, this.batch.coffee, this.#random.gaussian() * 0.7);
    this.#operator = createOperator(this.batch.plan);
    this.#probeTrail = [];
    this.#chargedAt = this.timeSeconds;
    this.roastedKg = null;
    this.roasts += 1;
    this.phase = 'roasting';
    return true;
  }

  drop(): boolean {
    if (this.phase !== 'roasting' || this.roaster.beans === null) return false;
    const { beans } = this.roaster;
    // First crack continues in the cooler: no end of crack is marked after the drop.
    this.#mark('drop');
    this.roastedKg = beanWeightKg(beans);
    this.roaster = dropBeans(this.roaster);
    this.phase = 'cooling';
    this.#readyFrom = this.timeSeconds + this.#betweenBatchesSeconds;
    this.batch = this.#options.nextBatch(this.roasts);
    return true;
  }

  override(control: keyof RoasterControls, value: number | undefined): void {
    if (value === undefined) delete this.#overridden[control];
    else this.#overridden[control] = value;
  }

  #mark(kind: MarkKind, tempC: number = this.roaster.beanProbeC): void {
    if (this.marks.some((known) => known.kind === kind)) return;
    const happened = { kind, timeSeconds: this.timeSeconds, tempC };
    this.marks.push(happened);
    this.#fresh.push(happened);
  }

  #rate(): number | null {
    const oldest = this.#probeTrail[0];
    const newest = this.#probeTrail.at(-1);
    if (oldest === undefined || newest === undefined || this.#probeTrail.length < 40) return null;
    return ((newest - oldest) / ((this.#probeTrail.length - 1) * stepSeconds)) * 60;
  }

  /** Between batches: brings the empty drum to charge temperature and holds it there. */
  #heatEmptyDrum(): void {
    const gap = this.batch.plan.chargeTempC - this.roaster.beanProbeC;
    if (this.timeSeconds >= this.#holdUntil) {
      this.#holdUntil = this.timeSeconds + 15;
      // A cold machine heats at full power; near the charge temperature the burner only makes up for the losses.
      this.#holding = Math.min(45, Math.max(5, this.#holding + 0.12 * gap));
      const wanted = this.#holding + 1.1 * gap - 1.2 * (this.#rate() ?? 0);
      const most = this.phase === 'cooling' ? 20 : 100;
      const heatPercent = Math.min(most, Math.max(0, Math.round(wanted / 2.5) * 2.5));
      this.#controls = { heatPercent, airPercent: gap < -3 ? 75 : 35, drumRpm: this.batch.plan.drumRpm };
    }
    if (this.phase === 'cooling' && this.timeSeconds >= this.#readyFrom - this.#betweenBatchesSeconds / 3) {
      this.#mark('cool_end');
      this.phase = 'preheating';
    }
    if (this.phase === 'preheating' && Math.abs(gap) < 2.5 && this.timeSeconds >= this.#readyFrom) {
      this.phase = 'ready';
      if (this.#options.autoCharge ?? true) this.charge();
    }
  }

  #watchBeans(): void {
    const { beans, beanProbeC } = this.roaster;
    if (beans === null) return;
    const sinceChargeSeconds = this.timeSeconds - this.#chargedAt;
    const ratePerMinute = this.#rate();
    const before = this.#probeTrail.at(-2);
    if (sinceChargeSeconds > 25 && before !== undefined && beanProbeC > before) this.#mark('turning_point');
    const pastTurningPoint = this.marks.some((known) => known.kind === 'turning_point');
    if (pastTurningPoint && beanProbeC >= dryEndC) this.#mark('dry_end');
    if (beans.cracked > 0.012) this.#mark('first_crack');
    if (beans.cracked > 0.85) this.#mark('first_crack_end');
    if (beans.cracked > 0.8 && beanProbeC >= secondCrackC) this.#mark('second_crack');
    this.#controls = this.#operator.controls({
      sinceChargeSeconds,
      beanTempC: beanProbeC,
      ratePerMinute,
      pastTurningPoint,
    });
    if ((pastTurningPoint && beanProbeC >= this.batch.plan.dropTempC) || sinceChargeSeconds > longestRoastSeconds)
      this.drop();
  }

  #step(): void {
    this.roaster = stepRoaster(this.roaster, { ...this.#controls, ...this.#overridden }, stepSeconds);
    this.#steps += 1;
    this.#probeTrail.push(this.roaster.beanProbeC);
    if (this.#probeTrail.length > 20 / stepSeconds) this.#probeTrail.shift();
    if (this.phase === 'roasting') this.#watchBeans();
    else this.#heatEmptyDrum();
  }
}

export const createRoastProgram = (options: ProgramOptions): RoastProgram => new Program(options);
