import type { Continues, JournalEvent } from '@roastery/contract/mqtt';
import { pause } from '@roastery/runtime/backoff';
import type { Entry } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import { isFull, nodeDisk, TooLong, within } from './disk.ts';
import { findStreams } from './find-streams.ts';
import type { Journal, JournalListener, JournalOptions } from './journal-types.ts';
import { createMemoryTail } from './memory-tail.ts';
import { readPast } from './past.ts';
import { journalFormat, type JournalRecord } from './record.ts';
import { createServerWord } from './server-word.ts';
import { createStream, type Stream } from './stream.ts';
import { makeStreamFolder, nameStream, newEpoch, streamFolder } from './stream-folders.ts';
import { createStreams } from './streams.ts';
import { createWriter, recordOf, type Writer } from './writer.ts';

export type { Journal, JournalListener, JournalOptions, JournalStats } from './journal-types.ts';

/** What was read is synced at least this often; while there is a connection, before it is sent: every second. */
export const syncIntervalMs = 5000;
/** After a roast its segment stays open for late corrections of its marks. */
const roastTailMs = 60_000;
/** Acknowledgements are recorded at most this often: losing them costs a resend, nothing else. */
const noteEveryMs = 5000;
const closeGraceMs = 4000;
const tickMs = 500;
/** A disk that failed is tried again after this long, and twice as long each time. */
const firstRetryMs = 1000;
const lastRetryMs = 30_000;
/** So many segments may be dropped for one write. */
const maxRooms = 16;

/** Names the recording that a stream is part of: the first stream of it. */
const recordingOf = (stream: Stream): string => stream.continues?.epoch ?? stream.epoch;

/** Opens the journal in `folder`, whatever state the last process, a power cut or the disk left it in. It always opens. */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const { folder, capBytes, clock, log, segmentBytes = 262_144, syncMs = syncIntervalMs } = options;
  const { disk = nodeDisk, diskGraceMs = 20_000, credential } = options;
  const listeners: JournalListener[] = [];
  let context = options.context;
  let roastRuns = false;
  let rollAtMono: number | undefined;
  let ackToNote = false;
  let closed = false;
  /** Events to append as soon as a stream is open. */
  let whenStarted: (() => void)[] | undefined = [];
  let diskTrouble: string | undefined;
  let isDiskFull = false;

  const durable = (stream: Stream, ranges: readonly SeqRange[]): void => {
    if (ranges.length === 0 || stream.isSealed()) return;
    for (const listener of listeners) listener.durable(ranges, stream.epoch);
  };
  const streams = createStreams({
    disk,
    log,
    clock,
    capBytes,
    say(stream, event) {
      if (stream.tail() === undefined && whenStarted) whenStarted.push(() => streams.say(stream, event));
      else if (recordingOf(stream) === recordingOf(current)) appendEvent(clock.now().mono, event);
      else {
        durable(stream, [stream.say(clock.now().mono, context, event)]);
        void stream.note();
      }
    },
    gone: (stream, from, to) => {
      for (const listener of listeners) listener.gone(from, to, stream.epoch);
    },
    noteGone: (stream) => {
      if (whenStarted) whenStarted.push(() => noteGone(stream));
      else noteGone(stream);
    },
  });
  const noteGone = (stream: Stream): void => {
    if (stream === current) noteRecord({ k: 'gone', ranges: stream.gone.ranges() });
    else void stream.note();
  };
  const newStream = (nextSeq: number, owner: string | undefined, continues?: Continues): Stream =>
    createStream({
      disk,
      log,
      epoch: newEpoch(),
      folder: undefined,
      segments: [],
      nextSeq,
      notes: { owner, continues, gone: nextSeq > 0 ? [[0, nextSeq - 1]] : [] },
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
  const appendEvent = (mono: number, event: JournalEvent): number => {
    if (event.type === 'roast') {
      roastRuns = event.state === 'in_progress';
      rollAtMono = roastRuns ? undefined : mono + roastTailMs;
    }
    const seq = current.takeSeq();
    append({ kind: 'event', seq, mono, context, event });
    const tail = current.tail();
    // A mark must survive a power cut at once.
    if (tail?.kind === 'disk' && (event.type === 'roast' || event.type === 'mark')) tail.requestSync();
    return seq;
  };

  /** Where other programs take the room as fast as it is made, the disk counts as failed. */
  let roomsMade = 0;
  const makeRoom = async (): Promise<boolean> => {
    if (roomsMade >= maxRooms) return false;
    roomsMade += 1;
    return streams.makeRoom();
  };
  const keepWithinCap = (): Promise<void> =>
    streams.keepWithinCap().catch((error: unknown) => log.error({ err: error }, 'journal: making room failed'));

  /** A writer of a stream in its folder. Throws when the disk doesn't take its first segment. */
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
      first: initial[0]?.seq ?? first,
      initial,
      graceMs: diskGraceMs,
      nextSeq: stream.nextSeq,
      context: () => context,
      roastRuns: () => roastRuns,
      head: (from, of) => {
        const state = options.state();
        return [
          { k: 'head', v: journalFormat, epoch: stream.epoch, first: from },
          { k: 'context', of: from, ...of },
          { k: 'clock', ...clock.now() },
          { k: 'acked', ranges: stream.acked.ranges() },
          { k: 'gone', ranges: stream.gone.ranges() },
          ...(state ? [{ k: 'state', state } as const] : []),
          // Once more, behind the state: a block that is overwritten must not take the meaning of all that follows.
          { k: 'context', of: from, ...of },
        ];
      },
      async sealed(segment, entries) {
        stream.addSegment(segment, entries);
        await keepWithinCap();
      },
      durable: (ranges) => {
        roomsMade = 0;
        durable(stream, ranges);
      },
      makeFolder: () => nameStream(disk, place, stream.epoch),
      makeRoom,
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
        if (!isFull(error) || !(await makeRoom())) throw error;
      }
    }
  };

  /**
   * Goes on in a new stream, in memory. Its numbers go on too, so that marks name their samples as before. After `before`,
   * of an owner that the server has stated, it continues the same recording: a roast in that moment stays one roast.
   */
  const beginInMemory = (entries: readonly Entry[], owner: string | undefined, before?: Stream): void => {
    const first = entries[0]?.seq ?? current.nextSeq();
    const isContinued = before !== undefined && owner !== undefined && owner === before.owner();
    const continues = isContinued ? { epoch: recordingOf(before), seq: first } : undefined;
    const stream = newStream(first, owner, continues);
    while (stream.nextSeq() < (entries.at(-1)?.seq ?? -1) + 1) stream.takeSeq();
    stream.setTail(createMemoryTail(entries));
    current = stream;
    streams.add(stream);
    durable(stream, stream.waiting());
    log.warn({ epoch: stream.epoch, first, continues: continues?.epoch }, 'journal: stream begun in memory');
    retryMs = soonestMs;
    tryDiskSoon();
  };

  /** Open segments that the disk did not let us close. */
  let unsettled: (() => Promise<boolean>)[] = [];
  const settleAll = async (): Promise<void> => {
    const open = unsettled;
    unsettled = [];
    for (const settle of open) if (!(await settle())) unsettled.push(settle);
  };
  /** Closes what a stream was being written to; answers what is not safe on the disk. */
  const closeTail = (stream: Stream, writer: Writer): readonly Entry[] => {
    const { unsafe, safe, settle } = writer.giveUp();
    stream.setTail(undefined);
    stream.keep(safe);
    unsettled.push(settle);
    void settleAll();
    return unsafe;
  };

  /** The disk refuses writes: entries that are not synced go on in memory. */
  const leaveDisk = (stream: Stream, reason: string, full: boolean): void => {
    const tail = stream.tail();
    if (tail?.kind !== 'disk' || closed) return;
    [diskTrouble, isDiskFull] = [reason, full];
    log.error({ reason }, 'journal: disk given up');
    const unsafe = closeTail(stream, tail);
    // They are not in this stream, and were never sent under its epoch.
    if (stream === current) for (const { seq } of unsafe) stream.gone.add(seq, seq);
    void stream.note();
    if (stream === current) beginInMemory(unsafe, stream.owner(), stream);
    else stream.keep([...stream.kept(), ...unsafe]);
  };

  /** Begins a stream for another owner, who gets nothing of the one before. */
  const beginForOwner = (owner: string): void => {
    const before = current;
    const tail = before.tail();
    if (tail?.kind === 'disk') void tail.flush().then(() => before.tail() === tail && closeTail(before, tail));
    beginInMemory([], owner);
    attempt = tryDisk();
  };

  const soonestMs = Math.min(firstRetryMs, diskGraceMs);
  let retryMs = soonestMs;
  let retryTimer: NodeJS.Timeout | undefined;
  const tryDiskSoon = (): void => {
    clearTimeout(retryTimer);
    if (closed) return;
    retryTimer = setTimeout(() => {
      attempt = tryDisk();
    }, retryMs).unref();
    retryMs = Math.min(lastRetryMs, retryMs * 2);
  };
  let attempt: Promise<void> = Promise.resolve();
  let trying = false;
  /** Brings the stream in memory to the disk, where that works again. */
  const tryDisk = async (): Promise<void> => {
    const stream = current;
    const tail = stream.tail();
    if (tail?.kind !== 'memory' || trying || closed) return;
    trying = true;
    const first = stream.nextSeq();
    const initial = tail.hold(first);
    // Beyond this a folder may be on the disk that a later start takes for a stream that it may go on with.
    let isNamed = false;
    const bring = async (): Promise<Writer> => {
      await found.retry();
      const place = stream.folder() ?? streamFolder(folder, found.nextIndex(), stream.epoch).folder;
      await makeStreamFolder(disk, place);
      stream.putIn(place);
      const writer = await withRoom(() => writerOf(stream, place, first, initial));
      isNamed = true;
      await nameStream(disk, place, stream.epoch);
      void stream.note();
      return writer;
    };
    try {
      const writer = await within(diskGraceMs, bring());
      const held = tail.heldBack();
      stream.setTail(writer);
      for (const entry of held) writer.append(recordOf(entry), entry);
      // A stream was begun for another owner in the meantime.
      if (stream !== current) void writer.flush().then(() => stream.tail() === writer && closeTail(stream, writer));
      [diskTrouble, roomsMade] = [undefined, 0];
      await settleAll();
      log.info({ epoch: stream.epoch, entries: initial.length }, 'journal: disk accepts writes again');
    } catch (error) {
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

  const found = await findStreams({
    disk,
    folder,
    log,
    clock,
    credential,
    damaged: (stream, holes) => streams.lost(stream, holes, 'damaged'),
  });
  for (const { stream } of found.streams) streams.add(stream);
  found.later = (stream) => {
    streams.addEarlier(stream.stream);
    durable(stream.stream, stream.stream.waiting());
    streams.lost(stream.stream, stream.damaged, 'damaged');
  };
  const newest = found.streams.at(-1);
  const isPairedAnew = newest?.stream.awaitsOwner() === true;
  /** A roast of an earlier pairing does not go on in this one. */
  const ofThisPairing = found.streams.filter(({ stream }) => !stream.awaitsOwner());
  const past = await readPast(
    disk,
    ofThisPairing.findLast(({ stream }) => stream.segments().length > 0)?.stream.segments() ?? [],
    log,
  );
  let current: Stream = newest?.stream ?? newStream(0, undefined);
  if (isPairedAnew) {
    const withheld = streams.all().flatMap((stream) => (stream.awaitsOwner() ? [stream.epoch] : []));
    log.warn({ epochs: withheld }, 'journal: history of earlier pairing withheld');
  }
  if (newest?.mayGoOn !== true || isPairedAnew) {
    beginInMemory([], isPairedAnew ? undefined : current.owner());
    await tryDisk();
  } else {
    try {
      const place = current.folder() ?? folder;
      await withRoom(() => nameStream(disk, place, current.epoch));
      const writer = await withRoom(() => writerOf(current, place, current.nextSeq()));
      current.setTail(writer);
      void current.note();
      for (const path of newest.leftOver)
        if (path !== writer.path()) await disk.rm(path, { force: true }).catch(() => undefined);
    } catch (error) {
      diskTrouble = error instanceof Error ? error.message : String(error);
      isDiskFull = isFull(error);
      log.error({ reason: diskTrouble }, 'journal: disk refuses writes at start');
      beginInMemory([], current.owner(), current);
    }
  }
  const owed = whenStarted;
  whenStarted = undefined;
  for (const say of owed) say();
  for (const { stream, damaged } of found.streams) streams.lost(stream, damaged, 'damaged');
  await keepWithinCap();
  streams.tidy(current);

  let notedAt = 0;
  let syncedAt = performance.now();
  let lookedAt = performance.now();
  const noteAcked = (now: number): void => {
    ackToNote = false;
    notedAt = now;
    for (const stream of streams.all()) if (stream !== current) void stream.note();
    noteRecord({ k: 'acked', ranges: current.acked.ranges() });
    streams.tidy(current);
  };
  const timer = setInterval(() => {
    const now = performance.now();
    const tail = current.tail();
    if (ackToNote && now - notedAt >= noteEveryMs) noteAcked(now);
    if (now - lookedAt >= lastRetryMs) {
      lookedAt = now;
      found.retry().catch((error: unknown) => log.warn({ reason: String(error) }, 'journal: streams unreadable'));
    }
    if (tail?.kind !== 'disk') return;
    if (tail.stalledMs() > diskGraceMs + tickMs) return leaveDisk(current, 'the disk does not answer', false);
    if (now - syncedAt < syncMs - tickMs) return;
    syncedAt = now;
    if (tail.dirty()) tail.requestSync();
  }, tickMs);
  timer.unref();

  const streamOf = (epoch: string | undefined): Stream | undefined =>
    epoch === undefined ? current : streams.find(epoch);

  const serverWord = createServerWord({
    log,
    streams,
    durable,
    withdraw(stream) {
      for (const [from, to] of stream.held().ranges())
        for (const listener of listeners) listener.gone(from, to, stream.epoch);
    },
    sealed: (stream, owner) => {
      if (stream === current) beginForOwner(owner);
    },
  });

  return {
    get epoch() {
      return current.epoch;
    },
    past,
    listen: (listener) => void listeners.push(listener),
    setContext: (next) => void (context = next),
    noteClock: () => noteRecord({ k: 'clock', ...clock.now() }),
    noteState() {
      const state = options.state();
      if (state) noteRecord({ k: 'state', state });
    },
    appendSample(mono, values) {
      const tail = current.tail();
      if (rollAtMono !== undefined && mono > rollAtMono) {
        rollAtMono = undefined;
        if (tail?.kind === 'disk') tail.requestRoll();
      }
      const seq = current.takeSeq();
      append({ kind: 'sample', seq, mono, context, values });
      return seq;
    },
    appendEvent,
    async flush() {
      const tail = current.tail();
      if (tail?.kind === 'disk') await tail.flush();
    },
    epochs: () =>
      streams
        .all()
        .filter((stream) => !stream.isSealed())
        .map(({ epoch }) => epoch)
        .reverse(),
    waiting(epoch) {
      const stream = streamOf(epoch);
      return stream && !stream.isSealed() ? stream.waiting() : [];
    },
    readPart: async (from, to, epoch) => (await streamOf(epoch)?.read(from, to)) ?? { entries: [], to },
    segmentEnd: (from, to, epoch) => streamOf(epoch)?.endOfPart(from, to) ?? to,
    read: async (from, to) => (await current.read(from, to)).entries,
    acknowledge(ranges, epoch) {
      streamOf(epoch)?.acknowledge(ranges);
      ackToNote = true;
    },
    hear(ack) {
      serverWord.hear(ack);
      ackToNote = true;
    },
    continues: (epoch) => streamOf(epoch)?.continues,
    ownerOf: (epoch) => streamOf(epoch)?.owner(),
    history: () => streams.history(),
    stats() {
      const tail = current.tail();
      const writer = tail?.kind === 'disk' ? tail : undefined;
      return {
        bytes: streams.bytes(),
        droppedEntries: streams.droppedEntries(),
        trouble: writer ? writer.trouble()?.reason : (diskTrouble ?? 'the disk is not ready yet'),
        inMemory: writer === undefined,
        entriesInMemory: tail?.kind === 'memory' ? tail.entries().length : 0,
        awaitingOwner: streams.all().filter((stream) => stream.awaitsOwner()).length,
        stalledMs: writer?.stalledMs() ?? 0,
      };
    },
    async close() {
      clearInterval(timer);
      clearTimeout(retryTimer);
      noteAcked(performance.now());
      await Promise.race([attempt.then(tryDisk), pause(closeGraceMs)]);
      closed = true;
      clearTimeout(retryTimer);
      const tail = current.tail();
      if (tail?.kind === 'disk') await tail.close(closeGraceMs);
      await Promise.race([Promise.all(streams.all().map((stream) => stream.settled())), pause(closeGraceMs)]);
    },
  };
};
