import type { Entry } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';

/** Entries that a stream keeps in memory while the disk refuses writes: four hours at 1 Hz, an hour at 4 Hz. */
export const maxEntriesInMemory = 14_400;

/**
 * The newest entries of a stream without a disk. They are sent from memory. While they are moved to a disk that works
 * again, new entries are held back: they may be sent when they are on that disk too.
 */
export const createMemoryTail = (initial: readonly Entry[]) => {
  let entries = [...initial];
  let heldFrom = Infinity;
  return {
    kind: 'memory' as const,
    entries: (): readonly Entry[] => entries,
    unsynced: (): SeqRange[] =>
      new RangeSet(entries.flatMap(({ seq }) => (seq >= heldFrom ? [[seq, seq]] : []))).ranges(),
    bytes: (): number => 0,
    /** Returns the entries that were dropped for lack of room: the oldest samples first, events last. */
    append(entry: Entry): SeqRange[] {
      entries.push(entry);
      if (entries.length <= maxEntriesInMemory) return [];
      const sample = entries.findIndex(({ kind }) => kind === 'sample');
      const [gone] = entries.splice(Math.max(0, sample), 1);
      return gone ? [[gone.seq, gone.seq]] : [];
    },
    settled(done: RangeSet): void {
      if (entries.some(({ seq }) => done.has(seq))) entries = entries.filter(({ seq }) => !done.has(seq));
    },
    isHolding: (): boolean => heldFrom !== Infinity,
    /** From now on appended entries wait. Returns the present ones. */
    hold(nextSeq: number): readonly Entry[] {
      heldFrom = nextSeq;
      return [...entries];
    },
    heldBack: (): readonly Entry[] => entries.filter(({ seq }) => seq >= heldFrom),
    /** Discards the waiting entries, which continue in another stream. */
    takeHeldBack(): readonly Entry[] {
      const held = entries.filter(({ seq }) => seq >= heldFrom);
      entries = entries.filter(({ seq }) => seq < heldFrom);
      heldFrom = Infinity;
      return held;
    },
    /** The waiting entries may be sent. */
    release(): SeqRange[] {
      const ranges = new RangeSet(entries.flatMap(({ seq }) => (seq >= heldFrom ? [[seq, seq]] : []))).ranges();
      heldFrom = Infinity;
      return ranges;
    },
  };
};
export type MemoryTail = ReturnType<typeof createMemoryTail>;
