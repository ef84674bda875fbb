import type { Entry, RecordingContext } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import {
  contextRecordOf,
  encodeAll,
  type GivenUp,
  leaveSegment,
  type OpenSegment,
  openSegment,
  recordOf,
  sealedFormOf,
  type SegmentParts,
} from './open-segment.ts';
import { encodeRecord, type JournalRecord } from './record.ts';
import { holdsRoast, isSameContext } from './segment.ts';

export interface SegmentWriterParts extends SegmentParts {
  readonly segmentBytes: number;
  readonly nextSeq: () => number;
  /** The context of the next entries. */
  readonly context: () => RecordingContext;
  /** Entries that survive a power cut from now on. */
  readonly durable: (ranges: readonly SeqRange[]) => void;
  /** Creates the journal's folder again, if it was deleted. */
  readonly makeFolder: () => Promise<void>;
  /** The first number that it will receive. */
  readonly first: number;
  /** Known entries that come first. */
  readonly initial: readonly Entry[];
}

interface Queued {
  readonly record: JournalRecord;
  readonly entry: Entry | undefined;
}

const recordsPerWrite = 200;

/** Records that wait, and the segment that they are written into, step by step. A step that fails can be repeated. */
export class SegmentWriter {
  readonly #parts: SegmentWriterParts;
  #active: OpenSegment;
  #queue: Queued[];
  readonly #unsynced = new RangeSet();
  /** Entries that have been reported already. */
  readonly #announced: RangeSet;
  #syncWanted = false;
  #rollWanted = false;
  #stopped = false;
  /** The kernel may have discarded written pages, so the file is not reliable. */
  #doubtful = false;

  private constructor(parts: SegmentWriterParts, active: OpenSegment) {
    this.#parts = parts;
    this.#active = active;
    this.#queue = parts.initial.map((entry) => ({ record: recordOf(entry), entry }));
    this.#announced = new RangeSet(parts.initial.map(({ seq }) => [seq, seq] as const));
  }

  /** Throws when the first segment can't be created. */
  static async create(parts: SegmentWriterParts): Promise<SegmentWriter> {
    const context = parts.initial[0]?.context ?? parts.context();
    const writer = new SegmentWriter(parts, await openSegment(parts, parts.first, context));
    try {
      while (writer.#queue.length > 0) await writer.step();
      await writer.#sync();
    } catch (error) {
      await writer.#active.file.close().catch(() => undefined);
      throw error;
    }
    return writer;
  }

  add(record: JournalRecord, entry: Entry | undefined): void {
    this.#queue.push({ record, entry });
  }

  requestSync(): void {
    this.#syncWanted = true;
  }

  /** The next write begins a new segment. */
  requestRoll(): void {
    this.#rollWanted = true;
  }

  get segment(): Pick<OpenSegment, 'file' | 'first' | 'entries'> {
    return this.#active;
  }

  /** Whether something waits to be written or synced. */
  get hasWork(): boolean {
    return this.#queue.length > 0 || this.#syncWanted;
  }

  get isDirty(): boolean {
    return this.#active.file.dirty || this.#queue.length > 0;
  }

  unsynced(): SeqRange[] {
    return this.#unsynced.ranges();
  }

  /** Nothing is written any more. What is being written may still arrive on the disk. */
  stop(): void {
    this.#stopped = true;
  }

  /** Stops, and leaves the segment. */
  leave(): GivenUp {
    this.stop();
    const left = leaveSegment(this.#parts, this.#active, this.#unsynced.ranges());
    const unsafe = [...left.unsafe, ...this.#unwritten()];
    this.#queue = [];
    return { ...left, unsafe };
  }

  async step(): Promise<void> {
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

  /** After a failure: earlier writes may still be safe. */
  async syncEarlier(): Promise<void> {
    if (!this.#doubtful) await this.#sync();
  }

  #unwritten(): Entry[] {
    return this.#queue.flatMap(({ entry }) => entry ?? []);
  }

  /** Writes the segment from memory into another file, which then replaces it. */
  async #writeAnew(why: string): Promise<void> {
    const { file, first, context, entries, roast } = this.#active;
    const { log } = this.#parts;
    log.error({ path: file.path, why }, 'journal: segment rewritten');
    await this.#parts.makeFolder();
    const anew = await openSegment(this.#parts, first, context, entries, this.#unwritten());
    this.#active = { ...anew, roast: anew.roast || roast };
    this.#doubtful = false;
    await file.close().catch((error: unknown) => log.debug({ reason: String(error) }, 'journal: close failed'));
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
    if (ranges.length > 0 && through !== undefined) this.#parts.log.debug({ through }, 'journal: synced');
    if (fresh.first()) this.#parts.durable(fresh.ranges());
  }

  /** Closes the segment and begins the next one, with the context of the next entries. */
  async #roll(): Promise<void> {
    const next = this.#queue.find(({ entry }) => entry)?.entry;
    const [first, context] = [next?.seq ?? this.#parts.nextSeq(), next?.context ?? this.#parts.context()];
    const previous = this.#active;
    const last = previous.entries.at(-1)?.seq;
    if (last === undefined) {
      if (isSameContext(previous.context, context)) return;
      this.#active = await openSegment(this.#parts, first, context, [], this.#unwritten());
      await previous.file.close();
      if (previous.file.path !== this.#active.file.path) await this.#parts.disk.rm(previous.file.path, { force: true });
      return;
    }
    await previous.file.append(encodeRecord(contextRecordOf(previous)));
    await this.#sync();
    const begun = await openSegment(this.#parts, first, context, [], this.#unwritten());
    // Another one than `previous.file` if the sync had to write it anew.
    const { file } = this.#active;
    const sealed = sealedFormOf(this.#parts, previous, last);
    try {
      await file.closeAs(sealed.path);
    } catch (error) {
      await begun.file.close();
      throw error;
    }
    this.#active = begun;
    await this.#parts.sealed({ ...sealed, bytes: file.size }, previous.entries);
  }

  #isOther({ entry }: Queued): boolean {
    return entry !== undefined && !isSameContext(entry.context, this.#active.context);
  }

  async #write(): Promise<void> {
    const next = this.#queue.find(({ entry }) => entry !== undefined);
    if (next && this.#isOther(next)) await this.#roll();
    const border = this.#queue.findIndex((item) => this.#isOther(item));
    const batch = this.#queue.slice(0, border < 0 ? recordsPerWrite : Math.min(border, recordsPerWrite));
    const context = contextRecordOf(this.#active);
    const records = batch.flatMap(({ record }) => (record.k === 'state' ? [record, context] : [record]));
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
}
