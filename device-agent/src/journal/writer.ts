import { join } from 'node:path';
import { pause } from '@roastery/runtime/backoff';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { Entry, RecordingContext } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import { isFull, type JournalDisk } from './disk.ts';
import { encodeRecord, type JournalRecord } from './record.ts';
import { holdsRoast, isSameContext, openName, sealedName, type SealedSegment } from './segment.ts';
import { SegmentFile } from './segment-file.ts';

export interface WriterParts {
  readonly disk: JournalDisk;
  readonly folder: string;
  readonly segmentBytes: number;
  readonly log: Logger;
  readonly time: Clock;
  readonly nextSeq: () => number;
  /** The context of the next entries. */
  readonly context: () => RecordingContext;
  /** Whether a roast runs: a segment that begins now holds part of it. */
  readonly roastRuns: () => boolean;
  /**
   * The beginning of every segment, so that it can be read alone; `unwritten` are entries that are in no segment yet.
   */
  readonly head: (first: number, context: RecordingContext, unwritten: readonly Entry[]) => JournalRecord[];
  readonly sealed: (segment: SealedSegment, entries: readonly Entry[]) => Promise<void>;
  /** Entries that survive a power cut from now on. */
  readonly durable: (ranges: readonly SeqRange[]) => void;
  /** Creates the journal's folder again, if it was deleted. */
  readonly makeFolder: () => Promise<void>;
  /** Makes room on a full disk; false when there is nothing left to drop. */
  readonly freeSpace: () => Promise<boolean>;
  /** The disk has refused writes for `graceMs`: entries must continue in memory. */
  readonly gaveUp: () => void;
  /** How long the disk may refuse. */
  readonly graceMs: number;
  /** The first number that it will receive. */
  readonly first: number;
  /** Known entries that come first. */
  readonly initial: readonly Entry[];
}

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

interface Queued {
  readonly record: JournalRecord;
  readonly entry: Entry | undefined;
}

/**
 * Entries that were written this long before the disk failed stay with their segment: entries that continue in another
 * stream may also be found in the file of this one after a kill, and would be stored twice.
 */
const idleUnsyncedMs = 3000;
const recordsPerWrite = 200;
const retryMs = 1000;

/** The written form of an entry. */
export const recordOf = (entry: Entry): JournalRecord =>
  entry.kind === 'sample'
    ? { k: 's', q: entry.seq, m: entry.mono, v: entry.values }
    : { k: 'e', q: entry.seq, m: entry.mono, e: entry.event };
const encodeAll = (records: readonly JournalRecord[]): Buffer => Buffer.concat(records.map(encodeRecord));

/** A segment has one context, so that damage can't hide a change of it. */
const openSegment = async (
  parts: WriterParts,
  first: number,
  context: RecordingContext,
  entries: readonly Entry[] = [],
  queue: readonly Queued[] = [],
) => {
  const unwritten = queue.flatMap(({ entry }) => entry ?? []);
  const content = encodeAll([...parts.head(first, context, unwritten), ...entries.map(recordOf)]);
  const file = await SegmentFile.create(parts.disk, join(parts.folder, openName(first)), content);
  return { file, first, context, entries: [...entries], roast: parts.roastRuns() || holdsRoast(entries) };
};

/**
 * Writes records in order, independent of the readings: a card that stalls for a second delays no reading. While the
 * disk refuses writes, records wait in memory. The writer retries every second and gives up after `graceMs`. Throws
 * when the first segment can't be created.
 */
export const createWriter = async (parts: WriterParts) => {
  const { log, time } = parts;
  let active = await openSegment(parts, parts.first, parts.initial[0]?.context ?? parts.context());
  let queue: Queued[] = parts.initial.map((entry) => ({ record: recordOf(entry), entry }));
  const unsynced = new RangeSet();
  /** Entries that have been reported already. */
  const announced = new RangeSet(parts.initial.map(({ seq }) => [seq, seq] as const));
  let syncWanted = false;
  let rollWanted = false;
  let closing = false;
  let stopped = false;
  /** The kernel may have discarded written pages, so the file is not reliable. */
  let doubtful = false;
  let trouble: { readonly reason: string; readonly full: boolean; readonly since: number } | undefined;
  let progressAt = time.monotonic();
  let flushes: (() => void)[] = [];
  const stopping = new AbortController();

  const settleFlushes = (): void => {
    const waiting = flushes;
    flushes = [];
    for (const settle of waiting) settle();
  };

  /** The context again, in case the head is damaged. */
  const contextRecord = (): JournalRecord => ({ k: 'context', of: active.first, ...active.context });

  /** Writes the segment from memory into another file, which then replaces it. */
  const writeAnew = async (why: string): Promise<void> => {
    const { file, first, context, entries, roast } = active;
    log.error({ path: file.path, why }, 'journal: segment rewritten');
    await parts.makeFolder();
    const anew = await openSegment(parts, first, context, entries, queue);
    active = { ...anew, roast: anew.roast || roast };
    doubtful = false;
    await file.close().catch((error: unknown) => log.debug({ reason: String(error) }, 'journal: close failed'));
  };

  const sync = async (): Promise<void> => {
    const ranges = unsynced.ranges();
    if (!(await active.file.isThere())) await writeAnew('its file is gone');
    else if (active.file.dirty) {
      try {
        await active.file.sync();
      } catch (error) {
        doubtful = true;
        throw error;
      }
    }
    if (stopped) return;
    const fresh = new RangeSet(ranges);
    for (const [from, to] of announced.ranges()) fresh.remove(from, to);
    for (const [from, to] of ranges) {
      unsynced.remove(from, to);
      announced.remove(from, to);
    }
    const through = active.entries.findLast(({ kind }) => kind === 'sample')?.mono;
    if (ranges.length > 0 && through !== undefined) log.debug({ through }, 'journal: synced');
    if (fresh.first()) parts.durable(fresh.ranges());
  };

  /** Closes the segment and begins the next one, with the context of the next entries. */
  const roll = async (): Promise<void> => {
    const next = queue.find(({ entry }) => entry)?.entry;
    const [first, context] = [next?.seq ?? parts.nextSeq(), next?.context ?? parts.context()];
    const last = active.entries.at(-1)?.seq;
    const previous = active;
    if (last === undefined) {
      if (isSameContext(active.context, context)) return;
      active = await openSegment(parts, first, context, [], queue);
      await previous.file.close();
      if (previous.file.path !== active.file.path) await parts.disk.rm(previous.file.path, { force: true });
      return;
    }
    await active.file.append(encodeRecord(contextRecord()));
    await sync();
    const begun = await openSegment(parts, first, context, [], queue);
    const content = previous.roast ? 'roast' : 'idle';
    const path = join(parts.folder, sealedName(previous.first, last, content));
    try {
      await active.file.closeAs(path);
    } catch (error) {
      await begun.file.close();
      throw error;
    }
    const { size } = active.file;
    active = begun;
    await parts.sealed({ path, first: previous.first, last, content, bytes: size }, previous.entries);
  };

  const isOther = ({ entry }: Queued): boolean => entry !== undefined && !isSameContext(entry.context, active.context);

  const write = async (): Promise<void> => {
    const next = queue.find(({ entry }) => entry !== undefined);
    if (next && isOther(next)) await roll();
    const border = queue.findIndex(isOther);
    const batch = queue.slice(0, border < 0 ? recordsPerWrite : Math.min(border, recordsPerWrite));
    const records = batch.flatMap(({ record }) => (record.k === 'state' ? [record, contextRecord()] : [record]));
    await active.file.append(encodeAll(records));
    if (stopped) return;
    const written = new Set(batch);
    queue = queue.filter((item) => !written.has(item));
    const entries = batch.flatMap(({ entry }) => entry ?? []);
    active.roast ||= holdsRoast(entries);
    for (const entry of entries) {
      active.entries.push(entry);
      unsynced.add(entry.seq, entry.seq);
    }
  };

  const step = async (): Promise<void> => {
    if (doubtful) await writeAnew('the disk failed');
    if (rollWanted || active.file.size >= parts.segmentBytes) {
      await roll();
      rollWanted = false;
    }
    if (queue.length > 0) await write();
    if (queue.length === 0 && syncWanted) {
      syncWanted = false;
      try {
        await sync();
      } catch (error) {
        syncWanted = true;
        throw error;
      }
    }
  };

  const afterFailure = async (error: unknown): Promise<void> => {
    const reason = error instanceof Error ? error.message : String(error);
    const full = isFull(error);
    if (trouble === undefined) log.error({ reason }, 'journal: disk not writable');
    trouble = { reason, full, since: trouble?.since ?? time.monotonic() };
    settleFlushes();
    // Earlier writes may still be safe.
    try {
      if (!doubtful) await sync();
    } catch (failure) {
      log.debug({ reason: String(failure) }, 'journal: sync failed');
    }
    try {
      if (full && (await parts.freeSpace())) return;
    } catch (failure) {
      log.error({ err: failure }, 'journal: freeing space failed');
    }
    if (time.monotonic() - trouble.since >= parts.graceMs) return parts.gaveUp();
    await pause(Math.min(retryMs, parts.graceMs), stopping.signal, time);
  };

  const hasWork = (): boolean => !stopped && (queue.length > 0 || syncWanted || trouble !== undefined);
  let working: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (hasWork()) {
      try {
        await step();
        if (trouble !== undefined) log.info('journal: disk recovered');
        trouble = undefined;
      } catch (error) {
        if (closing || stopped) return;
        await afterFailure(error);
      }
      // An attempt counts as progress: a watchdog restart would not enlarge a full disk.
      progressAt = time.monotonic();
    }
    settleFlushes();
  };
  const kick = (): void => {
    if (stopped) return settleFlushes();
    progressAt = working ? progressAt : time.monotonic();
    working ??= work().finally(() => {
      working = undefined;
      if (!closing && hasWork()) kick();
    });
  };

  try {
    while (queue.length > 0) await step();
    await sync();
  } catch (error) {
    await active.file.close().catch(() => undefined);
    throw error;
  }

  return {
    kind: 'disk' as const,
    append(record: JournalRecord, entry?: Entry): void {
      queue.push({ record, entry });
      kick();
    },
    requestSync(): void {
      syncWanted = true;
      kick();
    },
    /** The next write begins a new segment. */
    requestRoll(): void {
      rollWanted = true;
    },
    /** Resolves when everything appended so far is synced, or the disk has refused it. */
    flush: (): Promise<void> =>
      new Promise((resolve) => {
        flushes.push(resolve);
        syncWanted = true;
        kick();
      }),
    entries: (): readonly Entry[] => active.entries,
    first: (): number => active.first,
    unsynced: (): SeqRange[] => unsynced.ranges(),
    bytes: (): number => active.file.size,
    path: (): string => active.file.path,
    dirty: (): boolean => active.file.dirty || queue.length > 0,
    /** Why the disk refuses writes, while it does. */
    trouble: () => trouble,
    /** How long there has been no progress although there should be, ms. */
    stalledMs: (): number => (working ? time.monotonic() - progressAt : 0),

    /**
     * Stops at once. Returns the entries that are not safe on the disk, and removes their written part from it, if
     * possible. `settle` closes the segment with the safe entries; false if the disk does not allow it now.
     */
    giveUp(): GivenUp {
      stopped = true;
      stopping.abort();
      settleFlushes();
      const lost = new RangeSet(unsynced.ranges());
      const newestMono = active.entries.at(-1)?.mono ?? 0;
      const gathered = new RangeSet();
      for (const { seq, mono } of active.entries) {
        if (!lost.has(seq) || newestMono - mono <= idleUnsyncedMs) continue;
        gathered.add(seq, seq);
        lost.remove(seq, seq);
      }
      const unsafe = [
        ...active.entries.filter(({ seq }) => lost.has(seq)),
        ...queue.flatMap(({ entry }) => entry ?? []),
      ];
      const safe = active.entries.filter(({ seq }) => !lost.has(seq));
      queue = [];
      const { file: left, first, context, roast } = active;
      const settle = async (): Promise<boolean> => {
        try {
          let file = left;
          // Gathered entries are only in the part that would be cut: the file is replaced as a whole, or stays as it
          // is.
          if (gathered.first() === undefined) await file.cutUnsynced();
          const last = safe.at(-1)?.seq;
          if (last === undefined) {
            await parts.disk.rm(file.path, { force: true });
            await file.close();
            return true;
          }
          if (gathered.first()) {
            ({ file } = await openSegment(parts, first, context, safe));
            await left.close().catch(() => undefined);
          }
          const content = roast ? 'roast' : 'idle';
          const path = join(parts.folder, sealedName(first, last, content));
          await file.closeAs(path);
          await parts.sealed({ path, first, last, content, bytes: file.size }, safe);
          return true;
        } catch (error) {
          log.warn({ reason: String(error) }, 'journal: closing segment failed');
          return false;
        }
      };
      return { unsafe, safe, gathered: gathered.ranges(), settle };
    },

    /** Writes and syncs the waiting records; gives up after `graceMs`. Whether all of them are on the disk. */
    async close(graceMs: number): Promise<boolean> {
      syncWanted = true;
      kick();
      closing = true;
      await Promise.race([working, pause(graceMs, stopping.signal, time)]);
      const isWhole = !stopped && queue.length === 0 && !syncWanted && trouble === undefined && !active.file.dirty;
      stopping.abort();
      stopped = true;
      settleFlushes();
      await Promise.race([active.file.close().catch(() => undefined), pause(graceMs, undefined, time)]);
      return isWhole;
    },
  };
};
export type Writer = Awaited<ReturnType<typeof createWriter>>;
