import type { ClockReading } from '../core/entry.ts';
import type { RecordedPast } from '../core/replay.ts';
import type { WallClock } from '../core/wall-clock.ts';

/** The last process, as far as the disk shows it. */
export interface LastUse {
  /** How many numbers it can have used that the disk does not show. */
  readonly maxUsed: number;
  /** It may have continued in memory. */
  readonly wentOn: boolean;
  /** There was no power cut since. */
  readonly isOfThisBoot: boolean;
}

/** Ten samples a second at the highest rate of a machine map, and events. */
const maxEntriesPerSecond = 20;
/** No roast lasts longer. */
const maxAwayMs = 3_600_000;
/** Entries of the last moments before a kill, and the time for which a computer slept. */
const spareMs = 60_000;
/** A wall clock that differs by more was not set. */
const maxWallMs = 366 * 86_400_000;

/**
 * The most entries that a process can have created since the last one on the disk. After a power cut the wall clocks
 * count too: a later start must not get the numbers of an earlier one that the card has forgotten.
 */
const maxEntriesSince = ({ entries }: RecordedPast, clock: WallClock): number => {
  const last = entries.at(-1);
  const now = clock.now();
  const usedUntil = last && clock.at(last.context.boot, last.mono).t;
  const wallMs = usedUntil === undefined ? 0 : Math.min(Math.max(0, now.wall - usedUntil), maxWallMs);
  const sinceMs =
    last?.context.boot === now.boot ? Math.min(Math.max(0, now.mono - last.mono), maxAwayMs) : maxAwayMs + wallMs;
  return Math.ceil(((sinceMs + spareMs) / 1000) * maxEntriesPerSecond);
};

/**
 * Whether a roast ran when the disk was last written, so long ago that the process may have continued in memory since.
 */
const mayHaveGoneOn = ({ state, entries }: RecordedPast, now: ClockReading, graceMs: number): boolean => {
  const last = entries.at(-1);
  if (last === undefined) return false;
  const roast = entries.findLast((entry) => entry.kind === 'event' && entry.event.type === 'roast');
  const isStateNewer = state !== undefined && state.tracker.seq > (roast?.seq ?? -1);
  const ran = isStateNewer
    ? state.tracker.running !== null
    : roast?.kind === 'event' && roast.event.type === 'roast' && roast.event.state === 'in_progress';
  return ran && (last.context.boot !== now.boot || now.mono - last.mono >= graceMs);
};

/** @param isNew whether there is no stream yet whose numbers could be used twice */
export const lastUseOf = (past: RecordedPast, clock: WallClock, graceMs: number, isNew: boolean): LastUse => {
  const now = clock.now();
  return {
    maxUsed: isNew ? 0 : maxEntriesSince(past, clock),
    wentOn: mayHaveGoneOn(past, now, graceMs),
    isOfThisBoot: past.entries.at(-1)?.context.boot === now.boot,
  };
};
