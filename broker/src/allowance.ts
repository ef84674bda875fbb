/**
 * An allowance that refills at `perSecond` up to `burst` and may be overdrawn: `spend` answers for how many
 * milliseconds nothing more should be taken.
 */
export const createAllowance = (perSecond: number, burst: number, now: () => number = () => performance.now()) => {
  let left = burst;
  let at = now();
  return {
    spend(amount: number): number {
      const time = now();
      left = Math.min(burst, left + ((time - at) / 1000) * perSecond) - amount;
      at = time;
      return left >= 0 ? 0 : Math.ceil((-left / perSecond) * 1000);
    },
  };
};
export type Allowance = ReturnType<typeof createAllowance>;
