import { rm } from 'node:fs/promises';
import type { JournalEvent } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import type { Entry, RecordingContext } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import type { RecordedPast, RecordedState } from '../core/replay.ts';
import type { WallClock } from '../core/wall-clock.ts';
import { readPast } from './past.ts';
import { journalFormat } from './record.ts';
import { makeJournalFolder, recoverJournal } from './recovery.ts';
import { createShelf } from './shelf.ts';
import { createWriter } from './writer.ts';

export interface JournalOptions {
  readonly folder: string;
  readonly capBytes: number;
  readonly clock: WallClock;
  readonly log: Logger;
  /** Goes into the first segment; samples carry it until `setContext`. */
  readonly context: RecordingContext;
  /** What a restart goes on from; every segment begins with it, so that an older one is never needed. */
  readonly state: () => RecordedState | undefined;
  /** A new segment begins at this size: what is freed or dropped goes by whole segments. */
  readonly segmentBytes?: number;
  /** Longest time an entry waits for the disk to be synced. */
  readonly syncMs?: number;
}

export interface JournalListener {
  /** Entries that survive a power cut from now on, and may be sent. */
  readonly durable: (ranges: readonly SeqRange[]) => void;
  /** Entries that will never be readable again. */
  readonly gone: (from: number, to: number) => void;
}

/**
 * The board's own record of what the machine did. Entries are on disk before they are sent, synced at least every
 * `syncMs`, at every mark and whenever somebody flushes; they leave the disk only when the server says that it has
 * committed them, or when the disk is full, and then the stream says what went.
 */
export interface Journal {
  /** Stream id: random per journal folder. */
  readonly epoch: string;
  /** What the last process left, to go on from. */
  readonly past: RecordedPast;
  readonly listen: (listener: JournalListener) => void;
  /** What the next samples have in common. */
  readonly setContext: (context: RecordingContext) => void;
  /** Puts down what the clocks show, for a later boot that has to make sense of this one's times. */
  readonly noteClock: () => void;
  /** Puts down `state()`. */
  readonly noteState: () => void;
  /** Appends a reading, returns its sequence number. `values` in the order of the context's channels. */
  appendSample(mono: number, values: readonly (number | null)[]): number;
  readonly appendEvent: (mono: number, event: JournalEvent) => number;
  /** Resolves when everything appended so far is synced, or the disk has refused it. */
  readonly flush: () => Promise<void>;
  /** Entries that are on disk, synced and not acknowledged. */
  readonly waiting: () => SeqRange[];
  /** Entries from `from` to `to` that one segment holds; fewer or none where something is missing. */
  readonly read: (from: number, to: number) => Promise<readonly Entry[]>;
  readonly acknowledge: (ranges: readonly SeqRange[]) => void;
  stats(): { bytes: number; droppedEntries: number; trouble: string | undefined; stalledMs: number };
  readonly close: () => Promise<void>;
}

/** After a roast its segment stays open for late corrections of its marks. */
const roastTailMs = 60_000;
/** What the server has committed is put down at most this often: losing it costs a resend, nothing else. */
const ackNoteMs = 5000;
const closeGraceMs = 4000;
const tickMs = 500;

/** Opens the journal in `folder`, whatever state the last process or a power cut left it in. */
export const openJournal = async (options: JournalOptions): Promise<Journal> => {
  const { folder, capBytes, clock, log, segmentBytes = 262_144, syncMs = 5000 } = options;
  const { epoch, acked, ...recovered } = await recoverJournal(folder, log);
  for (const reading of recovered.clocks) clock.learn(reading);
  const past = await readPast(recovered.sealed);
  const listeners: JournalListener[] = [];
  let context = options.context;
  let nextSeq = recovered.nextSeq;
  let droppedEntries = 0;
  let roastRuns = false;
  let rollAtMono: number | undefined;
  let ackToNote = false;
  let freeing: Promise<void> = Promise.resolve();

  const gone = (ranges: readonly SeqRange[], reason: 'disk_full' | 'damaged' | 'cap_reached'): void => {
    for (const [from, to] of ranges) {
      appendEvent(clock.now().mono, { type: 'gap', from_seq: from, to_seq: to, reason });
      for (const listener of listeners) listener.gone(from, to);
    }
  };
  const lost = (ranges: readonly SeqRange[], reason: 'disk_full' | 'cap_reached'): void => {
    for (const [from, to] of ranges) droppedEntries += to - from + 1;
    if (ranges.length > 0) log.warn({ ranges, reason }, 'journal: entries dropped');
    gone(ranges, reason);
  };
  const drop = async (reason: 'disk_full' | 'cap_reached'): Promise<boolean> => {
    const dropped = await shelf.drop();
    if (!dropped) return false;
    lost(dropped.lost, reason);
    for (const gap of dropped.gaps) appendEvent(clock.now().mono, gap);
    return true;
  };

  const shelf = createShelf({
    sealed: recovered.sealed,
    acked,
    clock,
    log,
    damaged: (from, to) => gone([[from, to]], 'damaged'),
  });

  const free = (): void => {
    freeing = freeing
      .then(() => shelf.free())
      .catch((error: unknown) => log.error({ err: error }, 'journal: could not free a segment'));
  };

  const writer = await createWriter({
    folder,
    segmentBytes,
    log,
    nextSeq: () => nextSeq,
    roastRuns: () => roastRuns,
    head: (first) => {
      const state = options.state();
      return [
        { k: 'head', v: journalFormat, epoch, first },
        { k: 'context', ...context },
        { k: 'clock', ...clock.now() },
        { k: 'acked', ranges: acked.ranges() },
        ...(state ? [{ k: 'state', state } as const] : []),
        // Once more, behind the state: a block that is overwritten must not take the meaning of all that follows.
        { k: 'context', ...context },
      ];
    },
    async sealed(segment) {
      shelf.add(segment);
      await shelf.free();
      while (shelf.bytes() > capBytes && (await drop('cap_reached')));
    },
    durable: (ranges) => {
      for (const listener of listeners) listener.durable(ranges);
    },
    lost: (ranges) => lost(ranges, 'disk_full'),
    makeFolder: () => makeJournalFolder(folder, epoch),
    makeRoom: () => drop('disk_full'),
  });
  for (const path of recovered.leftOver) if (path !== writer.path()) await rm(path, { force: true });

  const appendEvent = (mono: number, event: JournalEvent): number => {
    if (event.type === 'roast') {
      roastRuns = event.state === 'in_progress';
      rollAtMono = roastRuns ? undefined : mono + roastTailMs;
    }
    const seq = nextSeq++;
    writer.append({ k: 'e', q: seq, m: mono, e: event }, { kind: 'event', seq, mono, context, event });
    // A mark must survive a power cut at once.
    if (event.type === 'roast' || event.type === 'mark') writer.requestSync();
    return seq;
  };
  for (const [from, to] of recovered.damaged) shelf.reportOnce(from, to);

  let syncedAt = performance.now();
  let ackNotedAt = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    if (ackToNote && now - ackNotedAt >= ackNoteMs) noteAcked(now);
    if (now - syncedAt < syncMs - tickMs) return;
    syncedAt = now;
    if (writer.dirty()) writer.requestSync();
  }, tickMs);
  timer.unref();
  const noteAcked = (now: number): void => {
    ackToNote = false;
    ackNotedAt = now;
    // Everything below what is still on disk is committed or gone, and needs no range of its own.
    acked.remove(0, Math.min(shelf.lowest() ?? Infinity, writer.active().first) - 1);
    writer.append({ k: 'acked', ranges: acked.ranges() });
  };

  return {
    epoch,
    past,
    listen: (listener) => void listeners.push(listener),
    setContext(next) {
      context = next;
      writer.append({ k: 'context', ...next });
    },
    noteClock: () => writer.append({ k: 'clock', ...clock.now() }),
    noteState() {
      const state = options.state();
      if (state) writer.append({ k: 'state', state });
      writer.append({ k: 'context', ...context });
    },
    appendSample(mono, values) {
      if (rollAtMono !== undefined && mono > rollAtMono) {
        rollAtMono = undefined;
        writer.requestRoll();
      }
      const seq = nextSeq++;
      writer.append({ k: 's', q: seq, m: mono, v: values }, { kind: 'sample', seq, mono, context, values });
      return seq;
    },
    appendEvent,
    flush: () => writer.flush(),
    waiting() {
      const ranges = shelf.waiting();
      for (const { seq } of writer.active().entries) ranges.add(seq, seq);
      for (const [from, to] of [...writer.unsynced(), ...acked.ranges()]) ranges.remove(from, to);
      return ranges.ranges();
    },
    async read(from, to) {
      const segment = shelf.holding(from);
      const entries = segment ? await shelf.read(segment) : writer.active().entries;
      return entries.filter(({ seq }) => seq >= from && seq <= to);
    },
    acknowledge(ranges) {
      for (const [from, to] of ranges) acked.add(from, to);
      // The server knows numbers that this disk has lost: they must not be used a second time.
      nextSeq = Math.max(nextSeq, (acked.last()?.[1] ?? -1) + 1);
      ackToNote = true;
      free();
    },
    stats: () => ({
      bytes: shelf.bytes() + writer.bytes(),
      droppedEntries,
      trouble: writer.trouble(),
      stalledMs: writer.stalledMs(),
    }),
    async close() {
      clearInterval(timer);
      await freeing;
      noteAcked(performance.now());
      await writer.close(closeGraceMs);
    },
  };
};
