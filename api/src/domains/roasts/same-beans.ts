/**
 * Which roasts of a board are the beans of a roast that a person made.
 *
 * A board keeps its own view of a roast: its detector may report a charge or a drop late, replay events, or begin its
 * own roast on a range that a person has claimed. The rules, in the order in which they apply:
 *
 * 1. Discarded stays discarded. Later reports about a discarded, deleted or merged roast are stored as entries but
 *    create no roast, however late or often they arrive.
 * 2. A roast whose charge or drop a person has set, or that a person has split or merged, is theirs: no rule removes
 *    it.
 * 3. A roast made by hand includes a board's roast when both are of the same beans. The board's roast is then no
 *    separate roast; its marks count for the roast made by hand, below the entries of persons. Same beans means that
 *    the board's charge (or, without one, the beginning of its roast) lies
 *    - at most 3 minutes before the charge by hand (a person reacts late), unless the board's roast had dropped by
 *      then;
 *    - before the drop by hand, before the next roast made by hand, and
 *    - without a drop by hand: at most 6 minutes after the charge by hand. A charge after that is the next batch.
 *    Without a drop by hand the first final drop among the included marks ends the roast; without any, it is aborted
 *    as soon as the board charges the next batch, until a person sets its drop.
 * 4. Of several included roasts of boards, the one that began first and has an entry about a kind of mark counts for
 *    it. A mark of a board before a charge by hand, or after a drop by hand, belongs to other beans and does not
 *    count.
 * 5. A board's roast whose charge it withdrew, and that began between charge and drop of a completed roast of the same
 *    board, is part of that one: the board found at the drop that the charge had been one. If a person has set charge
 *    or drop of the former, the latter is part of it.
 *
 * The result is a function of the entries that have arrived, not of their order: shuffled, repeated or late entries
 * give the same roasts.
 */

const earliestBeforeMs = 3 * 60_000;
const latestAfterMs = 6 * 60_000;

/** A roast made by hand; wall times, ms. */
export interface HandMadeRoast {
  readonly chargeMs: number;
  /** Set by a person. */
  readonly dropMs: number | null;
  /** Charge of the next roast made by hand. */
  readonly nextChargeMs: number | null;
}

/** A board's report of one of its roasts; wall times, ms. */
export interface BoardRoast {
  readonly id: string;
  readonly beginMs: number;
  readonly chargeMs: number | null;
  /** Not provisional. */
  readonly dropMs: number | null;
}

/** The ids of the board's roasts that are of the same beans, in order: rule 3. */
export const sameBeans = (roast: HandMadeRoast, boardRoasts: readonly BoardRoast[]): string[] => {
  const timed = boardRoasts
    .map((one) => ({ ...one, atMs: one.chargeMs ?? one.beginMs }))
    .sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
  let endMs = Math.min(roast.dropMs ?? Infinity, roast.nextChargeMs ?? Infinity);
  const merged: string[] = [];
  for (const { id, atMs, chargeMs, dropMs } of timed) {
    if (atMs < roast.chargeMs - earliestBeforeMs || atMs >= endMs) continue;
    if (dropMs !== null && dropMs <= roast.chargeMs) continue;
    if (roast.dropMs === null && chargeMs !== null && atMs > roast.chargeMs + latestAfterMs) break;
    merged.push(id);
    if (roast.dropMs === null && dropMs !== null) endMs = Math.min(endMs, dropMs);
  }
  return merged;
};
