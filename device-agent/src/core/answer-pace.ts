/** Answers that the pace is judged by. */
const kept = 16;
/** So many answers make a pace; before them the usual time of this unit is unknown. */
const enough = 4;
/** The map's deadline suffices where it leaves this much room above the usual. */
const enoughRoom = 1.5;
/** Else an answer may take so much longer than most. */
const roomFactor = 2;
const roomMs = 100;

export interface AnswerPace {
  /** An answer came after so many ms, in time or late. */
  took(ms: number): void;
  /** Whether enough answers came to rely on it. */
  isKnown(): boolean;
  /** Three of four answers came within so many ms; undefined before the first. */
  usualMs(): number | undefined;
  /** How quick this unit can be: the second quickest of its recent answers, ms; undefined before enough came. */
  quickestMs(): number | undefined;
  /** How long to wait for an answer, ms. */
  deadlineMs(): number;
}

/**
 * How long a unit takes to answer. The deadline is the map's as long as that suffices; a unit that usually takes longer gets
 * twice its usual time, up to `longestMs`. Three of four answers decide, so that a few late ones among many quick ones stay
 * late: their values belong to another moment.
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
