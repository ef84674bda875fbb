import type { JournalEvent } from '@roastery/contract/mqtt';
import { pause } from '@roastery/runtime/backoff';
import { realClock } from '@roastery/runtime/clock';
import { serial } from '@roastery/runtime/turns';
import type { ClockReading } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import type { RecordedPast } from '../core/replay.ts';
import type { SyncPace } from '../core/sync-pace.ts';
import type { WallClock } from '../core/wall-clock.ts';
import { CurrentStream, lastRetryMs } from './current-stream.ts';
import { nodeDisk } from './disk.ts';
import { findStreams, type FoundStream } from './find-streams.ts';
import { createGapReports } from './gap-reports.ts';
import type { Journal, JournalListener, JournalOptions } from './journal-types.ts';
import { readPast } from './past.ts';
import { createServerStatements } from './server-statements.ts';
import type { Stream } from './stream.ts';
import { createStreams } from './streams.ts';

export type { Journal, JournalListener, JournalOptions, JournalStats } from './journal-types.ts';

/** Readings are synced at these intervals at the pace `each_second`, and at the slow pace between roasts. */
export const syncIntervalMs = 1000;
export const idleSyncIntervalMs = 60_000;
/** After a roast its segment stays open for late corrections of its marks. */
const roastTailMs = 60_000;
/** Acknowledgements are recorded at most this often: losing them only costs a resend. */
const noteEveryMs = 5000;
const closeGraceMs = 4000;
const tickMs = 500;
/** Ten samples a second at the highest rate of a machine map, and events. */
const maxEntriesPerSecond = 20;
/** No roast lasts longer. */
const maxAwayMs = 3_600_000;
/** Entries of the last moments before a kill, and the time for which a computer slept. */
const spareMs = 60_000;
/** A wall clock that differs by more was not set. */
const maxWallMs = 366 * 86_400_000;

/**
 * The most entries that a process can have created since the last one on the disk. After a power cut the wall clocks
 * count too: a later start must not get the numbers of an earlier one that the card has forgotten.
 */
const maxEntriesSince = ({ entries }: RecordedPast, clock: WallClock): number => {
  const last = entries.at(-1);
  const now = clock.now();
  const usedUntil = last && clock.at(last.context.boot, last.mono).t;
  const wallMs = usedUntil === undefined ? 0 : Math.min(Math.max(0, now.wall - usedUntil), maxWallMs);
  const sinceMs =
    last?.context.boot === now.boot ? Math.min(Math.max(0, now.mono - last.mono), maxAwayMs) : maxAwayMs + wallMs;
  return Math.ceil(((sinceMs + spareMs) / 1000) * maxEntriesPerSecond);
};

/**
 * Whether a roast ran when the disk was last written, so long ago that the process may have continued in memory since.
 */
const mayHaveGoneOn = ({ state, entries }: RecordedPast, now: ClockReading, graceMs: number): boolean => {
  const last = entries.at(-1);
  if (last === undefined) return false;
  const roast = entries.findLast((entry) => entry.kind === 'event' && entry.event.type === 'roast');
  const isStateNewer = state !== undefined && state.tracker.seq > (roast?.seq ?? -1);
  const ran = isStateNewer
    ? state.tracker.running !== null
    : roast?.kind === 'event' && roast.event.type === 'roast' && roast.event.state === 'in_progress';
  return ran && (last.context.boot !== now.boot || now.mono - last.mono >= graceMs);
};

/**
 * Opens the journal in `folder`, whatever state the last process, a power cut or the disk left it in. It always opens.
 */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const { folder, capBytes, clock, log, segmentBytes = 262_144 } = options;
  const { syncMs = syncIntervalMs, idleSyncMs = idleSyncIntervalMs } = options;
  const { disk = nodeDisk, diskGraceMs = 20_000, credential, time = realClock } = options;
  const listeners: JournalListener[] = [];
  let context = options.context;
  let roastRuns = false;
  let rollAtMono: number | undefined;
  let pace: SyncPace = 'each_second';
  let syncedAt = time.monotonic();
  let ackToNote = false;
  /** Events to append as soon as a stream is open. */
  let whenStarted: (() => void)[] | undefined = [];

  const durable = (stream: Stream, ranges: readonly SeqRange[]): void => {
    if (ranges.length === 0 || stream.isSealed()) return;
    const own = streams.withoutLater(stream, ranges);
    for (const listener of listeners) if (own.length > 0) listener.durable(own, stream.epoch);
  };
  const streams = createStreams({
    disk,
    folder,
    log,
    clock,
    capBytes,
    appendEvent(stream, event) {
      if (stream.tail() === undefined && whenStarted) {
        whenStarted.push(() => streams.appendEvent(stream, event));
        return;
      }
      // The numbers of a recording continue across streams: only its newest one has free numbers.
      const newest = streams.newestOf(stream);
      if (newest === current.get()) {
        const seq = appendEvent(clock.now().mono, event);
        if (newest !== stream) gapReports.add(stream, event, seq);
        return;
      }
      const late = newest.appendLate(clock.now().mono, context, event);
      if (newest !== stream) gapReports.add(stream, event, late[0]);
      durable(newest, [late]);
      void newest.note();
    },
    gone: (stream, from, to) => {
      for (const listener of listeners) listener.gone(from, to, stream.epoch);
    },
    noteGone: (stream) => {
      if (whenStarted) whenStarted.push(() => noteGone(stream));
      else noteGone(stream);
    },
  });
  const gapReports = createGapReports(() => streams.all());
  const noteGone = (stream: Stream): void => {
    if (stream === current.get()) current.noteRecord({ k: 'gone', ranges: stream.gone.ranges() });
    else void stream.note();
  };
  const appendEvent = (mono: number, event: JournalEvent): number => {
    if (event.type === 'roast') {
      roastRuns = event.state === 'in_progress';
      rollAtMono = roastRuns ? undefined : mono + roastTailMs;
    }
    const seq = current.get().takeSeq();
    current.append({ kind: 'event', seq, mono, context, event });
    // Events are few, and must survive a power cut at once.
    syncNow();
    return seq;
  };
  const syncNow = (): void => {
    const tail = current.get().tail();
    if (tail?.kind !== 'disk') return;
    syncedAt = time.monotonic();
    tail.requestSync();
  };
  const syncEveryMs = (): number => (pace === 'gather' ? idleSyncMs : syncMs);

  const keepWithinCap = (): Promise<void> =>
    streams.keepWithinCap().catch((error: unknown) => log.error({ err: error }, 'journal: freeing space failed'));

  const found = await findStreams({
    disk,
    folder,
    log,
    clock,
    time,
    credential,
    damaged: (stream, holes) => streams.lost(stream, holes, 'damaged'),
  });
  for (const { stream } of found.streams) streams.add(stream);
  const report = ({ stream, damaged, dropped }: FoundStream): void => {
    streams.lost(stream, damaged, 'damaged');
    streams.lost(stream, dropped, 'disk_full');
  };
  found.later = (late) => {
    streams.addEarlier(late.stream);
    durable(late.stream, late.stream.waiting());
    report(late);
  };
  const newest = found.streams.at(-1);
  /** A roast of an earlier pairing does not continue in this one. */
  const ofThisPairing = found.streams.filter(({ stream }) => !stream.awaitsOwner());
  const lastWritten = ofThisPairing.findLast(({ stream }) => stream.segments().length > 0)?.stream;
  const past = await readPast(disk, lastWritten ? streams.segmentsOfRecording(lastWritten) : [], log);
  if (newest?.stream.awaitsOwner() === true) {
    const withheld = streams.all().flatMap((stream) => (stream.awaitsOwner() ? [stream.epoch] : []));
    log.warn({ epochs: withheld }, 'journal: history of earlier pairing withheld');
  }
  const current = new CurrentStream({
    disk,
    folder,
    log,
    clock,
    time,
    segmentBytes,
    diskGraceMs,
    credential,
    context: () => context,
    state: () => options.state(),
    roastRuns: () => roastRuns,
    streams,
    found,
    durable,
    segmentClosed: keepWithinCap,
  });
  const startedAt = clock.now();
  const lastBoot = past.entries.at(-1)?.context.boot;
  const isNew = lastBoot === undefined && newest?.stream.owner() === undefined;
  await current.open({
    maxUsed: isNew ? 0 : maxEntriesSince(past, clock),
    wentOn: mayHaveGoneOn(past, startedAt, diskGraceMs),
    isOfThisBoot: lastBoot === startedAt.boot,
  });
  const owed = whenStarted;
  whenStarted = undefined;
  for (const append of owed) append();
  for (const one of found.streams) report(one);
  await keepWithinCap();
  const tidying = serial();
  void tidying(() => streams.tidy(current.get()));
  let notedAt = 0;
  let lookedAt = time.monotonic();
  const noteAcked = (now: number): void => {
    ackToNote = false;
    notedAt = now;
    for (const stream of streams.all()) if (stream !== current.get()) void stream.note();
    current.noteRecord({ k: 'acked', ranges: current.get().acked.ranges() });
    void tidying(() => streams.tidy(current.get()));
  };
  const tick = (): void => {
    const now = time.monotonic();
    const tail = current.get().tail();
    if (ackToNote && now - notedAt >= noteEveryMs) noteAcked(now);
    gapReports.settle();
    if (now - lookedAt >= lastRetryMs) {
      lookedAt = now;
      found.retry().catch((error: unknown) => log.warn({ reason: String(error) }, 'journal: streams unreadable'));
    }
    if (tail?.kind !== 'disk') return;
    if (tail.stalledMs() > diskGraceMs + tickMs) return current.leaveDisk('the disk does not answer');
    if (now - syncedAt >= syncEveryMs() - tickMs / 2 && tail.dirty()) syncNow();
  };
  const cancelTicks = time.every(tickMs, tick, { keepsAlive: false });

  const streamOf = (epoch: string | undefined): Stream | undefined =>
    epoch === undefined ? current.get() : streams.find(epoch);

  const serverStatements = createServerStatements({
    log,
    streams,
    durable,
    withdraw(stream) {
      for (const [from, to] of stream.held().ranges())
        for (const listener of listeners) listener.gone(from, to, stream.epoch);
    },
    sealed: (stream, owner) => {
      if (stream === current.get()) current.beginForOwner(owner);
    },
  });

  return {
    get epoch() {
      return current.get().epoch;
    },
    past,
    listen: (listener) => void listeners.push(listener),
    setContext: (next) => void (context = next),
    setPace(next) {
      if (next !== pace) log.debug({ pace: next }, 'journal: pace');
      pace = next;
    },
    noteClock: () => current.noteRecord({ k: 'clock', ...clock.now() }),
    noteState() {
      const state = options.state();
      if (state) current.noteRecord({ k: 'state', state });
    },
    appendSample(mono, values) {
      const tail = current.get().tail();
      if (rollAtMono !== undefined && mono > rollAtMono) {
        rollAtMono = undefined;
        if (tail?.kind === 'disk') tail.requestRoll();
      }
      const seq = current.get().takeSeq();
      current.append({ kind: 'sample', seq, mono, context, values });
      return seq;
    },
    appendEvent,
    async flush() {
      const tail = current.get().tail();
      if (tail?.kind !== 'disk') return;
      syncedAt = time.monotonic();
      await tail.flush();
    },
    epochs: () =>
      streams
        .all()
        .filter((stream) => !stream.isSealed())
        .map(({ epoch }) => epoch)
        .reverse(),
    waiting(epoch) {
      const stream = streamOf(epoch);
      return stream && !stream.isSealed() ? streams.withoutLater(stream, stream.waiting()) : [];
    },
    readPart: async (from, to, epoch) => (await streamOf(epoch)?.read(from, to)) ?? { entries: [], to },
    segmentEnd: (from, to, epoch) => streamOf(epoch)?.endOfPart(from, to) ?? to,
    read: async (from, to) => (await current.get().read(from, to)).entries,
    acknowledge(ranges, epoch) {
      const stream = streamOf(epoch);
      if (stream) streams.acknowledge(stream, ranges);
      ackToNote = true;
    },
    hear(ack) {
      serverStatements.hear(ack);
      ackToNote = true;
    },
    continues: (epoch) => streamOf(epoch)?.continues,
    ownerOf: (epoch) => streamOf(epoch)?.owner(),
    history: () => streams.history(),
    stats() {
      const tail = current.get().tail();
      const writer = tail?.kind === 'disk' ? tail : undefined;
      return {
        bytes: streams.bytes(),
        droppedEntries: streams.droppedEntries(),
        trouble: current.trouble(),
        inMemory: writer === undefined,
        entriesInMemory: tail?.kind === 'memory' ? tail.entries().length : 0,
        awaitingOwner: streams.all().filter((stream) => stream.awaitsOwner()).length,
        stalledMs: writer?.stalledMs() ?? 0,
        syncEveryMs: writer === undefined ? syncMs : syncEveryMs(),
      };
    },
    async close() {
      cancelTicks();
      noteAcked(time.monotonic());
      await current.close(closeGraceMs);
      await Promise.race([
        Promise.all([tidying.settled(), ...streams.all().map((stream) => stream.settled())]),
        pause(closeGraceMs, undefined, time),
      ]);
    },
  };
};
