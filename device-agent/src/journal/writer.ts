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

interface WriterTrouble {
  readonly reason: string;
  readonly full: boolean;
  readonly since: number;
}

/** The segment being written, and what is in it. */
interface OpenSegment {
  readonly file: SegmentFile;
  readonly first: number;
  readonly context: RecordingContext;
  readonly entries: Entry[];
  /** It holds part of a roast. */
  roast: boolean;
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
): Promise<OpenSegment> => {
  const unwritten = queue.flatMap(({ entry }) => entry ?? []);
  const content = encodeAll([...parts.head(first, context, unwritten), ...entries.map(recordOf)]);
  const file = await SegmentFile.create(parts.disk, join(parts.folder, openName(first)), content);
  return { file, first, context, entries: [...entries], roast: parts.roastRuns() || holdsRoast(entries) };
};

/**
 * Writes records in order, independent of the readings: a card that stalls for a second delays no reading. While the
 * disk refuses writes, records wait in memory. The writer retries every second and gives up after `graceMs`.
 */
export class Writer {
  readonly kind = 'disk';
  readonly #parts: WriterParts;
  readonly #log: Logger;
  readonly #time: Clock;
  #active: OpenSegment;
  #queue: Queued[];
  readonly #unsynced = new RangeSet();
  /** Entries that have been reported already. */
  readonly #announced: RangeSet;
  #syncWanted = false;
  #rollWanted = false;
  #closing = false;
  #stopped = false;
  /** The kernel may have discarded written pages, so the file is not reliable. */
  #doubtful = false;
  #trouble: WriterTrouble | undefined;
  #working: Promise<void> | undefined;
  #progressAt: number;
  #flushes: (() => void)[] = [];
  readonly #stopping = new AbortController();

  private constructor(parts: WriterParts, active: OpenSegment) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#time = parts.time;
    this.#active = active;
    this.#queue = parts.initial.map((entry) => ({ record: recordOf(entry), entry }));
    this.#announced = new RangeSet(parts.initial.map(({ seq }) => [seq, seq] as const));
    this.#progressAt = parts.time.monotonic();
  }

  /** Throws when the first segment can't be created. */
  static async create(parts: WriterParts): Promise<Writer> {
    const context = parts.initial[0]?.context ?? parts.context();
    const writer = new Writer(parts, await openSegment(parts, parts.first, context));
    try {
      while (writer.#queue.length > 0) await writer.#step();
      await writer.#sync();
    } catch (error) {
      await writer.#active.file.close().catch(() => undefined);
      throw error;
    }
    return writer;
  }

  append(record: JournalRecord, entry?: Entry): void {
    this.#queue.push({ record, entry });
    this.#kick();
  }

  requestSync(): void {
    this.#syncWanted = true;
    this.#kick();
  }

  /** The next write begins a new segment. */
  requestRoll(): void {
    this.#rollWanted = true;
  }

  /** Resolves when everything appended so far is synced, or the disk has refused it. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushes.push(resolve);
      this.#syncWanted = true;
      this.#kick();
    });
  }

  entries(): readonly Entry[] {
    return this.#active.entries;
  }

  first(): number {
    return this.#active.first;
  }

  unsynced(): SeqRange[] {
    return this.#unsynced.ranges();
  }

  bytes(): number {
    return this.#active.file.size;
  }

  path(): string {
    return this.#active.file.path;
  }

  dirty(): boolean {
    return this.#active.file.dirty || this.#queue.length > 0;
  }

  /** Why the disk refuses writes, while it does. */
  trouble(): WriterTrouble | undefined {
    return this.#trouble;
  }

  /** How long there has been no progress although there should be, ms. */
  stalledMs(): number {
    return this.#working ? this.#time.monotonic() - this.#progressAt : 0;
  }

  /**
   * Stops at once. Returns the entries that are not safe on the disk, and removes their written part from it, if
   * possible. `settle` closes the segment with the safe entries; false if the disk does not allow it now.
   */
  giveUp(): GivenUp {
    this.#stopped = true;
    this.#stopping.abort();
    this.#settleFlushes();
    const lost = new RangeSet(this.#unsynced.ranges());
    const newestMono = this.#active.entries.at(-1)?.mono ?? 0;
    const gathered = new RangeSet();
    for (const { seq, mono } of this.#active.entries) {
      if (!lost.has(seq) || newestMono - mono <= idleUnsyncedMs) continue;
      gathered.add(seq, seq);
      lost.remove(seq, seq);
    }
    const unsafe = [
      ...this.#active.entries.filter(({ seq }) => lost.has(seq)),
      ...this.#queue.flatMap(({ entry }) => entry ?? []),
    ];
    const safe = this.#active.entries.filter(({ seq }) => !lost.has(seq));
    this.#queue = [];
    const left = this.#active;
    const settle = (): Promise<boolean> => this.#settle(left, safe, gathered);
    return { unsafe, safe, gathered: gathered.ranges(), settle };
  }

  /** Writes and syncs the waiting records; gives up after `graceMs`. Whether all of them are on the disk. */
  async close(graceMs: number): Promise<boolean> {
    this.#syncWanted = true;
    this.#kick();
    this.#closing = true;
    await Promise.race([this.#working, pause(graceMs, this.#stopping.signal, this.#time)]);
    const isWhole =
      !this.#stopped &&
      this.#queue.length === 0 &&
      !this.#syncWanted &&
      this.#trouble === undefined &&
      !this.#active.file.dirty;
    this.#stopping.abort();
    this.#stopped = true;
    this.#settleFlushes();
    await Promise.race([this.#active.file.close().catch(() => undefined), pause(graceMs, undefined, this.#time)]);
    return isWhole;
  }

  /** Closes a given-up segment with its safe entries; false if the disk does not allow it now. */
  async #settle(left: OpenSegment, safe: readonly Entry[], gathered: RangeSet): Promise<boolean> {
    const { first, context, roast } = left;
    let { file } = left;
    try {
      // Gathered entries are only in the part that would be cut: the file is replaced as a whole, or stays as it is.
      if (gathered.first() === undefined) await file.cutUnsynced();
      const last = safe.at(-1)?.seq;
      if (last === undefined) {
        await this.#parts.disk.rm(file.path, { force: true });
        await file.close();
        return true;
      }
      if (gathered.first()) {
        ({ file } = await openSegment(this.#parts, first, context, safe));
        await left.file.close().catch(() => undefined);
      }
      const content = roast ? 'roast' : 'idle';
      const path = join(this.#parts.folder, sealedName(first, last, content));
      await file.closeAs(path);
      await this.#parts.sealed({ path, first, last, content, bytes: file.size }, safe);
      return true;
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'journal: closing segment failed');
      return false;
    }
  }

  #settleFlushes(): void {
    const waiting = this.#flushes;
    this.#flushes = [];
    for (const settle of waiting) settle();
  }

  /** The context again, in case the head is damaged. */
  #contextRecord(): JournalRecord {
    return { k: 'context', of: this.#active.first, ...this.#active.context };
  }

  /** Writes the segment from memory into another file, which then replaces it. */
  async #writeAnew(why: string): Promise<void> {
    const { file, first, context, entries, roast } = this.#active;
    this.#log.error({ path: file.path, why }, 'journal: segment rewritten');
    await this.#parts.makeFolder();
    const anew = await openSegment(this.#parts, first, context, entries, this.#queue);
    this.#active = { ...anew, roast: anew.roast || roast };
    this.#doubtful = false;
    await file.close().catch((error: unknown) => this.#log.debug({ reason: String(error) }, 'journal: close failed'));
  }

  async #sync(): Promise<void> {
    const ranges = this.#unsynced.ranges();
    if (!(await this.#active.file.isThere())) await this.#writeAnew('its file is gone');
    else if (this.#active.file.dirty) {
      try {
        await this.#active.file.sync();
      } catch (error) {
        this.#doubtful = true;
        throw error;
      }
    }
    if (this.#stopped) return;
    const fresh = new RangeSet(ranges);
    for (const [from, to] of this.#announced.ranges()) fresh.remove(from, to);
    for (const [from, to] of ranges) {
      this.#unsynced.remove(from, to);
      this.#announced.remove(from, to);
    }
    const through = this.#active.entries.findLast(({ kind }) => kind === 'sample')?.mono;
    if (ranges.length > 0 && through !== undefined) this.#log.debug({ through }, 'journal: synced');
    if (fresh.first()) this.#parts.durable(fresh.ranges());
  }

  /** Closes the segment and begins the next one, with the context of the next entries. */
  async #roll(): Promise<void> {
    const next = this.#queue.find(({ entry }) => entry)?.entry;
    const [first, context] = [next?.seq ?? this.#parts.nextSeq(), next?.context ?? this.#parts.context()];
    const last = this.#active.entries.at(-1)?.seq;
    const previous = this.#active;
    if (last === undefined) {
      if (isSameContext(this.#active.context, context)) return;
      this.#active = await openSegment(this.#parts, first, context, [], this.#queue);
      await previous.file.close();
      if (previous.file.path !== this.#active.file.path) await this.#parts.disk.rm(previous.file.path, { force: true });
      return;
    }
    await this.#active.file.append(encodeRecord(this.#contextRecord()));
    await this.#sync();
    const begun = await openSegment(this.#parts, first, context, [], this.#queue);
    const content = previous.roast ? 'roast' : 'idle';
    const path = join(this.#parts.folder, sealedName(previous.first, last, content));
    try {
      await this.#active.file.closeAs(path);
    } catch (error) {
      await begun.file.close();
      throw error;
    }
    const { size } = this.#active.file;
    this.#active = begun;
    await this.#parts.sealed({ path, first: previous.first, last, content, bytes: size }, previous.entries);
  }

  #isOther({ entry }: Queued): boolean {
    return entry !== undefined && !isSameContext(entry.context, this.#active.context);
  }

  async #write(): Promise<void> {
    const next = this.#queue.find(({ entry }) => entry !== undefined);
    if (next && this.#isOther(next)) await this.#roll();
    const border = this.#queue.findIndex((item) => this.#isOther(item));
    const batch = this.#queue.slice(0, border < 0 ? recordsPerWrite : Math.min(border, recordsPerWrite));
    const records = batch.flatMap(({ record }) => (record.k === 'state' ? [record, this.#contextRecord()] : [record]));
    await this.#active.file.append(encodeAll(records));
    if (this.#stopped) return;
    const written = new Set(batch);
    this.#queue = this.#queue.filter((item) => !written.has(item));
    const entries = batch.flatMap(({ entry }) => entry ?? []);
    this.#active.roast ||= holdsRoast(entries);
    for (const entry of entries) {
      this.#active.entries.push(entry);
      this.#unsynced.add(entry.seq, entry.seq);
    }
  }

  async #step(): Promise<void> {
    if (this.#doubtful) await this.#writeAnew('the disk failed');
    if (this.#rollWanted || this.#active.file.size >= this.#parts.segmentBytes) {
      await this.#roll();
      this.#rollWanted = false;
    }
    if (this.#queue.length > 0) await this.#write();
    if (this.#queue.length === 0 && this.#syncWanted) {
      this.#syncWanted = false;
      try {
        await this.#sync();
      } catch (error) {
        this.#syncWanted = true;
        throw error;
      }
    }
  }

  async #afterFailure(error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const full = isFull(error);
    if (this.#trouble === undefined) this.#log.error({ reason }, 'journal: disk not writable');
    this.#trouble = { reason, full, since: this.#trouble?.since ?? this.#time.monotonic() };
    this.#settleFlushes();
    // Earlier writes may still be safe.
    try {
      if (!this.#doubtful) await this.#sync();
    } catch (failure) {
      this.#log.debug({ reason: String(failure) }, 'journal: sync failed');
    }
    try {
      if (full && (await this.#parts.freeSpace())) return;
    } catch (failure) {
      this.#log.error({ err: failure }, 'journal: freeing space failed');
    }
    if (this.#time.monotonic() - this.#trouble.since >= this.#parts.graceMs) return this.#parts.gaveUp();
    await pause(Math.min(retryMs, this.#parts.graceMs), this.#stopping.signal, this.#time);
  }

  #hasWork(): boolean {
    return !this.#stopped && (this.#queue.length > 0 || this.#syncWanted || this.#trouble !== undefined);
  }

  async #work(): Promise<void> {
    while (this.#hasWork()) {
      try {
        await this.#step();
        if (this.#trouble !== undefined) this.#log.info('journal: disk recovered');
        this.#trouble = undefined;
      } catch (error) {
        if (this.#closing || this.#stopped) return;
        await this.#afterFailure(error);
      }
      // An attempt counts as progress: a watchdog restart would not enlarge a full disk.
      this.#progressAt = this.#time.monotonic();
    }
    this.#settleFlushes();
  }

  #kick(): void {
    if (this.#stopped) return this.#settleFlushes();
    this.#progressAt = this.#working ? this.#progressAt : this.#time.monotonic();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (!this.#closing && this.#hasWork()) this.#kick();
    });
  }
}

export const createWriter = (parts: WriterParts): Promise<Writer> => Writer.create(parts);
