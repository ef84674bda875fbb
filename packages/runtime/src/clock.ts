/** Ends a timer; does nothing when it has run. */
export type Cancel = () => void;

export interface TimerOptions {
  /** Whether the process stays alive for this timer; default true. */
  readonly keepsAlive?: boolean;
}

/** Time as a program sees it. A test passes a clock that stands still until the test advances it. */
export interface Clock {
  /** Wall clock, ms since 1970. */
  readonly now: () => number;
  /** Monotonic clock, ms since boot, with fractions. */
  readonly monotonic: () => number;
  /** Calls `work` once after `ms`. */
  readonly after: (ms: number, work: () => void, options?: TimerOptions) => Cancel;
  /** Calls `work` every `ms`. */
  readonly every: (ms: number, work: () => void, options?: TimerOptions) => Cancel;
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  after(ms, work, { keepsAlive = true } = {}) {
    const timer = setTimeout(work, ms);
    if (!keepsAlive) timer.unref();
    return () => clearTimeout(timer);
  },
  every(ms, work, { keepsAlive = true } = {}) {
    const timer = setInterval(work, ms);
    if (!keepsAlive) timer.unref();
    return () => clearInterval(timer);
  },
};
