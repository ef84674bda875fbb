/**
 * A token bucket: refills at `perSecond` up to `burst` and may be overdrawn. `spend` returns for how many milliseconds
 * to stop reading.
 */
export const createAllowance = (perSecond: number, burst: number, from: number) => {
  let left = burst;
  let at = from;
  return {
    spend(amount: number, time: number): number {
      left = Math.min(burst, left + ((time - at) / 1000) * perSecond) - amount;
      at = time;
      return left >= 0 ? 0 : Math.ceil((-left / perSecond) * 1000);
    },
  };
};
export type Allowance = ReturnType<typeof createAllowance>;
