import type { Ack, Continues, JournalEvent } from '@roastery/contract/mqtt';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import type { ClockReading, Entry, RecordingContext } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import type { RecordedPast } from '../core/replay.ts';
import type { SyncPace } from '../core/sync-pace.ts';
import type { WallClock } from '../core/wall-clock.ts';
import { CurrentStream, lastRetryMs } from './current-stream.ts';
import { nodeDisk } from './disk.ts';
import { findStreams, type FoundStream, type FoundStreams } from './find-streams.ts';
import { createGapReports, type GapReports } from './gap-reports.ts';
import type { Journal, JournalListener, JournalOptions, JournalStats } from './journal-types.ts';
import { readPast } from './past.ts';
import { createServerStatements, type ServerStatements } from './server-statements.ts';
import type { Stream } from './stream.ts';
import { segmentsOfRecording, Streams, type StreamHistory } from './streams.ts';

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

class StreamJournal implements Journal {
  readonly past: RecordedPast;
  readonly #options: JournalOptions;
  readonly #clock: WallClock;
  readonly #time: Clock;
  readonly #log: Logger;
  readonly #diskGraceMs: number;
  readonly #syncMs: number;
  readonly #idleSyncMs: number;
  readonly #found: FoundStreams;
  readonly #streams: Streams;
  readonly #gapReports: GapReports;
  readonly #current: CurrentStream;
  readonly #serverStatements: ServerStatements;
  readonly #listeners: JournalListener[] = [];
  readonly #tidying = serial();
  #context: RecordingContext;
  #roastRuns = false;
  #rollAtMono: number | undefined;
  #pace: SyncPace = 'each_second';
  #syncedAt: number;
  /** Events to append as soon as a stream is open. */
  #whenStarted: (() => void)[] | undefined = [];
  #ackToNote = false;
  #notedAt = 0;
  #lookedAt: number;
  #cancelTicks: Cancel | undefined;

  private constructor(options: JournalOptions, found: FoundStreams, past: RecordedPast) {
    const { folder, capBytes, clock, log, segmentBytes = 262_144, credential } = options;
    const { disk = nodeDisk, diskGraceMs = 20_000, time = realClock } = options;
    this.past = past;
    this.#options = options;
    this.#clock = clock;
    this.#time = time;
    this.#log = log;
    this.#diskGraceMs = diskGraceMs;
    this.#syncMs = options.syncMs ?? syncIntervalMs;
    this.#idleSyncMs = options.idleSyncMs ?? idleSyncIntervalMs;
    this.#context = options.context;
    this.#syncedAt = time.monotonic();
    this.#lookedAt = time.monotonic();
    this.#found = found;
    this.#streams = new Streams({
      disk,
      folder,
      log,
      clock,
      capBytes,
      appendEvent: (stream, event) => this.#report(stream, event),
      gone: (stream, from, to) => this.#tellGone(stream, from, to),
      noteGone: (stream) => this.#onceStarted(() => this.#noteGone(stream)),
    });
    for (const { stream } of found.streams) this.#streams.add(stream);
    this.#gapReports = createGapReports(() => this.#streams.all());
    this.#current = new CurrentStream({
      disk,
      folder,
      log,
      clock,
      time,
      segmentBytes,
      diskGraceMs,
      credential,
      context: () => this.#context,
      state: () => options.state(),
      roastRuns: () => this.#roastRuns,
      streams: this.#streams,
      found,
      durable: (stream, ranges) => this.#durable(stream, ranges),
      segmentClosed: () => this.#keepWithinCap(),
    });
    this.#serverStatements = createServerStatements({
      log,
      streams: this.#streams,
      durable: (stream, ranges) => this.#durable(stream, ranges),
      withdraw: (stream) => {
        for (const [from, to] of stream.held().ranges()) this.#tellGone(stream, from, to);
      },
      sealed: (stream, owner) => {
        if (stream === this.#current.get()) this.#current.beginForOwner(owner);
      },
    });
  }

  static async open(options: JournalOptions): Promise<Journal> {
    const { folder, clock, log, disk = nodeDisk, time = realClock, credential } = options;
    let journal: StreamJournal | undefined;
    const found = await findStreams({
      disk,
      folder,
      log,
      clock,
      time,
      credential,
      damaged(stream, holes) {
        if (journal) journal.#streams.lost(stream, holes, 'damaged');
      },
    });
    /** A roast of an earlier pairing does not continue in this one. */
    const ofThisPairing = found.streams.map(({ stream }) => stream).filter((stream) => !stream.awaitsOwner());
    const lastWritten = ofThisPairing.findLast((stream) => stream.segments().length > 0);
    const past = await readPast(disk, lastWritten ? segmentsOfRecording(found.streams, lastWritten) : [], log);
    journal = new StreamJournal(options, found, past);
    await journal.#start();
    return journal;
  }

  async #start(): Promise<void> {
    const report = ({ stream, damaged, dropped }: FoundStream): void => {
      this.#streams.lost(stream, damaged, 'damaged');
      this.#streams.lost(stream, dropped, 'disk_full');
    };
    this.#found.later = (late) => {
      this.#streams.addEarlier(late.stream);
      this.#durable(late.stream, late.stream.waiting());
      report(late);
    };
    const newest = this.#found.streams.at(-1)?.stream;
    if (newest?.awaitsOwner() === true) {
      const withheld = this.#streams.all().flatMap((stream) => (stream.awaitsOwner() ? [stream.epoch] : []));
      this.#log.warn({ epochs: withheld }, 'journal: history of earlier pairing withheld');
    }
    const startedAt = this.#clock.now();
    const lastBoot = this.past.entries.at(-1)?.context.boot;
    const isNew = lastBoot === undefined && newest?.owner === undefined;
    await this.#current.open({
      maxUsed: isNew ? 0 : maxEntriesSince(this.past, this.#clock),
      wentOn: mayHaveGoneOn(this.past, startedAt, this.#diskGraceMs),
      isOfThisBoot: lastBoot === startedAt.boot,
    });
    const owed = this.#whenStarted ?? [];
    this.#whenStarted = undefined;
    for (const append of owed) append();
    for (const found of this.#found.streams) report(found);
    await this.#keepWithinCap();
    this.#tidy();
    this.#lookedAt = this.#time.monotonic();
    this.#cancelTicks = this.#time.every(tickMs, () => this.#tick(), { keepsAlive: false });
  }

  get epoch(): string {
    return this.#current.get().epoch;
  }

  listen(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  setContext(context: RecordingContext): void {
    this.#context = context;
  }

  setPace(pace: SyncPace): void {
    if (pace !== this.#pace) this.#log.debug({ pace }, 'journal: pace');
    this.#pace = pace;
  }

  noteClock(): void {
    this.#current.noteRecord({ k: 'clock', ...this.#clock.now() });
  }

  noteState(): void {
    const state = this.#options.state();
    if (state) this.#current.noteRecord({ k: 'state', state });
  }

  appendSample(mono: number, values: readonly (number | null)[]): number {
    const tail = this.#current.get().tail;
    if (this.#rollAtMono !== undefined && mono > this.#rollAtMono) {
      this.#rollAtMono = undefined;
      if (tail?.kind === 'disk') tail.requestRoll();
    }
    const seq = this.#current.get().takeSeq();
    this.#current.append({ kind: 'sample', seq, mono, context: this.#context, values });
    return seq;
  }

  appendEvent(mono: number, event: JournalEvent): number {
    if (event.type === 'roast') {
      this.#roastRuns = event.state === 'in_progress';
      this.#rollAtMono = this.#roastRuns ? undefined : mono + roastTailMs;
    }
    const seq = this.#current.get().takeSeq();
    this.#current.append({ kind: 'event', seq, mono, context: this.#context, event });
    // Events are few, and must survive a power cut at once.
    this.#syncNow();
    return seq;
  }

  async flush(): Promise<void> {
    const tail = this.#current.get().tail;
    if (tail?.kind !== 'disk') return;
    this.#syncedAt = this.#time.monotonic();
    await tail.flush();
  }

  epochs(): string[] {
    const sent = this.#streams.all().filter((stream) => !stream.isSealed());
    return sent.map(({ epoch }) => epoch).reverse();
  }

  waiting(epoch?: string): readonly SeqRange[] {
    const stream = this.#streamOf(epoch);
    return stream && !stream.isSealed() ? this.#streams.withoutLater(stream, stream.waiting()) : [];
  }

  async readPart(from: number, to: number, epoch?: string): Promise<{ entries: readonly Entry[]; to: number }> {
    return (await this.#streamOf(epoch)?.read(from, to)) ?? { entries: [], to };
  }

  segmentEnd(from: number, to: number, epoch?: string): number {
    return this.#streamOf(epoch)?.endOfPart(from, to) ?? to;
  }

  async read(from: number, to: number): Promise<readonly Entry[]> {
    return (await this.#current.get().read(from, to)).entries;
  }

  acknowledge(ranges: readonly SeqRange[], epoch?: string): void {
    const stream = this.#streamOf(epoch);
    if (stream) this.#streams.acknowledge(stream, ranges);
    this.#ackToNote = true;
  }

  hear(ack: Ack): void {
    this.#serverStatements.hear(ack);
    this.#ackToNote = true;
  }

  continues(epoch: string): Continues | undefined {
    return this.#streamOf(epoch)?.continues;
  }

  ownerOf(epoch: string): string | undefined {
    return this.#streamOf(epoch)?.owner;
  }

  history(): Promise<StreamHistory[]> {
    return this.#streams.history();
  }

  stats(): JournalStats {
    const tail = this.#current.get().tail;
    const writer = tail?.kind === 'disk' ? tail : undefined;
    return {
      bytes: this.#streams.bytes(),
      droppedEntries: this.#streams.droppedEntries(),
      trouble: this.#current.trouble(),
      inMemory: writer === undefined,
      entriesInMemory: tail?.kind === 'memory' ? tail.entries().length : 0,
      awaitingOwner: this.#streams.all().filter((stream) => stream.awaitsOwner()).length,
      stalledMs: writer?.stalledMs() ?? 0,
      syncEveryMs: writer === undefined ? this.#syncMs : this.#syncEveryMs(),
    };
  }

  async close(): Promise<void> {
    this.#cancelTicks?.();
    this.#noteAcked(this.#time.monotonic());
    await this.#current.close(closeGraceMs);
    await Promise.race([
      Promise.all([this.#tidying.settled(), ...this.#streams.all().map((stream) => stream.settled())]),
      pause(closeGraceMs, undefined, this.#time),
    ]);
  }

  #onceStarted(work: () => void): void {
    if (this.#whenStarted) this.#whenStarted.push(work);
    else work();
  }

  #durable(stream: Stream, ranges: readonly SeqRange[]): void {
    if (ranges.length === 0 || stream.isSealed()) return;
    const own = this.#streams.withoutLater(stream, ranges);
    for (const listener of this.#listeners) if (own.length > 0) listener.durable(own, stream.epoch);
  }

  #tellGone({ epoch }: Stream, from: number, to: number): void {
    for (const listener of this.#listeners) listener.gone(from, to, epoch);
  }

  /** Appends what happened to a stream: to the newest of its recording, whose numbers continue across streams. */
  #report(stream: Stream, event: JournalEvent): void {
    if (stream.tail === undefined && this.#whenStarted) {
      this.#whenStarted.push(() => this.#report(stream, event));
      return;
    }
    const { mono } = this.#clock.now();
    const newest = this.#streams.newestOf(stream);
    if (newest === this.#current.get()) {
      const seq = this.appendEvent(mono, event);
      if (newest !== stream) this.#gapReports.add(stream, event, seq);
      return;
    }
    const late = newest.appendLate(mono, this.#context, event);
    if (newest !== stream) this.#gapReports.add(stream, event, late[0]);
    this.#durable(newest, [late]);
    void newest.note();
  }

  #noteGone(stream: Stream): void {
    if (stream === this.#current.get()) this.#current.noteRecord({ k: 'gone', ranges: stream.gone.ranges() });
    else void stream.note();
  }

  #syncNow(): void {
    const tail = this.#current.get().tail;
    if (tail?.kind !== 'disk') return;
    this.#syncedAt = this.#time.monotonic();
    tail.requestSync();
  }

  #syncEveryMs(): number {
    return this.#pace === 'gather' ? this.#idleSyncMs : this.#syncMs;
  }

  async #keepWithinCap(): Promise<void> {
    try {
      await this.#streams.keepWithinCap();
    } catch (error) {
      this.#log.error({ err: error }, 'journal: freeing space failed');
    }
  }

  #tidy(): void {
    void this.#tidying(() => this.#streams.tidy(this.#current.get()));
  }

  #noteAcked(now: number): void {
    const current = this.#current.get();
    this.#ackToNote = false;
    this.#notedAt = now;
    for (const stream of this.#streams.all()) if (stream !== current) void stream.note();
    this.#current.noteRecord({ k: 'acked', ranges: current.acked.ranges() });
    this.#tidy();
  }

  #tick(): void {
    const now = this.#time.monotonic();
    const tail = this.#current.get().tail;
    if (this.#ackToNote && now - this.#notedAt >= noteEveryMs) this.#noteAcked(now);
    this.#gapReports.settle();
    if (now - this.#lookedAt >= lastRetryMs) {
      this.#lookedAt = now;
      this.#found
        .retry()
        .catch((error: unknown) => this.#log.warn({ reason: String(error) }, 'journal: streams unreadable'));
    }
    if (tail?.kind !== 'disk') return;
    if (tail.stalledMs() > this.#diskGraceMs + tickMs) return this.#current.leaveDisk('the disk does not answer');
    if (now - this.#syncedAt >= this.#syncEveryMs() - tickMs / 2 && tail.dirty()) this.#syncNow();
  }

  #streamOf(epoch: string | undefined): Stream | undefined {
    return epoch === undefined ? this.#current.get() : this.#streams.find(epoch);
  }
}

/**
 * Opens the journal in `folder`, whatever state the last process, a power cut or the disk left it in. It always opens.
 */
export const openJournal = (options: JournalOptions): Promise<Journal> => StreamJournal.open(options);
