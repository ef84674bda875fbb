import type { MachineMap } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { EventName, RoastingMachine } from './machine.ts';
import { createModelledMachine, type ModelledMachineOptions } from './modelled-machine.ts';
import { faultsShape, noFaults, type Faults, type FaultsInput } from './modbus/faults.ts';
import { listenOnLine, listenOnSocket, type ModbusListener } from './modbus/listen.ts';
import type { ConversationContext } from './modbus/conversation.ts';
import { createRandom } from './model/random.ts';
import type { HolePolicy } from './registers/register-bank.ts';
import { showReading } from './registers/channel-registers.ts';
import { createRegisterFace, type RegisterFace } from './register-face.ts';
import { createReplayMachine, type ReplayOptions } from './replay.ts';

/** The register values from a time on: the machine's own record, to compare a stored curve with. */
export interface PresentedState {
  /** Wall clock, ms since 1970, with fractions. */
  readonly atMs: number;
  /** Seconds of the machine's own time. */
  readonly machineSeconds: number;
  /** Sample of a replayed recording. */
  readonly sampleIndex?: number;
  /** °C or % as a correct reader decodes the registers; null for "no probe". */
  readonly values: Readonly<Record<string, number | null>>;
  readonly events: readonly EventName[];
}

export interface SimulatorConfig {
  readonly map: MachineMap;
  /** Where to listen for socket links. Default 127.0.0.1. */
  readonly host?: string;
  /** Default the port of the map's link; 0 picks a free one. */
  readonly port?: number;
  /** How much faster the machine's time runs. Default 1. */
  readonly timeFactor?: number;
  /** A machine from the thermal model … */
  readonly model?: Partial<ModelledMachineOptions>;
  /** … or a recorded roast. */
  readonly replay?: ReplayOptions;
  /** How often readings change, ms. Default 100; a replay changes at its samples. */
  readonly refreshMs?: number;
  readonly holes?: HolePolicy;
  readonly faults?: FaultsInput;
  /** Seed of faults and, unless `model` has one, of the machine. Default 1. */
  readonly seed?: number;
  /** Called at each change of the registers. */
  readonly onPresented?: (state: PresentedState) => void;
  /** Called with each answer to a request that reads registers. */
  readonly onAnswer?: (answer: AnsweredRead) => void;
  /** Keep all presented states in memory for `record()`. Default false. */
  readonly record?: boolean;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** An answer of the machine: the registers from `start` on, as they were read. */
export interface AnsweredRead {
  /** Monotonic, ms since boot, as a board dates its samples: between request and answer. */
  readonly monoMs: number;
  /** Modbus function: 3 holding, 4 input registers. */
  readonly code: number;
  readonly start: number;
  readonly words: readonly number[];
}

export interface SimulatorState {
  readonly phase: RoastingMachine['phase'];
  readonly roasts: number;
  readonly machineSeconds: number;
  readonly sampleIndex: number | undefined;
  readonly values: Readonly<Record<string, number | null>>;
  readonly events: readonly EventName[];
  /** Requests received so far, answered or not. */
  readonly requests: number;
  /** Modbus functions requested so far; 1 to 4 read. */
  readonly functions: readonly number[];
}

export interface Simulator extends AsyncDisposable {
  /** TCP port; undefined on a serial line. */
  readonly port: number | undefined;
  state(): SimulatorState;
  /** Replaces all faults; `{}` is a machine without any. Throws a ShapeError for unknown or impossible faults. */
  setFaults(faults: FaultsInput): void;
  /** Charges now, or starts a waiting replay; false when it cannot. */
  charge(): boolean;
  drop(): boolean;
  /** Sets a control as a write to its register does, %; false for one that the machine does not have. */
  setOutput(name: string, percent: number): boolean;
  setTimeFactor(factor: number): void;
  /** Closes all connections once; the machine continues. */
  hangUp(): void;
  /** Every change of the registers so far, with `record: true`. */
  record(): readonly PresentedState[];
  close(): Promise<void>;
}

/** A channel of this name counts the requests: every answer that holds it identifies itself. */
export const requestNumber = 'request_number';
/** A process that was stopped does not catch up: at most this many seconds pass at once. */
const longestCatchUpMs = 5000;

/** The registers of a read that was answered; undefined for other requests. */
const answeredRead = (asked: Buffer, answer: Buffer): Omit<AnsweredRead, 'monoMs'> | undefined => {
  const code = asked[0] ?? 0;
  if (code !== 3 && code !== 4) return undefined;
  const words = Array.from({ length: (answer[1] ?? 0) / 2 }, (_, index) => answer.readUInt16BE(2 + 2 * index));
  return { code, start: asked.readUInt16BE(1), words };
};

class RunningSimulator implements Simulator {
  readonly #config: SimulatorConfig;
  readonly #clock: Clock;
  readonly #machine: RoastingMachine;
  readonly #face: RegisterFace;
  readonly #presented: PresentedState[] = [];
  readonly #functions = new Set<number>();
  #listener: ModbusListener | undefined;
  #faults: Faults;
  #timeFactor: number;
  #requests = 0;
  #lastShown = '';
  #lastPhase: RoastingMachine['phase'];
  #livedUntil: number;
  #cancelNext: Cancel | undefined;
  #closed = false;

  constructor(config: SimulatorConfig) {
    const { map, clock = realClock, replay, model, seed = 1 } = config;
    this.#config = config;
    this.#clock = clock;
    this.#machine = replay
      ? createReplayMachine(replay)
      : createModelledMachine({ seed, maxDrumRpm: map.maxDrumRpm, ...model });
    this.#face = createRegisterFace(this.#machine, map, config.holes);
    this.#faults = config.faults ? parseOrThrow(faultsShape, config.faults) : noFaults;
    this.#timeFactor = config.timeFactor ?? 1;
    this.#lastPhase = this.#machine.phase;
    this.#livedUntil = clock.monotonic();
  }

  async start(): Promise<void> {
    const { map, host = '127.0.0.1', port } = this.#config;
    const { link } = map;
    this.#present();
    const context = this.#conversationContext();
    this.#listener = await (link.kind === 'rtu' || link.kind === 'ascii'
      ? listenOnLine(link, context)
      : listenOnSocket(link.kind, host, port ?? link.port, context));
    this.#livedUntil = this.#clock.monotonic();
    this.#schedule();
  }

  get port(): number | undefined {
    return this.#listener?.port;
  }

  state(): SimulatorState {
    return {
      phase: this.#machine.phase,
      roasts: this.#machine.roasts,
      machineSeconds: this.#machine.timeSeconds,
      sampleIndex: this.#machine.sampleIndex,
      values: this.#face.shown(),
      events: this.#face.raised(),
      requests: this.#requests,
      functions: [...this.#functions].toSorted((a, b) => a - b),
    };
  }

  setFaults(next: FaultsInput): void {
    this.#faults = parseOrThrow(faultsShape, next);
    if (this.#faults.refuseConnections) this.hangUp();
    this.#present();
  }

  charge(): boolean {
    const done = this.#machine.charge();
    this.#present();
    return done;
  }

  drop(): boolean {
    const done = this.#machine.drop();
    this.#present();
    return done;
  }

  setOutput(name: string, percent: number): boolean {
    return this.#machine.setOutput(name, percent);
  }

  setTimeFactor(factor: number): void {
    this.#live();
    this.#timeFactor = factor;
    this.#cancelNext?.();
    this.#schedule();
  }

  hangUp(): void {
    this.#listener?.hangUp();
  }

  record(): readonly PresentedState[] {
    return this.#presented;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelNext?.();
    await this.#listener?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #present(): void {
    const { log, record, onPresented } = this.#config;
    this.#face.refresh(this.#faults.brokenProbes);
    const { phase, roasts, timeSeconds: machineSeconds, sampleIndex } = this.#machine;
    if (phase !== this.#lastPhase) {
      log?.info({ phase, roasts, machineSeconds }, 'machine');
      this.#lastPhase = phase;
    }
    if (record !== true && onPresented === undefined) return;
    const state: PresentedState = {
      atMs: performance.timeOrigin + performance.now(),
      machineSeconds,
      ...(sampleIndex === undefined ? {} : { sampleIndex }),
      values: this.#face.shown(),
      events: this.#face.raised(),
    };
    const text = JSON.stringify([sampleIndex, state.values, state.events]);
    if (text === this.#lastShown) return;
    this.#lastShown = text;
    if (record === true) this.#presented.push(state);
    onPresented?.(state);
  }

  /** Advances the time since the last call, showing every change of a recording on the way. */
  #live(): void {
    const now = this.#clock.monotonic();
    let owed = (Math.min(now - this.#livedUntil, longestCatchUpMs) / 1000) * this.#timeFactor;
    this.#livedUntil = now;
    for (let next = this.#machine.secondsToNextChange(); next !== undefined && next <= owed;) {
      this.#machine.advance(next);
      owed -= next;
      this.#present();
      next = this.#machine.secondsToNextChange();
    }
    this.#machine.advance(owed);
    this.#present();
  }

  #schedule(): void {
    if (this.#closed) return;
    const nextMs = ((this.#machine.secondsToNextChange() ?? Number.POSITIVE_INFINITY) / this.#timeFactor) * 1000;
    this.#cancelNext = this.#clock.after(Math.min(this.#config.refreshMs ?? 100, nextMs), () => {
      this.#live();
      this.#schedule();
    });
  }

  #conversationContext(): ConversationContext {
    const { map, seed = 1, onAnswer } = this.#config;
    const { bank } = this.#face;
    const numbered = map.channels[requestNumber];
    return {
      bank,
      faults: () => this.#faults,
      random: createRandom(seed + 99),
      clock: this.#clock,
      onRequest: ({ pdu }) => {
        this.#requests += 1;
        if (numbered) showReading(bank, map, requestNumber, numbered, this.#requests);
        this.#functions.add(pdu[0] ?? 0);
      },
      onAnswer:
        onAnswer &&
        (({ pdu: asked }, pdu) => {
          const read = answeredRead(asked, pdu);
          if (read) onAnswer({ monoMs: this.#clock.monotonic(), ...read });
        }),
    };
  }
}

/** Starts a machine behind Modbus. Rejects when port or serial line cannot be opened. */
export const startSimulator = async (config: SimulatorConfig): Promise<Simulator> => {
  const simulator = new RunningSimulator(config);
  await simulator.start();
  return simulator;
};
