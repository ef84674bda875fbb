/** Pseudo-random numbers from a seed: two runs with one seed give the same roast. */
export interface Random {
  /** Evenly in 0…1, 1 excluded. */
  next(): number;
  /** Around 0 with standard deviation 1. */
  gaussian(): number;
  /** Evenly between two numbers. */
  between(low: number, high: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for noise. */
export const createRandom = (seed: number): Random => {
  let state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    // Box-Muller; 1 - next() keeps the logarithm finite.
    gaussian: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
  };
};
