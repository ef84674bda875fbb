/** A timer of virtual time. Node's own have these methods too. */
interface VirtualTimer {
  at: number;
  readonly order: number;
  readonly everyMs: number | undefined;
  readonly work: () => void;
  isCancelled: boolean;
  ref(): VirtualTimer;
  unref(): VirtualTimer;
  hasRef(): boolean;
  refresh(): VirtualTimer;
  [Symbol.toPrimitive](): number;
}

const isBefore = (a: VirtualTimer, b: VirtualTimer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Timers in a binary heap, the next one first. */
const createTimerQueue = () => {
  const heap: VirtualTimer[] = [];
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]];
    if (one === undefined || other === undefined) return;
    heap[a] = other;
    heap[b] = one;
  };
  const comesBefore = (a: number, b: number): boolean => {
    const [one, other] = [heap[a], heap[b]];
    return one !== undefined && other !== undefined && isBefore(one, other);
  };
  return {
    next: (): VirtualTimer | undefined => heap[0],
    push(timer: VirtualTimer): void {
      heap.push(timer);
      for (let at = heap.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!comesBefore(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): VirtualTimer | undefined {
      const [first] = heap;
      swap(0, heap.length - 1);
      heap.pop();
      for (let at = 0; ;) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        const smaller = comesBefore(right, left) ? right : left;
        if (!comesBefore(smaller, at)) return first;
        swap(smaller, at);
        at = smaller;
      }
    },
  };
};

const cancel = (timer: unknown): void => {
  if (typeof timer === 'object' && timer !== null && 'isCancelled' in timer) timer.isCancelled = true;
};

export interface VirtualTime {
  /** Runs all timers that are due within this many ms, as fast as the processor can. */
  advance(ms: number): Promise<void>;
  /** Restores the clock of the process. */
  restore(): void;
}

/**
 * Replaces the clock and the timers of this process. Time stands still while code runs, and jumps to the next timer
 * when nothing is left to do. Sockets and files keep real time, so it only works with lines in memory.
 */
export const startVirtualTime = (): VirtualTime => {
  const real = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate };
  const monotonic = Object.getOwnPropertyDescriptor(process.hrtime, 'bigint');
  const queue = createTimerQueue();
  let now = 1000;
  let order = 0;
  let immediates = 0;

  const add = (work: () => void, ms: number, everyMs: number | undefined): VirtualTimer => {
    const timer: VirtualTimer = {
      // As in Node: whole milliseconds, at least one.
      at: now + Math.max(1, Number.isFinite(ms) ? Math.trunc(ms) : 1),
      order: (order += 1),
      everyMs,
      work,
      isCancelled: false,
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
      refresh: () => timer,
      [Symbol.toPrimitive]: () => timer.order,
    };
    queue.push(timer);
    return timer;
  };
  const settle = async (): Promise<void> => {
    await new Promise<void>((resolve) => real.setImmediate(resolve));
    if (immediates > 0) await settle();
  };
  Object.assign(globalThis, {
    setTimeout: (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      add(() => work(...args), ms, undefined),
    setInterval: (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      add(() => work(...args), ms, Math.max(1, ms)),
    clearTimeout: cancel,
    clearInterval: cancel,
    setImmediate: (work: (...args: unknown[]) => void, ...args: unknown[]) => {
      immediates += 1;
      return real.setImmediate(() => {
        immediates -= 1;
        work(...args);
      });
    },
  });
  Object.defineProperty(performance, 'now', { value: () => now, configurable: true, writable: true });
  Object.defineProperty(process.hrtime, 'bigint', {
    value: () => BigInt(Math.round(now * 1e6)),
    configurable: true,
    writable: true,
  });

  return {
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let next = queue.next(); next !== undefined && next.at <= until; next = queue.next()) {
        queue.pop();
        if (next.isCancelled) continue;
        now = Math.max(now, next.at);
        next.work();
        if (next.everyMs !== undefined && !next.isCancelled) {
          next.at = now + next.everyMs;
          queue.push(next);
        }
        await settle();
      }
      now = until;
    },
    restore() {
      Object.assign(globalThis, real);
      Reflect.deleteProperty(performance, 'now');
      if (monotonic) Object.defineProperty(process.hrtime, 'bigint', monotonic);
    },
  };
};
