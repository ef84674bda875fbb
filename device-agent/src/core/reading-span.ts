/** Spans that the usual one is taken from. */
const kept = 15;
/** So many make a usual one; before them a reading is measured by its line alone. */
const enough = 3;
/** Whatever is usual: a sample that is dated this well, half of it off at most, is believed, ms. */
export const alwaysMs = 400;
/** A reading may take this much longer than usual, ms and times. */
const roomMs = 150;
const roomFactor = 1.25;

/**
 * Judges whether question and answer of a reading lie near enough to each other: its sample is dated at their middle, and the
 * machine may have measured at either end. What is usual for a machine is learnt, so that slow ones are read.
 * @param expectedMs what the line alone takes, where that is known
 */
export const createSpanJudge = (expectedMs: number) => {
  const spans: number[] = [];
  const usualMs = (): number => {
    // The quicker ones: a processor that is starved for a while makes no slow machine.
    const usual = spans.toSorted((a, b) => a - b)[Math.floor((spans.length - 1) / 4)];
    return spans.length < enough ? expectedMs : (usual ?? expectedMs);
  };
  const limitMs = (): number => Math.max(alwaysMs, roomMs + roomFactor * usualMs());
  return {
    /** How long most readings of this machine take, ms. */
    usualMs,
    /** Whether a reading that took so long is believed. */
    accepts(spanMs: number): boolean {
      spans.push(spanMs);
      if (spans.length > kept) spans.shift();
      return spanMs <= limitMs();
    },
  };
};
