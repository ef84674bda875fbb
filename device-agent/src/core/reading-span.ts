/** Number of durations that the usual one is computed from. */
const kept = 15;
/** With fewer durations a reading is compared with its line's time only. */
const enough = 3;
/** A sample with this much uncertainty in its time, at most half of it either way, is always accepted, ms. */
export const alwaysMs = 400;
/** A reading may take this much longer than usual, ms and factor. */
const roomMs = 150;
const roomFactor = 1.25;

/**
 * Decides whether request and answer of a reading are close enough together: its sample is dated at their middle, and
 * the machine may have measured at either end. The usual duration is learnt, so that slow machines are read. @param
 * expectedMs the time of the line alone, where it is known
 */
export const createSpanJudge = (expectedMs: number) => {
  const spans: number[] = [];
  const usualMs = (): number => {
    // The quicker ones count: a process that was not scheduled for some time does not make the machine slow.
    const usual = spans.toSorted((a, b) => a - b)[Math.floor((spans.length - 1) / 4)];
    return spans.length < enough ? expectedMs : (usual ?? expectedMs);
  };
  const limitMs = (): number => Math.max(alwaysMs, roomMs + roomFactor * usualMs());
  return {
    /** How long most readings of this machine take, ms. */
    usualMs,
    /** Whether a reading of this duration is accepted. */
    accepts(spanMs: number): boolean {
      spans.push(spanMs);
      if (spans.length > kept) spans.shift();
      return spanMs <= limitMs();
    },
  };
};
