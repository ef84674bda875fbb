import { readFile, rm } from 'node:fs/promises';
import type { JournalEvent } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { isMissing } from '../atomic-file.ts';
import type { Entry } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import type { WallClock } from '../core/wall-clock.ts';
import { chooseVictim, freeable } from './retention.ts';
import { readSegment, type SealedSegment } from './segment.ts';

export interface ShelfParts {
  /** Oldest first. */
  readonly sealed: readonly SealedSegment[];
  readonly acked: RangeSet;
  readonly clock: WallClock;
  readonly log: Logger;
  /** Entries that turned out to be unreadable; told once. */
  readonly damaged: (from: number, to: number) => void;
}

const readBytes = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0);
    throw error;
  }
};

/** The closed segments on disk: reading, freeing, and dropping when there is no room. */
export const createShelf = ({ sealed: initial, acked, clock, log, damaged }: ShelfParts) => {
  const sealed = [...initial];
  const reported = new RangeSet();
  let cached: { path: string; entries: readonly Entry[] } | undefined;

  const remove = async (segment: SealedSegment): Promise<void> => {
    const index = sealed.indexOf(segment);
    if (index >= 0) sealed.splice(index, 1);
    if (cached?.path === segment.path) cached = undefined;
    await rm(segment.path, { force: true });
  };

  const reportOnce = (from: number, to: number): void => {
    if (reported.covers(from, to) || acked.covers(from, to)) return;
    reported.add(from, to);
    damaged(from, to);
  };

  /** Entries of a segment; what its name promises and its bytes don't hold is reported. */
  const read = async (segment: SealedSegment): Promise<readonly Entry[]> => {
    if (cached?.path === segment.path) return cached.entries;
    const { entries, clocks, missing } = readSegment(await readBytes(segment.path));
    for (const reading of clocks) clock.learn(reading);
    const end = entries.at(-1)?.seq ?? segment.first - 1;
    const holes = [...missing];
    if (end < segment.last) holes.push([end + 1, segment.last]);
    for (const [from, to] of holes) {
      log.warn({ segment: segment.path, from, to }, 'journal: entries are damaged');
      reportOnce(from, to);
    }
    cached = { path: segment.path, entries };
    return entries;
  };

  return {
    read,
    reportOnce,
    add: (segment: SealedSegment): unknown => sealed.push(segment),
    holding: (seq: number): SealedSegment | undefined => sealed.find(({ first, last }) => first <= seq && last >= seq),
    bytes: (): number => sealed.reduce((sum, { bytes }) => sum + bytes, 0),
    /** Entries that can be read and are not committed. */
    waiting(): RangeSet {
      const ranges = new RangeSet(sealed.map(({ first, last }) => [first, last] as const));
      for (const [from, to] of [...acked.ranges(), ...reported.ranges()]) ranges.remove(from, to);
      return ranges;
    },
    lowest: (): number | undefined => sealed[0]?.first,

    /** Frees what the server has committed. */
    async free(): Promise<void> {
      for (const segment of freeable(sealed, acked)) await remove(segment);
    },

    /**
     * Lets the least precious segment go. Answers what the server will now never get, and what the segment itself had to
     * say about earlier losses, which has to be said again; undefined when nothing is left to drop.
     */
    async drop(): Promise<{ lost: SeqRange[]; gaps: JournalEvent[] } | undefined> {
      const victim = chooseVictim(sealed);
      if (!victim) return undefined;
      const lost = new RangeSet([[victim.first, victim.last]]);
      for (const [from, to] of acked.within(victim.first, victim.last)) lost.remove(from, to);
      const entries = lost.count() > 0 ? await read(victim) : [];
      await remove(victim);
      const gaps = entries.flatMap((entry) =>
        entry.kind === 'event' && entry.event.type === 'gap' && lost.has(entry.seq) ? [entry.event] : [],
      );
      return { lost: lost.ranges(), gaps };
    },
  };
};
export type Shelf = ReturnType<typeof createShelf>;
