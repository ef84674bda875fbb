/** Number of answers that the pace is computed from. */
const kept = 16;
/** With fewer answers the usual time of this unit is unknown. */
const enough = 4;
/** The map's deadline is used where it leaves this much room above the usual time. */
const enoughRoom = 1.5;
/** Otherwise an answer may take this much longer than most. */
const roomFactor = 2;
const roomMs = 100;

export interface AnswerPace {
  /** An answer arrived after this many ms, in time or late. */
  took(ms: number): void;
  /** Whether there are enough answers to rely on it. */
  isKnown(): boolean;
  /** Three in four answers arrived within this many ms; undefined before the first. */
  usualMs(): number | undefined;
  /** The fastest time of this unit: the second quickest of its recent answers, ms; undefined with too few answers. */
  quickestMs(): number | undefined;
  /** How long to wait for an answer, ms. */
  deadlineMs(): number;
}

/**
 * Measures how long a unit takes to answer. The deadline is the map's as long as that suffices; a unit that usually
 * takes longer gets twice its usual time, up to `longestMs`. Three in four answers decide, so that a few late ones
 * among many quick ones stay late: their values belong to another time.
 */
export const createAnswerPace = (timeoutMs: number, longestMs: number): AnswerPace => {
  const times: number[] = [];
  let usual: number | undefined;
  return {
    took(ms) {
      times.push(ms);
      if (times.length > kept) times.shift();
      usual = times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.75)];
    },
    isKnown: () => times.length >= enough,
    usualMs: () => usual,
    quickestMs: () => (times.length < enough ? undefined : times.toSorted((a, b) => a - b)[1]),
    deadlineMs: () =>
      usual === undefined || usual * enoughRoom <= timeoutMs
        ? timeoutMs
        : Math.max(timeoutMs, Math.min(longestMs, roomFactor * usual + roomMs)),
  };
};
