import { maxHistoryStreams, type Continues } from '@roastery/contract/mqtt';
import { pause } from '@roastery/runtime/backoff';
import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { isMissing } from '../atomic-file.ts';
import type { Entry, RecordingContext } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import type { RecordedState } from '../core/replay.ts';
import type { WallClock } from '../core/wall-clock.ts';
import { isFull, TooLong, within, type JournalDisk } from './disk.ts';
import type { FoundStreams } from './find-streams.ts';
import type { LastUse } from './last-use.ts';
import { createMemoryTail } from './memory-tail.ts';
import { journalFormat, type JournalRecord } from './record.ts';
import { makeStreamFolder, nameStream, newEpoch, removeEnd, streamFolder, writeEnd } from './stream-folders.ts';
import { recordingOf, Stream, type UnsureNumbers } from './stream.ts';
import type { Streams } from './streams.ts';
import { recordOf } from './open-segment.ts';
import { Writer } from './writer.ts';

export interface CurrentStreamParts {
  readonly disk: JournalDisk;
  /** Of the journal. */
  readonly folder: string;
  readonly log: Logger;
  readonly clock: WallClock;
  readonly time: Clock;
  readonly segmentBytes: number;
  /** How long the disk may refuse writes. */
  readonly diskGraceMs: number;
  readonly credential: string | undefined;
  readonly context: () => RecordingContext;
  readonly state: () => RecordedState | undefined;
  readonly roastRuns: () => boolean;
  readonly streams: Streams;
  readonly found: FoundStreams;
  /** These entries may be sent. */
  readonly durable: (stream: Stream, ranges: readonly SeqRange[]) => void;
  /** A segment was closed. */
  readonly segmentClosed: () => Promise<void>;
}

/** A failed disk is retried after this long, and after twice as long each time. */
const firstRetryMs = 1000;
export const lastRetryMs = 30_000;
/** Segments that may be dropped for one write. */
const maxRooms = 16;

/**
 * The stream that is being written. It moves between disk and memory: while the disk refuses writes, a new stream
 * continues in memory; when the disk works again, that stream gets a folder. Each move keeps all entries, and no number
 * is used twice.
 */
export class CurrentStream {
  readonly #parts: CurrentStreamParts;
  readonly #disk: JournalDisk;
  readonly #log: Logger;
  #current: Stream;
  #diskTrouble: string | undefined;
  #isDiskFull = false;
  #closed = false;
  /** If other programs use the room as fast as it is freed, the disk counts as failed. */
  #roomsMade = 0;
  /** Open segments that the disk did not let us close. */
  readonly #unsettled: (() => Promise<boolean>)[] = [];
  #cancelSettle: Cancel | undefined;
  readonly #soonestMs: number;
  #retryMs: number;
  #cancelRetry: Cancel | undefined;
  #attempt: Promise<void> = Promise.resolve();
  #trying = false;

  constructor(parts: CurrentStreamParts) {
    this.#parts = parts;
    this.#disk = parts.disk;
    this.#log = parts.log;
    this.#soonestMs = Math.min(firstRetryMs, parts.diskGraceMs);
    this.#retryMs = this.#soonestMs;
    this.#current = parts.found.streams.at(-1)?.stream ?? this.#newStream(0, undefined);
  }

  /**
   * Opens the newest stream of the last process, or begins one that continues it: after a process that did not close
   * it, the card may have forgotten entries that the server has, and that process may have continued in memory, as on
   * a disk that refused writes in a roast.
   */
  async open({ maxUsed, wentOn, isOfThisBoot }: LastUse): Promise<void> {
    const newest = this.#parts.found.streams.at(-1);
    const isPairedAnew = newest?.stream.awaitsOwner() === true;
    const owner = isPairedAnew ? undefined : this.#current.owner;
    if (newest?.mayGoOn !== true || isPairedAnew) {
      this.#beginInMemory([], owner);
      return this.#tryDisk();
    }
    const { boot } = this.#parts.clock.now();
    const isCertain = newest.end?.boot === boot && newest.end.next === this.#current.nextSeq() && !wentOn;
    if (owner === undefined && !isCertain && newest.leftOver.length > 0 && this.#current.nextSeq() === 0) {
      // Of a stream that was begun and shows no entry, any number may have been used.
      this.#beginInMemory([], undefined);
      return this.#tryDisk();
    }
    // Streams that can't be delivered must not become more with each kill.
    const undelivered = this.#parts.streams.all().filter((stream) => !stream.isSealed() && stream.waiting().length > 0);
    const isCrowded = undelivered.length >= maxHistoryStreams;
    if (!newest.isNamed || (owner !== undefined && !isCertain && !isCrowded)) {
      this.#beginInMemory([], owner, this.#current, this.#current.nextSeq() + maxUsed);
      return this.#tryDisk();
    }
    // Its numbers continue, also for a server that knows no continuing streams, which states no owner.
    const skipped = isCertain || isOfThisBoot ? 0 : maxUsed;
    try {
      const place = this.#current.folder ?? this.#parts.folder;
      await this.#withRoom(() => nameStream(this.#disk, place, this.#current.epoch));
      this.#current.skip(skipped);
      const writer = await this.#withRoom(() => this.#writerOf(this.#current, place, this.#current.nextSeq()));
      await removeEnd(this.#disk, place);
      this.#current.tail = writer;
      void this.#current.note();
      // A server that states no owner does not state its entries either.
      if (owner === undefined) this.#parts.streams.explain(this.#current, Infinity);
      for (const path of newest.leftOver)
        if (path !== writer.path()) await this.#disk.rm(path, { force: true }).catch(() => undefined);
    } catch (error) {
      this.#diskTrouble = error instanceof Error ? error.message : String(error);
      this.#isDiskFull = isFull(error);
      this.#log.error({ reason: this.#diskTrouble }, 'journal: disk not writable at start');
      this.#beginInMemory([], this.#current.owner, this.#current, this.#current.nextSeq() + maxUsed);
    }
  }

  get(): Stream {
    return this.#current;
  }

  leaveDisk(reason: string): void {
    this.#leave(this.#current, reason, false);
  }

  /** Why the disk refuses writes, while it does. */
  trouble(): string | undefined {
    const tail = this.#current.tail;
    return tail?.kind === 'disk' ? tail.trouble()?.reason : (this.#diskTrouble ?? 'the disk is not ready yet');
  }

  /** Tries once more to move the entries in memory to the disk; gives up after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#cancelRetry?.();
    await Promise.race([this.#attempt.then(() => this.#tryDisk()), pause(graceMs, undefined, this.#parts.time)]);
    this.#closed = true;
    this.#cancelRetry?.();
    this.#cancelSettle?.();
    const tail = this.#current.tail;
    if (tail?.kind !== 'disk' || !(await tail.close(graceMs))) return;
    const end = { boot: this.#parts.clock.now().boot, next: this.#current.nextSeq() };
    const written = writeEnd(this.#disk, this.#current.folder ?? this.#parts.folder, end).catch((error: unknown) =>
      this.#log.debug({ reason: String(error) }, 'journal: end not recorded'),
    );
    await Promise.race([written, pause(graceMs, undefined, this.#parts.time)]);
  }

  #newStream(
    nextSeq: number,
    owner: string | undefined,
    continues?: Continues,
    unsure: readonly UnsureNumbers[] = [],
  ): Stream {
    return new Stream({
      disk: this.#disk,
      time: this.#parts.time,
      log: this.#log,
      epoch: newEpoch(),
      folder: undefined,
      segments: [],
      nextSeq,
      notes: { owner, continues, gone: nextSeq > 0 ? [[0, nextSeq - 1]] : [], unsure },
      credential: this.#parts.credential,
      learn: (reading) => this.#parts.clock.learn(reading),
      damaged: (stream, holes) => this.#parts.streams.lost(stream, holes, 'damaged'),
    });
  }

  noteRecord(record: JournalRecord): void {
    const tail = this.#current.tail;
    if (tail?.kind === 'disk') tail.append(record);
  }

  append(entry: Entry): void {
    const tail = this.#current.tail;
    if (tail?.kind === 'disk') return tail.append(recordOf(entry), entry);
    const excess = tail?.append(entry) ?? [];
    if (tail && !tail.isHolding()) this.#parts.durable(this.#current, [[entry.seq, entry.seq]]);
    if (excess.length > 0) this.#parts.streams.lost(this.#current, excess, this.#isDiskFull ? 'disk_full' : 'damaged');
  }

  async #freeSpace(): Promise<boolean> {
    if (this.#roomsMade >= maxRooms) return false;
    this.#roomsMade += 1;
    return this.#parts.streams.freeSpace();
  }

  /** A writer of a stream in its folder. Throws when the disk does not accept its first segment. */
  async #writerOf(stream: Stream, place: string, first: number, initial: readonly Entry[] = []): Promise<Writer> {
    const writer: Writer = await Writer.create({
      disk: this.#disk,
      folder: place,
      segmentBytes: this.#parts.segmentBytes,
      log: this.#log,
      time: this.#parts.time,
      first: initial[0]?.seq ?? first,
      initial,
      graceMs: this.#parts.diskGraceMs,
      nextSeq: () => stream.nextSeq(),
      context: this.#parts.context,
      roastRuns: this.#parts.roastRuns,
      head: (from, of, unwritten) => this.#headOf(stream, from, of, unwritten),
      sealed: async (segment, entries) => {
        this.#parts.durable(stream, stream.addSegment(segment, entries));
        await this.#parts.segmentClosed();
      },
      durable: (ranges) => {
        this.#roomsMade = 0;
        this.#parts.durable(stream, ranges);
      },
      makeFolder: async () => {
        await nameStream(this.#disk, place, stream.epoch);
        stream.noteAnew();
      },
      freeSpace: () => this.#freeSpace(),
      gaveUp: () => this.#leave(stream, writer.trouble()?.reason ?? 'no answer', writer.trouble()?.full ?? false),
    });
    return writer;
  }

  #headOf(stream: Stream, first: number, of: RecordingContext, unwritten: readonly Entry[]): JournalRecord[] {
    const state = this.#parts.state();
    // An entry listed here is not reported again: its report must be on the disk first.
    const gone = new RangeSet(stream.gone.ranges());
    for (const entry of unwritten)
      if (entry.kind === 'event' && entry.event.type === 'gap') gone.remove(entry.event.from_seq, entry.event.to_seq);
    return [
      { k: 'head', v: journalFormat, epoch: stream.epoch, first },
      { k: 'context', of: first, ...of },
      { k: 'clock', ...this.#parts.clock.now() },
      { k: 'acked', ranges: stream.acked.ranges() },
      { k: 'gone', ranges: gone.ranges() },
      ...(state ? [{ k: 'state', state } as const] : []),
      // Repeated after the state: an overwritten block must not invalidate everything after it.
      { k: 'context', of: first, ...of },
    ];
  }

  /** Retries on a full disk, as long as a segment can be dropped. */
  async #withRoom<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isFull(error) || !(await this.#freeSpace())) throw error;
      }
    }
  }

  /**
   * Continues in a new stream, in memory. Its numbers continue too, so that marks name their samples as before. After
   * `before`, of an owner that the server has stated, it continues the same recording: a running roast stays one roast.
   */
  #beginInMemory(
    entries: readonly Entry[],
    owner: string | undefined,
    before?: Stream,
    next: number = this.#current.nextSeq(),
  ): void {
    const first = entries[0]?.seq ?? next;
    const isContinued = before !== undefined && owner !== undefined && owner === before.owner;
    const continues = isContinued ? { epoch: recordingOf(before), seq: first } : undefined;
    const skipped: SeqRange | undefined = before && isContinued ? [before.nextSeq(), first - 1] : undefined;
    const unsure = before && skipped && skipped[1] >= skipped[0] ? [{ epoch: before.epoch, range: skipped }] : [];
    const stream = this.#newStream(first, owner, continues, unsure);
    while (stream.nextSeq() < (entries.at(-1)?.seq ?? -1) + 1) stream.takeSeq();
    stream.tail = createMemoryTail(entries);
    this.#current = stream;
    this.#parts.streams.add(stream);
    this.#parts.durable(stream, stream.waiting());
    const begun = { epoch: stream.epoch, first, continues: continues?.epoch };
    if (this.#diskTrouble === undefined) this.#log.info(begun, 'journal: stream begun');
    else this.#log.warn(begun, 'journal: memory stream started');
    this.#retryMs = this.#soonestMs;
    this.#tryDiskSoon();
  }

  /** Tries each once, and again later if the disk still refuses. */
  async #settleAll(): Promise<void> {
    this.#cancelSettle?.();
    const tried = this.#unsettled.splice(0).map(async (settle) => {
      if (!(await settle())) this.#unsettled.push(settle);
    });
    await Promise.all(tried);
    if (this.#unsettled.length === 0 || this.#closed) return;
    this.#cancelSettle?.();
    this.#cancelSettle = this.#parts.time.after(
      Math.min(lastRetryMs, this.#parts.diskGraceMs),
      () => void this.#settleAll(),
      { keepsAlive: false },
    );
  }

  /** Closes the file of a stream; returns the entries that are not safe on the disk. */
  #closeTail(stream: Stream, writer: Writer): readonly Entry[] {
    const { unsafe, safe, gathered, settle } = writer.giveUp();
    stream.tail = undefined;
    stream.keep(safe, gathered);
    this.#unsettled.push(settle);
    void this.#settleAll();
    return unsafe;
  }

  /** The disk refuses writes: entries that are not synced continue in memory. */
  #leave(stream: Stream, reason: string, full: boolean): void {
    const tail = stream.tail;
    if (tail?.kind !== 'disk' || this.#closed) return;
    [this.#diskTrouble, this.#isDiskFull] = [reason, full];
    this.#log.error({ reason }, 'journal: disk abandoned');
    const unsafe = this.#closeTail(stream, tail);
    // They are not in this stream, and were never sent under its epoch.
    if (stream === this.#current) for (const { seq } of unsafe) stream.gone.add(seq, seq);
    void stream.note();
    if (stream === this.#current) this.#beginInMemory(unsafe, stream.owner, stream);
    else stream.keep([...stream.kept(), ...unsafe]);
  }

  /** Begins a stream for another owner, who gets none of the previous one. */
  beginForOwner(owner: string): void {
    const before = this.#current;
    const tail = before.tail;
    if (tail?.kind === 'disk') void tail.flush().then(() => before.tail === tail && this.#closeTail(before, tail));
    this.#beginInMemory([], owner);
    this.#attempt = this.#tryDisk();
  }

  #tryDiskSoon(): void {
    this.#cancelRetry?.();
    if (this.#closed) return;
    this.#cancelRetry = this.#parts.time.after(this.#retryMs, () => void (this.#attempt = this.#tryDisk()), {
      keepsAlive: false,
    });
    this.#retryMs = Math.min(lastRetryMs, this.#retryMs * 2);
  }

  /** Moves the stream in memory to the disk, when that works again. */
  async #tryDisk(): Promise<void> {
    const stream = this.#current;
    const tail = stream.tail;
    if (tail?.kind !== 'memory' || this.#trying || this.#closed) return;
    this.#trying = true;
    const first = stream.nextSeq();
    const initial = tail.hold(first);
    // From here on the disk may hold a folder that a later start continues.
    let isNamed = false;
    const bring = async (): Promise<Writer> => {
      await this.#parts.found.retry();
      const place =
        stream.folder ?? streamFolder(this.#parts.folder, this.#parts.found.nextIndex(), stream.epoch).folder;
      await makeStreamFolder(this.#disk, place);
      stream.folder = place;
      const writer = await this.#withRoom(() => this.#writerOf(stream, place, first, initial));
      // Before the name: a start that finds the stream must know which one it continues.
      try {
        await this.#withRoom(() => stream.firstNote(place));
      } catch (error) {
        // The entries stay in memory: the next attempt may begin with a later one.
        await writer.close(0);
        await this.#disk.rm(writer.path(), { force: true }).catch(() => undefined);
        throw error;
      }
      isNamed = true;
      await nameStream(this.#disk, place, stream.epoch);
      return writer;
    };
    try {
      const writer = await within(this.#parts.diskGraceMs, bring(), this.#parts.time);
      const held = tail.heldBack();
      stream.tail = writer;
      for (const entry of held) writer.append(recordOf(entry), entry);
      // In the meantime a stream was begun for another owner.
      if (stream !== this.#current)
        void writer.flush().then(() => stream.tail === writer && this.#closeTail(stream, writer));
      if (this.#diskTrouble !== undefined)
        this.#log.info({ epoch: stream.epoch, entries: initial.length }, 'journal: disk recovered');
      [this.#diskTrouble, this.#roomsMade] = [undefined, 0];
      void this.#settleAll();
    } catch (error) {
      // A read-only disk reports "no such file" for a folder below another one: the earlier error is the reason.
      if (this.#diskTrouble === undefined || !isMissing(error))
        this.#diskTrouble = error instanceof Error ? error.message : String(error);
      this.#isDiskFull = isFull(error);
      if (isNamed || error instanceof TooLong) this.#beginInMemory(tail.takeHeldBack(), stream.owner, stream);
      else {
        this.#parts.durable(stream, tail.release());
        this.#tryDiskSoon();
      }
    } finally {
      this.#trying = false;
    }
  }
}
