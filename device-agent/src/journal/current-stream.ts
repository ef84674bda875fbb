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
import type { FoundStream, FoundStreams } from './find-streams.ts';
import { createMemoryTail } from './memory-tail.ts';
import { journalFormat, type JournalRecord } from './record.ts';
import { makeStreamFolder, nameStream, newEpoch, removeEnd, streamFolder, writeEnd } from './stream-folders.ts';
import { createStream, recordingOf, type Stream, type UnsureNumbers } from './stream.ts';
import type { Streams } from './streams.ts';
import { createWriter, recordOf, type Writer } from './writer.ts';

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

/** The last process, as far as the disk shows it. */
export interface LastUse {
  /** How many numbers it can have used that the disk does not show. */
  readonly maxUsed: number;
  /** It may have continued in memory. */
  readonly wentOn: boolean;
  /** There was no power cut since. */
  readonly isOfThisBoot: boolean;
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
export const createCurrentStream = (parts: CurrentStreamParts) => {
  const { disk, folder, log, clock, time, segmentBytes, diskGraceMs, credential, streams, found, durable } = parts;
  let diskTrouble: string | undefined;
  let isDiskFull = false;
  let closed = false;

  const newStream = (
    nextSeq: number,
    owner: string | undefined,
    continues?: Continues,
    unsure: readonly UnsureNumbers[] = [],
  ): Stream =>
    createStream({
      disk,
      time,
      log,
      epoch: newEpoch(),
      folder: undefined,
      segments: [],
      nextSeq,
      notes: { owner, continues, gone: nextSeq > 0 ? [[0, nextSeq - 1]] : [], unsure },
      credential,
      learn: (reading) => clock.learn(reading),
      damaged: (stream, holes) => streams.lost(stream, holes, 'damaged'),
    });

  const noteRecord = (record: JournalRecord): void => {
    const tail = current.tail();
    if (tail?.kind === 'disk') tail.append(record);
  };
  const append = (entry: Entry): void => {
    const tail = current.tail();
    if (tail?.kind === 'disk') return tail.append(recordOf(entry), entry);
    const excess = tail?.append(entry) ?? [];
    if (tail && !tail.isHolding()) durable(current, [[entry.seq, entry.seq]]);
    if (excess.length > 0) streams.lost(current, excess, isDiskFull ? 'disk_full' : 'damaged');
  };
  /** If other programs use the room as fast as it is freed, the disk counts as failed. */
  let roomsMade = 0;
  const freeSpace = async (): Promise<boolean> => {
    if (roomsMade >= maxRooms) return false;
    roomsMade += 1;
    return streams.freeSpace();
  };
  /** A writer of a stream in its folder. Throws when the disk does not accept its first segment. */
  const writerOf = async (
    stream: Stream,
    place: string,
    first: number,
    initial: readonly Entry[] = [],
  ): Promise<Writer> => {
    const writer: Writer = await createWriter({
      disk,
      folder: place,
      segmentBytes,
      log,
      time,
      first: initial[0]?.seq ?? first,
      initial,
      graceMs: diskGraceMs,
      nextSeq: stream.nextSeq,
      context: parts.context,
      roastRuns: parts.roastRuns,
      head: (from, of, unwritten) => {
        const state = parts.state();
        // An entry listed here is not reported again: its report must be on the disk first.
        const gone = new RangeSet(stream.gone.ranges());
        for (const entry of unwritten)
          if (entry.kind === 'event' && entry.event.type === 'gap')
            gone.remove(entry.event.from_seq, entry.event.to_seq);
        return [
          { k: 'head', v: journalFormat, epoch: stream.epoch, first: from },
          { k: 'context', of: from, ...of },
          { k: 'clock', ...clock.now() },
          { k: 'acked', ranges: stream.acked.ranges() },
          { k: 'gone', ranges: gone.ranges() },
          ...(state ? [{ k: 'state', state } as const] : []),
          // Repeated after the state: an overwritten block must not invalidate everything after it.
          { k: 'context', of: from, ...of },
        ];
      },
      async sealed(segment, entries) {
        durable(stream, stream.addSegment(segment, entries));
        await parts.segmentClosed();
      },
      durable: (ranges) => {
        roomsMade = 0;
        durable(stream, ranges);
      },
      async makeFolder() {
        await nameStream(disk, place, stream.epoch);
        stream.noteAnew();
      },
      freeSpace,
      gaveUp: () => leaveDisk(stream, writer.trouble()?.reason ?? 'no answer', writer.trouble()?.full ?? false),
    });
    return writer;
  };
  /** Retries on a full disk, as long as a segment can be dropped. */
  const withRoom = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isFull(error) || !(await freeSpace())) throw error;
      }
    }
  };

  /**
   * Continues in a new stream, in memory. Its numbers continue too, so that marks name their samples as before. After
   * `before`, of an owner that the server has stated, it continues the same recording: a running roast stays one roast.
   */
  const beginInMemory = (
    entries: readonly Entry[],
    owner: string | undefined,
    before?: Stream,
    next: number = current.nextSeq(),
  ): void => {
    const first = entries[0]?.seq ?? next;
    const isContinued = before !== undefined && owner !== undefined && owner === before.owner();
    const continues = isContinued ? { epoch: recordingOf(before), seq: first } : undefined;
    const skipped: SeqRange | undefined = before && isContinued ? [before.nextSeq(), first - 1] : undefined;
    const unsure = before && skipped && skipped[1] >= skipped[0] ? [{ epoch: before.epoch, range: skipped }] : [];
    const stream = newStream(first, owner, continues, unsure);
    while (stream.nextSeq() < (entries.at(-1)?.seq ?? -1) + 1) stream.takeSeq();
    stream.setTail(createMemoryTail(entries));
    current = stream;
    streams.add(stream);
    durable(stream, stream.waiting());
    const begun = { epoch: stream.epoch, first, continues: continues?.epoch };
    if (diskTrouble === undefined) log.info(begun, 'journal: stream begun');
    else log.warn(begun, 'journal: memory stream started');
    retryMs = soonestMs;
    tryDiskSoon();
  };

  /** Open segments that the disk did not let us close. */
  const unsettled: (() => Promise<boolean>)[] = [];
  let cancelSettle: Cancel | undefined;
  /** Tries each once, and again later if the disk still refuses. */
  const settleAll = async (): Promise<void> => {
    cancelSettle?.();
    const tried = unsettled.splice(0).map(async (settle) => {
      if (!(await settle())) unsettled.push(settle);
    });
    await Promise.all(tried);
    if (unsettled.length === 0 || closed) return;
    cancelSettle?.();
    cancelSettle = time.after(Math.min(lastRetryMs, diskGraceMs), () => void settleAll(), { keepsAlive: false });
  };
  /** Closes the file of a stream; returns the entries that are not safe on the disk. */
  const closeTail = (stream: Stream, writer: Writer): readonly Entry[] => {
    const { unsafe, safe, gathered, settle } = writer.giveUp();
    stream.setTail(undefined);
    stream.keep(safe, gathered);
    unsettled.push(settle);
    void settleAll();
    return unsafe;
  };

  /** The disk refuses writes: entries that are not synced continue in memory. */
  const leaveDisk = (stream: Stream, reason: string, full: boolean): void => {
    const tail = stream.tail();
    if (tail?.kind !== 'disk' || closed) return;
    [diskTrouble, isDiskFull] = [reason, full];
    log.error({ reason }, 'journal: disk abandoned');
    const unsafe = closeTail(stream, tail);
    // They are not in this stream, and were never sent under its epoch.
    if (stream === current) for (const { seq } of unsafe) stream.gone.add(seq, seq);
    void stream.note();
    if (stream === current) beginInMemory(unsafe, stream.owner(), stream);
    else stream.keep([...stream.kept(), ...unsafe]);
  };

  /** Begins a stream for another owner, who gets none of the previous one. */
  const beginForOwner = (owner: string): void => {
    const before = current;
    const tail = before.tail();
    if (tail?.kind === 'disk') void tail.flush().then(() => before.tail() === tail && closeTail(before, tail));
    beginInMemory([], owner);
    attempt = tryDisk();
  };

  const soonestMs = Math.min(firstRetryMs, diskGraceMs);
  let retryMs = soonestMs;
  let cancelRetry: Cancel | undefined;
  const retryDisk = (): void => {
    attempt = tryDisk();
  };
  const tryDiskSoon = (): void => {
    cancelRetry?.();
    if (closed) return;
    cancelRetry = time.after(retryMs, retryDisk, { keepsAlive: false });
    retryMs = Math.min(lastRetryMs, retryMs * 2);
  };
  let attempt: Promise<void> = Promise.resolve();
  let trying = false;
  /** Moves the stream in memory to the disk, when that works again. */
  const tryDisk = async (): Promise<void> => {
    const stream = current;
    const tail = stream.tail();
    if (tail?.kind !== 'memory' || trying || closed) return;
    trying = true;
    const first = stream.nextSeq();
    const initial = tail.hold(first);
    // From here on the disk may hold a folder that a later start continues.
    let isNamed = false;
    const bring = async (): Promise<Writer> => {
      await found.retry();
      const place = stream.folder() ?? streamFolder(folder, found.nextIndex(), stream.epoch).folder;
      await makeStreamFolder(disk, place);
      stream.putIn(place);
      const writer = await withRoom(() => writerOf(stream, place, first, initial));
      // Before the name: a start that finds the stream must know which one it continues.
      try {
        await withRoom(() => stream.firstNote(place));
      } catch (error) {
        // The entries stay in memory: the next attempt may begin with a later one.
        await writer.close(0);
        await disk.rm(writer.path(), { force: true }).catch(() => undefined);
        throw error;
      }
      isNamed = true;
      await nameStream(disk, place, stream.epoch);
      return writer;
    };
    try {
      const writer = await within(diskGraceMs, bring(), time);
      const held = tail.heldBack();
      stream.setTail(writer);
      for (const entry of held) writer.append(recordOf(entry), entry);
      // In the meantime a stream was begun for another owner.
      if (stream !== current) void writer.flush().then(() => stream.tail() === writer && closeTail(stream, writer));
      if (diskTrouble !== undefined)
        log.info({ epoch: stream.epoch, entries: initial.length }, 'journal: disk recovered');
      [diskTrouble, roomsMade] = [undefined, 0];
      void settleAll();
    } catch (error) {
      // A read-only disk reports "no such file" for a folder below another one: the earlier error is the reason.
      if (diskTrouble === undefined || !isMissing(error))
        diskTrouble = error instanceof Error ? error.message : String(error);
      isDiskFull = isFull(error);
      if (isNamed || error instanceof TooLong) beginInMemory(tail.takeHeldBack(), stream.owner(), stream);
      else {
        durable(stream, tail.release());
        tryDiskSoon();
      }
    } finally {
      trying = false;
    }
  };

  let current: Stream;

  return {
    /**
     * Opens the newest stream of the last process, or begins one that continues it: after a process that did not close
     * it, the card may have forgotten entries that the server has, and that process may have continued in memory, as on
     * a disk that refused writes in a roast.
     */
    async open(newest: FoundStream | undefined, { maxUsed, wentOn, isOfThisBoot }: LastUse): Promise<void> {
      const isPairedAnew = newest?.stream.awaitsOwner() === true;
      current = newest?.stream ?? newStream(0, undefined);
      const owner = isPairedAnew ? undefined : current.owner();
      if (newest?.mayGoOn !== true || isPairedAnew) {
        beginInMemory([], owner);
        return tryDisk();
      }
      const { boot } = clock.now();
      const isCertain = newest.end?.boot === boot && newest.end.next === current.nextSeq() && !wentOn;
      if (owner === undefined && !isCertain && newest.leftOver.length > 0 && current.nextSeq() === 0) {
        // Of a stream that was begun and shows no entry, any number may have been used.
        beginInMemory([], undefined);
        return tryDisk();
      }
      // Streams that can't be delivered must not become more with each kill.
      const undelivered = streams.all().filter((stream) => !stream.isSealed() && stream.waiting().length > 0);
      const isCrowded = undelivered.length >= maxHistoryStreams;
      if (!newest.isNamed || (owner !== undefined && !isCertain && !isCrowded)) {
        beginInMemory([], owner, current, current.nextSeq() + maxUsed);
        return tryDisk();
      }
      // Its numbers continue, also for a server that knows no continuing streams, which states no owner.
      const skipped = isCertain || isOfThisBoot ? 0 : maxUsed;
      try {
        const place = current.folder() ?? folder;
        await withRoom(() => nameStream(disk, place, current.epoch));
        current.skip(skipped);
        const writer = await withRoom(() => writerOf(current, place, current.nextSeq()));
        await removeEnd(disk, place);
        current.setTail(writer);
        void current.note();
        // A server that states no owner does not state its entries either.
        if (owner === undefined) streams.explain(current, Infinity);
        for (const path of newest.leftOver)
          if (path !== writer.path()) await disk.rm(path, { force: true }).catch(() => undefined);
      } catch (error) {
        diskTrouble = error instanceof Error ? error.message : String(error);
        isDiskFull = isFull(error);
        log.error({ reason: diskTrouble }, 'journal: disk not writable at start');
        beginInMemory([], current.owner(), current, current.nextSeq() + maxUsed);
      }
    },
    get: (): Stream => current,
    append,
    noteRecord,
    leaveDisk: (reason: string): void => leaveDisk(current, reason, false),
    beginForOwner,
    /** Why the disk refuses writes, while it does. */
    trouble: (): string | undefined => {
      const tail = current.tail();
      return tail?.kind === 'disk' ? tail.trouble()?.reason : (diskTrouble ?? 'the disk is not ready yet');
    },
    /** Tries once more to move the entries in memory to the disk; gives up after `graceMs`. */
    async close(graceMs: number): Promise<void> {
      cancelRetry?.();
      await Promise.race([attempt.then(tryDisk), pause(graceMs, undefined, time)]);
      closed = true;
      cancelRetry?.();
      cancelSettle?.();
      const tail = current.tail();
      if (tail?.kind !== 'disk' || !(await tail.close(graceMs))) return;
      const end = { boot: clock.now().boot, next: current.nextSeq() };
      const written = writeEnd(disk, current.folder() ?? folder, end).catch((error: unknown) =>
        log.debug({ reason: String(error) }, 'journal: end not recorded'),
      );
      await Promise.race([written, pause(graceMs, undefined, time)]);
    },
  };
};
