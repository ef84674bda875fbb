/** How often a process that has its turn notices that, ms. */
const beatMs = 50;

/** Watches whether this process gets its turns. Returns what ends it and says how long the longest wait was, ms. */
export const watchForStalls = (): (() => number) => {
  let beatAt = performance.now();
  let longestMs = 0;
  const beat = (): void => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - beatAt - beatMs);
    beatAt = now;
  };
  const timer = setInterval(beat, beatMs);
  return () => {
    clearInterval(timer);
    beat();
    return longestMs;
  };
};
