/** Pseudo-random choices from a seed (mulberry32), so that a run can be repeated. */
export interface SeededRandom {
  /** A whole number from 0 to `end` - 1. */
  below(end: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  pick<T>(list: readonly T[]): T | undefined;
}

export const createSeededRandom = (seed: number): SeededRandom => {
  let state = seed | 0;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % end;
  };
  return {
    below,
    once: (times) => below(times) === 0,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
  };
};
