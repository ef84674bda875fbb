/** The same numbers in every run of a seed: mulberry32, 0 to 1. */
export const randomFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};

export interface Chance {
  /** 0 to 1, 1 left out. */
  readonly number: () => number;
  /** True this often, 0 to 1. */
  readonly is: (share: number) => boolean;
  /** A whole number, both ends included. */
  readonly whole: (from: number, to: number) => number;
  /** Kilograms to the gram, above 0. */
  readonly kg: (most: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
}

export const chanceFrom = (seed: number): Chance => {
  const number = randomFrom(seed);
  const whole = (from: number, to: number) => from + Math.floor(number() * (to - from + 1));
  return {
    number,
    whole,
    is: (share) => number() < share,
    kg: (most) => whole(1, most * 1000) / 1000,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[whole(0, list.length - 1)] as T;
    },
  };
};
