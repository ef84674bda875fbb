import { join } from 'node:path';
import type { Logger } from '@roastery/runtime/logger';
import type { Entry, RecordingContext } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import type { JournalDisk } from './disk.ts';
import { encodeRecord, type JournalRecord } from './record.ts';
import { SegmentFile } from './segment-file.ts';
import { holdsRoast, openName, sealedName, type SealedSegment } from './segment.ts';

export interface SegmentParts {
  readonly disk: JournalDisk;
  readonly folder: string;
  readonly log: Logger;
  /** Whether a roast runs: a segment that begins now holds part of it. */
  readonly roastRuns: () => boolean;
  /**
   * The beginning of every segment, so that it can be read alone; `unwritten` are entries that are in no segment yet.
   */
  readonly head: (first: number, context: RecordingContext, unwritten: readonly Entry[]) => JournalRecord[];
  readonly sealed: (segment: SealedSegment, entries: readonly Entry[]) => Promise<void>;
}

/** The segment being written, and what is in it. */
export interface OpenSegment {
  readonly file: SegmentFile;
  readonly first: number;
  readonly context: RecordingContext;
  readonly entries: Entry[];
  /** It holds part of a roast. */
  roast: boolean;
}

/** The written form of an entry. */
export const recordOf = (entry: Entry): JournalRecord =>
  entry.kind === 'sample'
    ? { k: 's', q: entry.seq, m: entry.mono, v: entry.values }
    : { k: 'e', q: entry.seq, m: entry.mono, e: entry.event };
export const encodeAll = (records: readonly JournalRecord[]): Buffer => Buffer.concat(records.map(encodeRecord));

/** A segment has one context, so that damage can't hide a change of it. */
export const openSegment = async (
  parts: SegmentParts,
  first: number,
  context: RecordingContext,
  entries: readonly Entry[] = [],
  unwritten: readonly Entry[] = [],
): Promise<OpenSegment> => {
  const content = encodeAll([...parts.head(first, context, unwritten), ...entries.map(recordOf)]);
  const file = await SegmentFile.create(parts.disk, join(parts.folder, openName(first)), content);
  return { file, first, context, entries: [...entries], roast: parts.roastRuns() || holdsRoast(entries) };
};

/** The segment's context again, in case the head is damaged. */
export const contextRecordOf = ({ first, context }: OpenSegment): JournalRecord => ({
  k: 'context',
  of: first,
  ...context,
});

/** What a segment with this last entry will be as a closed one. */
export const sealedFormOf = ({ folder }: SegmentParts, { first, roast }: OpenSegment, last: number) => {
  const content = roast ? ('roast' as const) : ('idle' as const);
  return { path: join(folder, sealedName(first, last, content)), first, last, content };
};

/** The rest of a writer after the disk has failed. */
export interface GivenUp {
  /** Entries that are not safe on the disk, and those of the open segment that stay with it. */
  readonly unsafe: readonly Entry[];
  readonly safe: readonly Entry[];
  /**
   * Of those that stay: gathered long before the disk failed and not synced. They are safe when the segment is closed.
   */
  readonly gathered: readonly SeqRange[];
  readonly settle: () => Promise<boolean>;
}

/**
 * Entries that were written this long before the disk failed stay with their segment: entries that continue in another
 * stream may also be found in the file of this one after a kill, and would be stored twice.
 */
const idleUnsyncedMs = 3000;

/** Closes a given-up segment with its safe entries; false if the disk does not allow it now. */
const settle = async (
  parts: SegmentParts,
  left: OpenSegment,
  safe: readonly Entry[],
  gathered: RangeSet,
): Promise<boolean> => {
  let { file } = left;
  try {
    // Gathered entries are only in the part that would be cut: the file is replaced as a whole, or stays as it is.
    if (gathered.first() === undefined) await file.cutUnsynced();
    const last = safe.at(-1)?.seq;
    if (last === undefined) {
      await parts.disk.rm(file.path, { force: true });
      await file.close();
      return true;
    }
    if (gathered.first()) {
      ({ file } = await openSegment(parts, left.first, left.context, safe));
      await left.file.close().catch(() => undefined);
    }
    const sealed = sealedFormOf(parts, left, last);
    await file.closeAs(sealed.path);
    await parts.sealed({ ...sealed, bytes: file.size }, safe);
    return true;
  } catch (error) {
    parts.log.warn({ reason: String(error) }, 'journal: closing segment failed');
    return false;
  }
};

/**
 * Leaves a segment whose disk failed: its entries that are not safe, and those that stay. `settle` closes the segment with
 * these; false if the disk does not allow it now.
 */
export const leaveSegment = (parts: SegmentParts, left: OpenSegment, unsynced: readonly SeqRange[]): GivenUp => {
  const lost = new RangeSet(unsynced);
  const newestMono = left.entries.at(-1)?.mono ?? 0;
  const gathered = new RangeSet();
  for (const { seq, mono } of left.entries) {
    if (!lost.has(seq) || newestMono - mono <= idleUnsyncedMs) continue;
    gathered.add(seq, seq);
    lost.remove(seq, seq);
  }
  const unsafe = left.entries.filter(({ seq }) => lost.has(seq));
  const safe = left.entries.filter(({ seq }) => !lost.has(seq));
  return { unsafe, safe, gathered: gathered.ranges(), settle: () => settle(parts, left, safe, gathered) };
};
