import type { MachineMap } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { EventName, RoastingMachine } from './machine.ts';
import { createModelledMachine, type ModelledMachineOptions } from './modelled-machine.ts';
import { faultsShape, noFaults, type Faults, type FaultsInput } from './modbus/faults.ts';
import { listenOnLine, listenOnSocket } from './modbus/listen.ts';
import type { ConversationContext } from './modbus/conversation.ts';
import { createRandom } from './model/random.ts';
import type { HolePolicy } from './registers/register-bank.ts';
import { showReading } from './registers/channel-registers.ts';
import { createRegisterFace } from './register-face.ts';
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

/** Starts a machine behind Modbus. Rejects when port or serial line cannot be opened. */
export const startSimulator = async (config: SimulatorConfig): Promise<Simulator> => {
  const { map, log, clock = realClock } = config;
  const seed = config.seed ?? 1;
  const refreshMs = config.refreshMs ?? 100;
  const machine: RoastingMachine = config.replay
    ? createReplayMachine(config.replay)
    : createModelledMachine({ seed, maxDrumRpm: map.maxDrumRpm, ...config.model });
  const face = createRegisterFace(machine, map, config.holes);
  const presented: PresentedState[] = [];
  let faults: Faults = config.faults ? parseOrThrow(faultsShape, config.faults) : noFaults;
  let timeFactor = config.timeFactor ?? 1;
  let requests = 0;
  const functions = new Set<number>();
  let lastShown = '';
  let lastPhase = machine.phase;
  let livedUntil = clock.monotonic();
  let cancelNext: Cancel | undefined;
  let closed = false;

  const present = (): void => {
    face.refresh(faults.brokenProbes);
    if (machine.phase !== lastPhase) {
      log?.info({ phase: machine.phase, roasts: machine.roasts, machineSeconds: machine.timeSeconds }, 'machine');
      lastPhase = machine.phase;
    }
    if (config.record !== true && config.onPresented === undefined) return;
    const { sampleIndex } = machine;
    const state: PresentedState = {
      atMs: performance.timeOrigin + performance.now(),
      machineSeconds: machine.timeSeconds,
      ...(sampleIndex === undefined ? {} : { sampleIndex }),
      values: face.shown(),
      events: face.raised(),
    };
    const text = JSON.stringify([sampleIndex, state.values, state.events]);
    if (text === lastShown) return;
    lastShown = text;
    if (config.record === true) presented.push(state);
    config.onPresented?.(state);
  };
  /** Advances the time since the last call, showing every change of a recording on the way. */
  const live = (): void => {
    const now = clock.monotonic();
    let owed = (Math.min(now - livedUntil, longestCatchUpMs) / 1000) * timeFactor;
    livedUntil = now;
    for (let next = machine.secondsToNextChange(); next !== undefined && next <= owed;) {
      machine.advance(next);
      owed -= next;
      present();
      next = machine.secondsToNextChange();
    }
    machine.advance(owed);
    present();
  };
  const schedule = (): void => {
    if (closed) return;
    const nextMs = ((machine.secondsToNextChange() ?? Number.POSITIVE_INFINITY) / timeFactor) * 1000;
    cancelNext = clock.after(Math.min(refreshMs, nextMs), () => {
      live();
      schedule();
    });
  };

  present();
  const numbered = map.channels[requestNumber];
  const context: ConversationContext = {
    bank: face.bank,
    faults: () => faults,
    random: createRandom(seed + 99),
    clock,
    onRequest({ pdu }) {
      requests += 1;
      if (numbered) showReading(face.bank, map, requestNumber, numbered, requests);
      functions.add(pdu[0] ?? 0);
    },
    onAnswer:
      config.onAnswer &&
      (({ pdu: asked }, pdu) => {
        const code = asked[0] ?? 0;
        if (code !== 3 && code !== 4) return;
        const words = Array.from({ length: (pdu[1] ?? 0) / 2 }, (_, index) => pdu.readUInt16BE(2 + 2 * index));
        config.onAnswer?.({
          monoMs: clock.monotonic(),
          code,
          start: asked.readUInt16BE(1),
          words,
        });
      }),
  };
  const { link } = map;
  const listener = await (link.kind === 'rtu' || link.kind === 'ascii'
    ? listenOnLine(link, context)
    : listenOnSocket(link.kind, config.host ?? '127.0.0.1', config.port ?? link.port, context));
  livedUntil = clock.monotonic();
  schedule();

  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    cancelNext?.();
    await listener.close();
  };
  return {
    port: listener.port,
    state: () => ({
      phase: machine.phase,
      roasts: machine.roasts,
      machineSeconds: machine.timeSeconds,
      sampleIndex: machine.sampleIndex,
      values: face.shown(),
      events: face.raised(),
      requests,
      functions: [...functions].toSorted((a, b) => a - b),
    }),
    setFaults(next) {
      faults = parseOrThrow(faultsShape, next);
      if (faults.refuseConnections) listener.hangUp();
      present();
    },
    charge() {
      const done = machine.charge();
      present();
      return done;
    },
    drop() {
      const done = machine.drop();
      present();
      return done;
    },
    setOutput: (name, percent) => machine.setOutput(name, percent),
    setTimeFactor(factor) {
      live();
      timeFactor = factor;
      cancelNext?.();
      schedule();
    },
    hangUp: () => listener.hangUp(),
    record: () => presented,
    close,
    [Symbol.asyncDispose]: close,
  };
};
