/** Questions that the line's noise is judged by, and how many of them must have had the same. */
const kept = 16;
const minTimes = 2;

/**
 * Bytes that come with answers again and again, alike each time: an adapter that hears its own question, or a driver that
 * adds a byte when it is switched on. They say nothing about an answer; other bytes may be what is left of one.
 */
export const createLineNoise = () => {
  const heard: string[] = [];
  return {
    /** Stray bytes came with an answer. */
    heard(stray: Buffer): void {
      heard.push(stray.toString('latin1'));
      if (heard.length > kept) heard.shift();
    },
    /** Whether these stray bytes are none, or the line's own. */
    isUsual(stray: Buffer): boolean {
      if (stray.length === 0) return true;
      const text = stray.toString('latin1');
      return heard.filter((one) => one === text).length >= minTimes;
    },
  };
};
