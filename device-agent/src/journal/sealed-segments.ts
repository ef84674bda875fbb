import { dirname, join } from 'node:path';
import type { Clock } from '@roastery/runtime/clock';
import { isMissing } from '../atomic-file.ts';
import type { ClockReading, Entry } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import { readInBlocks, type JournalDisk } from './disk.ts';
import { readSegment, sealedName, type SealedSegment } from './segment.ts';

export interface SealedSegmentsParts {
  readonly disk: JournalDisk;
  readonly time: Clock;
  /** Oldest first. */
  readonly sealed: readonly SealedSegment[];
  readonly learn: (reading: ClockReading) => void;
  /** Entries that turned out to be unreadable for good. */
  readonly damaged: (segment: SealedSegment, holes: readonly SeqRange[]) => void;
}

/** A failing disk may answer later; one that failed this often and for this long has lost its unreadable data. */
const readTries = 4;
const readTriesMs = 20_000;

/** Whether the name gives all numbers, also for a segment that a start could not rename. */
const closedPath = ({ path, first, last, content }: SealedSegment): string =>
  join(dirname(path), sealedName(first, last, content));

/** The closed segments of a stream. */
export const createSealedSegments = ({ disk, time, sealed: initial, learn, damaged }: SealedSegmentsParts) => {
  const sealed = [...initial];
  const failed = new Map<string, { tries: number; since: number }>();
  let cached: { path: string; entries: readonly Entry[] } | undefined;

  const readBytes = async (path: string): Promise<Buffer> => {
    try {
      const bytes = await disk.readFile(path);
      failed.delete(path);
      return bytes;
    } catch (error) {
      if (isMissing(error)) return Buffer.alloc(0);
      const { tries, since } = failed.get(path) ?? { tries: 0, since: time.monotonic() };
      failed.set(path, { tries: tries + 1, since });
      if (tries + 1 < readTries || time.monotonic() - since < readTriesMs) throw error;
      return readInBlocks(disk, path);
    }
  };

  /** False if the disk refuses it. */
  const empty = async (path: string, closed: string): Promise<boolean> => {
    try {
      if (path !== closed) await disk.rename(path, closed);
      await disk.truncate(closed, 0);
      return true;
    } catch {
      return false;
    }
  };

  return {
    list: (): readonly SealedSegment[] => sealed,
    /** The newest segment is usually read next: it is kept in memory, also for when the disk fails. */
    add(segment: SealedSegment, entries: readonly Entry[]): void {
      sealed.push(segment);
      cached = { path: segment.path, entries };
    },
    holding: (seq: number): SealedSegment | undefined => sealed.find(({ first, last }) => first <= seq && last >= seq),
    bytes: (): number => sealed.reduce((sum, { bytes }) => sum + bytes, 0),

    /**
     * Entries of a segment; entries in its name that are missing in its bytes are reported. Throws while it can't be
     * read.
     */
    async read(segment: SealedSegment): Promise<readonly Entry[]> {
      if (cached?.path === segment.path) return cached.entries;
      const { entries, clocks, missing } = readSegment(await readBytes(segment.path), segment);
      for (const reading of clocks) learn(reading);
      if (missing.length > 0) damaged(segment, missing);
      cached = { path: segment.path, entries };
      return entries;
    },

    /**
     * A segment leaves the list only when its file is gone. With `keepName` the empty file stays: it frees the room,
     * and its name tells a later start which numbers were dropped.
     */
    async remove(segment: SealedSegment, keepName: boolean): Promise<void> {
      const closed = closedPath(segment);
      if (!keepName || !(await empty(segment.path, closed)))
        for (const path of new Set([segment.path, closed])) await disk.rm(path, { force: true });
      const index = sealed.indexOf(segment);
      if (index >= 0) sealed.splice(index, 1);
      if (cached?.path === segment.path) cached = undefined;
    },
  };
};
export type SealedSegments = ReturnType<typeof createSealedSegments>;
