/** Number of requests from which the line's noise is learnt, and how many of them must have had the same bytes. */
const kept = 16;
const minTimes = 2;

/**
 * Bytes that repeatedly arrive with answers, always the same: an adapter that receives its own request, or a driver
 * that adds a byte when it is switched on. They do not make an answer doubtful; other bytes may be the rest of an
 * answer.
 */
export const createLineNoise = () => {
  const strays: string[] = [];
  return {
    /** Records stray bytes with an answer. */
    add(stray: Buffer): void {
      strays.push(stray.toString('latin1'));
      if (strays.length > kept) strays.shift();
    },
    /** Whether there are no stray bytes, or only the line's own. */
    isUsual(stray: Buffer): boolean {
      if (stray.length === 0) return true;
      const text = stray.toString('latin1');
      return strays.filter((one) => one === text).length >= minTimes;
    },
  };
};
