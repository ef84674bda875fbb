import type { Cancel, Clock } from '@roastery/runtime/clock';
import { untilQuiet } from './bytes-in-transit.ts';

const passingMs = 250;

interface VirtualTimer {
  at: number;
  readonly everyMs: number | undefined;
  readonly work: () => void;
}

export interface VirtualClock extends Clock {
  /** Runs all timers that are due within this many ms, each after the process has become quiet. */
  advance(ms: number): Promise<void>;
  /** Runs all timers that are due within this many ms, and waits for nothing in between. */
  pass(ms: number): void;
  /** A probe for `expect.poll`: before each call a quarter of a second passes. */
  passing<T>(probe: () => T | Promise<T>): () => Promise<T>;
  /** Lets this many ms pass without running any timer, like a process that is not scheduled. */
  stall(ms: number): void;
  /** Goes from timer to timer until the work has ended, and returns its result. */
  run<T>(work: Promise<T>): Promise<T>;
  /**
   * Goes from timer to timer until the condition is met, and returns how many ms that took. Fails when it is not met
   * within this many ms of virtual time.
   */
  until(awaited: string, isMet: () => boolean, withinMs: number): Promise<number>;
}

export interface VirtualClockOptions {
  readonly wall?: number;
  readonly mono?: number;
}

/**
 * Time that stands still while the process works, and goes on only when a test requires it. Sockets and files are real:
 * before time goes on, the bytes between two sockets of this process and all file requests have arrived.
 */
export const createVirtualClock = ({
  wall = Date.UTC(2026, 10, 22, 10),
  mono = 1_000_000,
}: VirtualClockOptions = {}): VirtualClock => {
  let elapsedMs = 0;
  const timers = new Set<VirtualTimer>();

  const add = (ms: number, everyMs: number | undefined, work: () => void): Cancel => {
    // As in Node: at least one millisecond.
    const timer = { at: elapsedMs + Math.max(1, ms), everyMs, work };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  /** Of timers that are due together, the one that was set first. */
  const next = (): VirtualTimer | undefined => {
    let first: VirtualTimer | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  };
  const fire = (timer: VirtualTimer): void => {
    elapsedMs = Math.max(elapsedMs, timer.at);
    timers.delete(timer);
    if (timer.everyMs !== undefined) {
      timer.at = elapsedMs + timer.everyMs;
      timers.add(timer);
    }
    timer.work();
  };
  /** One step: what is under way arrives, then the next timer runs if it is due by then. */
  const step = async (untilMs: number, isOver: () => boolean): Promise<boolean> => {
    await untilQuiet();
    if (isOver()) return false;
    const timer = next();
    if (timer === undefined || timer.at > untilMs) return false;
    fire(timer);
    return true;
  };

  const advance = async (ms: number): Promise<void> => {
    const end = elapsedMs + ms;
    while (await step(end, () => false));
    elapsedMs = Math.max(elapsedMs, end);
  };

  return {
    now: () => wall + elapsedMs,
    monotonic: () => mono + elapsedMs,
    after: (ms, work) => add(ms, undefined, work),
    every: (ms, work) => add(ms, Math.max(1, ms), work),
    advance,
    pass(ms) {
      const end = elapsedMs + ms;
      for (let timer = next(); timer !== undefined && timer.at <= end; timer = next()) fire(timer);
      elapsedMs = end;
    },
    passing: (probe) => async () => {
      await advance(passingMs);
      return await probe();
    },
    stall(ms) {
      elapsedMs += ms;
    },
    async run(work) {
      const state = { isOver: false };
      const end = (): void => void (state.isOver = true);
      work.then(end, end);
      // Without a timer it waits for another process or thread.
      while (!state.isOver) await step(Infinity, () => state.isOver);
      return work;
    },
    async until(awaited, isMet, withinMs) {
      const [began, end] = [elapsedMs, elapsedMs + withinMs];
      while (!isMet()) {
        if (await step(end, isMet)) continue;
        if (isMet()) break;
        throw new Error(`Not within ${withinMs} ms of virtual time: ${awaited}`);
      }
      return elapsedMs - began;
    },
  };
};
