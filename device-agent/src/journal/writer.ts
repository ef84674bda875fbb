import { join } from 'node:path';
import { pause } from '@roastery/runtime/backoff';
import type { Logger } from '@roastery/runtime/logger';
import { syncFolder } from '../atomic-file.ts';
import type { Entry } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import { encodeRecord, type JournalRecord } from './record.ts';
import { holdsRoast, openName, sealedName, type SealedSegment } from './segment.ts';
import { SegmentFile } from './segment-file.ts';

export interface WriterParts {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly log: Logger;
  readonly nextSeq: () => number;
  /** Whether a roast runs: a segment that begins now holds part of it. */
  readonly roastRuns: () => boolean;
  /** What every segment begins with, so that it can be read alone. */
  readonly head: (first: number) => JournalRecord[];
  readonly sealed: (segment: SealedSegment) => Promise<void>;
  /** Entries that survive a power cut from now on. */
  readonly durable: (ranges: readonly SeqRange[]) => void;
  /** Samples given up because the disk takes nothing. */
  readonly lost: (ranges: readonly SeqRange[]) => void;
  /** Makes the journal's folder again, where it was taken away. */
  readonly makeFolder: () => Promise<void>;
  /** Makes room on a full disk; false when there is nothing left to drop. */
  readonly makeRoom: () => Promise<boolean>;
}

interface Queued {
  readonly bytes: Buffer;
  readonly entry: Entry | undefined;
}

/** Entries kept in memory while the disk takes nothing: ten minutes at 4 Hz. */
const maxQueuedEntries = 2400;
const recordsPerWrite = 200;
const retryMs = 1000;

const openSegment = async (parts: WriterParts, first: number) => {
  const file = await SegmentFile.create(join(parts.folder, openName(first)));
  await file.append(Buffer.concat(parts.head(first).map(encodeRecord)));
  await file.sync();
  await syncFolder(parts.folder);
  return { file, first, entries: [] as Entry[], roast: parts.roastRuns() };
};

/** Entries once more as they were written, each behind the context that it had. */
const encodeAgain = (entries: readonly Entry[]): Buffer[] =>
  entries.flatMap((entry, index) => {
    const { seq, mono, context } = entry;
    const record: JournalRecord =
      entry.kind === 'sample'
        ? { k: 's', q: seq, m: mono, v: entry.values }
        : { k: 'e', q: seq, m: mono, e: entry.event };
    const isOther = entries[index - 1]?.context !== context;
    return [...(isOther ? [encodeRecord({ k: 'context', ...context })] : []), encodeRecord(record)];
  });

/**
 * Writes records one after the other, off the path of the readings: a card that stalls for a second stalls nobody. While
 * the disk takes nothing it keeps what it can in memory and tries again every second.
 */
export const createWriter = async (parts: WriterParts) => {
  const { log } = parts;
  let active = await openSegment(parts, parts.nextSeq());
  let queue: Queued[] = [];
  const unsynced = new RangeSet();
  let syncWanted = false;
  let rollWanted = false;
  let closing = false;
  let trouble: string | undefined;
  let progressAt = performance.now();
  let flushes: (() => void)[] = [];
  const stopping = new AbortController();

  const settleFlushes = (): void => {
    const waiting = flushes;
    flushes = [];
    for (const settle of waiting) settle();
  };

  /** The segment that was taken away, from memory: all of it is there. */
  const writeAnew = async (): Promise<void> => {
    const { file, first, entries, roast } = active;
    log.error({ path: file.path }, 'journal: its file was taken away, and is written anew');
    await parts.makeFolder();
    const anew = await openSegment(parts, first);
    // What comes next has the newest context, whatever the last of these had.
    const contexts = parts.head(first).filter(({ k }) => k === 'context');
    await anew.file.append(Buffer.concat([...encodeAgain(entries), ...contexts.map(encodeRecord)]));
    active = { ...anew, entries, roast };
    await file.close();
  };

  const sync = async (): Promise<void> => {
    if (!(await active.file.isThere())) await writeAnew();
    const ranges = unsynced.ranges();
    if (active.file.dirty) await active.file.sync();
    for (const [from, to] of ranges) unsynced.remove(from, to);
    if (ranges.length > 0) parts.durable(ranges);
  };

  const roll = async (): Promise<void> => {
    const last = active.entries.at(-1)?.seq;
    if (last === undefined) return;
    await sync();
    const previous = active;
    active = await openSegment(parts, queue.find(({ entry }) => entry)?.entry?.seq ?? parts.nextSeq());
    const content = previous.roast ? 'roast' : 'idle';
    const path = join(parts.folder, sealedName(previous.first, last, content));
    await previous.file.closeAs(path);
    await parts.sealed({ path, first: previous.first, last, content, bytes: previous.file.size });
  };

  const write = async (): Promise<void> => {
    const batch = queue.slice(0, recordsPerWrite);
    await active.file.append(Buffer.concat(batch.map(({ bytes }) => bytes)));
    const written = new Set(batch);
    queue = queue.filter((item) => !written.has(item));
    const entries = batch.flatMap(({ entry }) => entry ?? []);
    active.roast ||= holdsRoast(entries);
    for (const entry of entries) {
      active.entries.push(entry);
      unsynced.add(entry.seq, entry.seq);
    }
  };

  /** Sampling goes on while the disk takes nothing: the oldest waiting samples go. */
  const trimQueue = (): void => {
    const samples = queue.filter(({ entry }) => entry?.kind === 'sample');
    const excess = new Set(samples.slice(0, Math.max(0, samples.length - maxQueuedEntries)));
    if (excess.size === 0) return;
    queue = queue.filter((item) => !excess.has(item));
    const lost = new RangeSet();
    for (const { entry } of excess) if (entry) lost.add(entry.seq, entry.seq);
    parts.lost(lost.ranges());
  };

  const step = async (): Promise<void> => {
    if (rollWanted || active.file.size >= parts.segmentBytes) {
      await roll();
      rollWanted = false;
    }
    if (queue.length > 0) await write();
    if (queue.length === 0 && syncWanted) {
      syncWanted = false;
      await sync();
    }
  };

  const afterFailure = async (error: unknown): Promise<void> => {
    const reason = error instanceof Error ? error.message : String(error);
    if (trouble === undefined) log.error({ reason }, 'journal: the disk takes nothing, sampling goes on');
    trouble = reason;
    trimQueue();
    settleFlushes();
    try {
      if (await parts.makeRoom()) return;
    } catch (failure) {
      log.error({ err: failure }, 'journal: could not make room');
    }
    await pause(retryMs, stopping.signal);
  };

  const hasWork = (): boolean => queue.length > 0 || syncWanted;
  let working: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (hasWork()) {
      try {
        await step();
        if (trouble !== undefined) log.info('journal: the disk takes entries again');
        trouble = undefined;
      } catch (error) {
        if (closing) return;
        await afterFailure(error);
      }
      // Trying counts: a watchdog restart would not make a full disk any bigger.
      progressAt = performance.now();
    }
    settleFlushes();
  };
  const kick = (): void => {
    working ??= work().finally(() => {
      working = undefined;
      if (!closing && hasWork()) kick();
    });
  };

  return {
    append(record: JournalRecord, entry?: Entry): void {
      queue.push({ bytes: encodeRecord(record), entry });
      if (trouble !== undefined) trimQueue();
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
    active: (): { readonly first: number; readonly entries: readonly Entry[] } => active,
    unsynced: (): SeqRange[] => unsynced.ranges(),
    bytes: (): number => active.file.size,
    path: (): string => active.file.path,
    dirty: (): boolean => active.file.dirty || queue.length > 0,
    /** Why the disk takes nothing, while it does. */
    trouble: (): string | undefined => trouble,
    /** How long nothing has moved although something should, ms. */
    stalledMs: (): number => (working ? performance.now() - progressAt : 0),
    /** Writes and syncs what waits; gives up after `graceMs`. */
    async close(graceMs: number): Promise<void> {
      syncWanted = true;
      kick();
      closing = true;
      await Promise.race([working, pause(graceMs, stopping.signal)]);
      stopping.abort();
      await active.file.close();
    },
  };
};
