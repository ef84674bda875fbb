import { RangeSet, type SeqRange } from './ranges.ts';

export interface SendPlanLimits {
  /** Entries in one batch. */
  readonly maxEntries: number;
  /** Batches that may wait for their acknowledgement at the same time. */
  readonly window: number;
  /** Slots of the window that backlog leaves to new entries. */
  readonly reserved: number;
  /** A batch without an acknowledgement is sent again after this long. */
  readonly resendMs: number;
}

interface InFlight {
  readonly from: number;
  readonly to: number;
  readonly sentAt: number;
}

/** Window while nothing is acknowledged: enough to notice that the server is back, without flooding it. */
const probeWindow = 2;
/**
 * What was sent again is overdue sooner, then after twice as long each time, up to the usual limit: when an api ends, the first
 * repeat may come just before another one reads from this board.
 */
const probeMs = 3000;
/** What was sent first to one of several brokers: where a broker and an api ended together, another api may not yet read there. */
const unprovenMs = 6000;
/**
 * How long a batch may be in flight.
 * @param timesOverdue since the last acknowledgement
 * @param isUnproven whether this is one of several brokers, and has brought no acknowledgement over this connection
 */
export const overdueAfterMs = (resendMs: number, timesOverdue: number, isUnproven: boolean): number => {
  if (timesOverdue > 0) return Math.min(resendMs, probeMs * 2 ** (timesOverdue - 1));
  return isUnproven ? Math.min(resendMs, unprovenMs) : resendMs;
};

/**
 * Decides which entries are sent next. New entries first, so that a backlog of days never delays them; then the backlog
 * from its newest end, because people wait for the running roast. Only an application acknowledgement completes an
 * entry: lost and overdue batches become waiting again.
 */
export const createSendPlan = (limits: SendPlanLimits) => {
  const waiting = new RangeSet();
  let inFlight: InFlight[] = [];
  let freshFrom = 0;
  let allowed = Math.min(8, limits.window);
  /** How often batches were overdue since the last acknowledgement. */
  let timesOverdue = 0;
  let isUnproven = false;

  const takeBack = (batches: readonly InFlight[]): void => {
    for (const { from, to } of batches) waiting.add(from, to);
  };

  return {
    /** Entries that are on disk and not acknowledged. */
    offer(ranges: Iterable<SeqRange>): void {
      for (const [from, to] of ranges) waiting.add(from, to);
    },

    /** Entries that can never be read again (dropped, damaged). */
    forget(from: number, to: number): void {
      waiting.remove(from, to);
    },

    /** A connection begins: everything up to now is backlog, nothing is in flight. */
    connected(isOneOfSeveral = false): void {
      takeBack(inFlight);
      inFlight = [];
      freshFrom = (waiting.last()?.[1] ?? -1) + 1;
      allowed = Math.min(8, limits.window);
      timesOverdue = 0;
      isUnproven = isOneOfSeveral;
    },

    /** The range to read and send next, or undefined while the window is full or nothing waits. */
    next(): { from: number; to: number; backlog: boolean } | undefined {
      const last = waiting.last();
      if (!last || inFlight.length >= allowed) return undefined;
      const fresh = waiting.within(freshFrom, Number.MAX_SAFE_INTEGER)[0];
      if (fresh) return { from: fresh[0], to: Math.min(fresh[1], fresh[0] + limits.maxEntries - 1), backlog: false };
      if (inFlight.length >= Math.max(1, allowed - limits.reserved)) return undefined;
      return { from: Math.max(last[0], last[1] - limits.maxEntries + 1), to: last[1], backlog: true };
    },

    sent(from: number, to: number, now: number): void {
      waiting.remove(from, to);
      inFlight.push({ from, to, sentAt: now });
    },

    acknowledged(ranges: readonly SeqRange[]): void {
      const done = new RangeSet(ranges);
      for (const [from, to] of ranges) waiting.remove(from, to);
      let answered = false;
      inFlight = inFlight.flatMap((batch) => {
        const committed = done.within(batch.from, batch.to);
        if (committed.length === 0) return batch;
        answered = true;
        const rest = new RangeSet([[batch.from, batch.to]]);
        for (const [from, to] of committed) rest.remove(from, to);
        return rest.ranges().map(([from, to]) => ({ from, to, sentAt: batch.sentAt }));
      });
      if (!answered) return;
      allowed = Math.min(limits.window, allowed * 2);
      timesOverdue = 0;
      isUnproven = false;
    },

    /**
     * When an acknowledgement is overdue, returns all batches in flight to the queue; returns how many. Those behind the overdue one
     * were probably lost with it, and would fill the small window until each is overdue itself.
     */
    takeOverdue(now: number): number {
      const taken = inFlight;
      const overdueMs = overdueAfterMs(limits.resendMs, timesOverdue, isUnproven);
      if (!taken.some((batch) => now - batch.sentAt >= overdueMs)) return 0;
      timesOverdue += 1;
      inFlight = [];
      takeBack(taken);
      allowed = Math.min(probeWindow, limits.window);
      return taken.length;
    },

    /** Entries not yet acknowledged. */
    outstanding(): number {
      return waiting.count() + inFlight.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    },
    inFlightCount: (): number => inFlight.length,
    /** When the oldest batch in flight was sent; infinite where there is none. */
    oldestSentAt: (): number => Math.min(...inFlight.map(({ sentAt }) => sentAt)),
  };
};
