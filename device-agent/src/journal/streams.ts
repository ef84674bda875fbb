import { maxHistoryStreams, type DeviceStatus, type JournalEvent } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import type { WallClock } from '../core/wall-clock.ts';
import type { JournalDisk } from './disk.ts';
import { readSegment, type SealedSegment } from './segment.ts';
import { recordingOf, type Stream } from './stream.ts';

export type DropReason = 'disk_full' | 'cap_reached';
export type StreamHistory = NonNullable<DeviceStatus['history']>[number];

export interface StreamsParts {
  readonly disk: JournalDisk;
  /** Of the journal. */
  readonly folder: string;
  readonly log: Logger;
  readonly clock: WallClock;
  readonly capBytes: number;
  /** Appends an event to a stream. */
  readonly appendEvent: (stream: Stream, event: JournalEvent) => void;
  readonly gone: (stream: Stream, from: number, to: number) => void;
  /** Records lost entries. */
  readonly noteGone: (stream: Stream) => void;
}

/** The first clock of a segment lies within this many bytes. */
const headBytes = 4096;
/** Other programs of the board need room too. */
const spareBytes = 64 * 1_048_576;

const isCommitted = (stream: Stream, { first, last }: SealedSegment): boolean => stream.acked.covers(first, last);

interface KeptStream {
  readonly acked: RangeSet;
  /** Kept for another owner than the present one. */
  readonly isSealed: () => boolean;
  readonly segments: () => readonly SealedSegment[];
}

/**
 * What to drop when there is no room, starting with the oldest stream: first entries that the server has committed,
 * those of sealed streams last; then samples outside roasts; and only when there are none the oldest roast.
 */
export const chooseSegment = <S extends KeptStream>(
  streams: readonly S[],
): { stream: S; segment: SealedSegment } | undefined => {
  const all = streams.flatMap((stream) => stream.segments().map((segment) => ({ stream, segment })));
  const committed = all.filter(({ stream, segment }) => stream.acked.covers(segment.first, segment.last));
  return (
    committed.find(({ stream }) => !stream.isSealed()) ??
    committed[0] ??
    all.find(({ segment }) => segment.content === 'idle') ??
    all[0]
  );
};

/** Closed segments of the recording that a stream is part of: the numbers continue from stream to stream. */
export const segmentsOfRecording = (streams: readonly { readonly stream: Stream }[], of: Stream): SealedSegment[] =>
  streams
    .filter(({ stream }) => recordingOf(stream) === recordingOf(of))
    .flatMap(({ stream }) => stream.segments())
    .sort((a, b) => a.first - b.first);

/**
 * All streams of a journal, the one being written last: which entries are dropped when there is no room, and which
 * remain.
 */
export class Streams {
  readonly #all: Stream[] = [];
  readonly #clocks = new Map<string, number | null>();
  #droppedEntries = 0;
  readonly #parts: StreamsParts;

  constructor(parts: StreamsParts) {
    this.#parts = parts;
  }

  all(): readonly Stream[] {
    return this.#all;
  }

  add(stream: Stream): void {
    this.#all.push(stream);
  }

  /** Before the one that is being written. */
  addEarlier(stream: Stream): void {
    this.#all.splice(-1, 0, stream);
  }

  /**
   * Without the entries that a later stream of the recording holds too: if its file could not be cut, it still has
   * the entries that continued from memory.
   */
  withoutLater(stream: Stream, ranges: readonly SeqRange[]): readonly SeqRange[] {
    const later = this.#laterThan(stream);
    if (later.length === 0) return ranges;
    const own = new RangeSet(ranges);
    for (const { other, from } of later)
      for (const [low, high] of [...other.held().ranges(), ...other.acked.ranges()])
        own.remove(Math.max(low, from), high);
    return own.ranges();
  }

  /** Entries that the server has of a stream are never sent of an earlier one. */
  acknowledge(stream: Stream, ranges: readonly SeqRange[]): void {
    stream.acknowledge(ranges);
    const from = stream.continues?.seq;
    if (from === undefined) return;
    for (const earlier of this.#all.filter((one) => this.#laterThan(one).some(({ other }) => other === stream))) {
      const held = earlier.held();
      for (const [low, high] of ranges)
        for (const part of held.within(Math.max(low, from), high)) earlier.gone.add(...part);
    }
  }

  find(epoch: string): Stream | undefined {
    return this.#all.find((stream) => stream.epoch === epoch);
  }

  /**
   * Removes streams that are no longer needed: empty ones, and delivered ones that are too old for the status, so that
   * no server can request them. Their folders go too, once the one of `current` is on the disk.
   */
  async tidy(current: Stream): Promise<void> {
    const isDone = (stream: Stream): boolean =>
      stream !== current &&
      !stream.isUnsettled() &&
      !stream.unreported.first() &&
      this.#unexplained(stream).length === 0;
    const listed = new Set(this.#all.slice(-maxHistoryStreams));
    const isOld = (stream: Stream): boolean =>
      !listed.has(stream) && !stream.isSealed() && stream.waiting().length === 0;
    const done = this.#all.filter((stream) => isDone(stream) && (!stream.held().first() || isOld(stream)));
    for (const stream of done) this.#all.splice(this.#all.indexOf(stream), 1);
    if (current.tail?.kind !== 'disk') return;
    for (const stream of done) await stream.remove(this.#parts.folder);
  }

  /**
   * The server has stated its entries of a stream up to `through`: numbers that are neither there nor here are a gap.
   */
  explain(stream: Stream, through: number): void {
    this.lost(
      stream,
      this.#unexplained(stream).filter(([, to]) => to <= through),
      'damaged',
    );
    // The stream that held them is gone from this disk, so the server is not asked about it.
    const orphaned = stream.unsure.filter(({ epoch }) => !this.#all.some((other) => other.epoch === epoch));
    if (orphaned.length === 0) return;
    stream.unsure = stream.unsure.filter((numbers) => !orphaned.includes(numbers));
    this.lost(
      stream,
      orphaned.map(({ range }) => range),
      'damaged',
    );
  }

  appendEvent(stream: Stream, event: JournalEvent): void {
    this.#parts.appendEvent(stream, event);
  }

  droppedEntries(): number {
    return this.#droppedEntries;
  }

  /** Makes room on a full disk; false when there is nothing to drop. */
  freeSpace(): Promise<boolean> {
    return this.#drop('disk_full');
  }

  /** Keeps the journal below its cap, and keeps committed entries from using the last of the disk's room. */
  async keepWithinCap(): Promise<void> {
    try {
      await this.#makeRoom();
    } catch (error) {
      this.#parts.log.error({ err: error }, 'journal: freeing space failed');
    }
  }

  async #makeRoom(): Promise<void> {
    while (this.bytes() > this.#parts.capBytes && (await this.#drop('cap_reached')));
    const folder = this.#all.findLast((stream) => stream.folder !== undefined)?.folder;
    if (folder === undefined) return;
    for (;;) {
      const { bavail, bsize } = await this.#parts.disk.statfs(folder);
      if (bavail * bsize >= spareBytes || !(await this.#drop('disk_full', isCommitted))) return;
    }
  }

  /** The remaining entries of each stream, newest first. */
  async history(): Promise<StreamHistory[]> {
    const found: StreamHistory[] = [];
    for (const stream of this.#all.toReversed().slice(0, maxHistoryStreams)) {
      const segments = stream.segments();
      const isOpen = stream.tail !== undefined;
      const [from, to] = await Promise.all([
        this.#beginOf(segments[0]),
        isOpen ? null : this.#beginOf(segments.at(-1)),
      ]).catch(() => [null, null] as const);
      found.push({
        epoch: stream.epoch,
        entries: stream.held().count(),
        bytes: stream.bytes(),
        from,
        to: isOpen ? Math.round(this.#parts.clock.now().wall) : to,
        sealed: stream.isSealed(),
      });
    }
    return found;
  }

  lost(stream: Stream, ranges: readonly SeqRange[], reason: 'disk_full' | 'damaged' | 'cap_reached'): void {
    for (const [from, to] of ranges) {
      stream.gone.add(from, to);
      if (reason !== 'damaged') this.#droppedEntries += to - from + 1;
      this.#parts.appendEvent(stream, { type: 'gap', from_seq: from, to_seq: to, reason });
      this.#parts.gone(stream, from, to);
    }
    if (ranges.length === 0) return;
    this.#parts.log.warn({ epoch: stream.epoch, ranges, reason }, 'journal: entries lost');
    this.#parts.noteGone(stream);
  }

  /** The newest stream of its recording. */
  newestOf(stream: Stream): Stream {
    return this.#all.findLast((other) => recordingOf(other) === recordingOf(stream)) ?? stream;
  }

  /** Streams that continued the recording of this one from memory, each from its first number on. */
  #laterThan(stream: Stream): { other: Stream; from: number }[] {
    return this.#all.flatMap((other) => {
      const from = other.continues?.seq;
      const isLater = from !== undefined && recordingOf(other) === recordingOf(stream);
      return isLater && from > (stream.continues?.seq ?? -1) ? [{ other, from }] : [];
    });
  }

  /** Numbers of a stream that a killed process may have used, and of which nothing is known yet. */
  #unexplained(stream: Stream): SeqRange[] {
    const ranges = this.#all.flatMap((other) => other.unsure).filter(({ epoch }) => epoch === stream.epoch);
    const numbers = new RangeSet(ranges.map(({ range }) => range));
    for (const [from, to] of [...stream.acked.ranges(), ...stream.gone.ranges()]) numbers.remove(from, to);
    return numbers.ranges();
  }

  bytes(): number {
    return this.#all.reduce((sum, stream) => sum + stream.bytes(), 0);
  }

  async #drop(reason: DropReason, isAllowed = (_stream: Stream, _segment: SealedSegment) => true): Promise<boolean> {
    const chosen = chooseSegment(this.#all);
    if (!chosen || !isAllowed(chosen.stream, chosen.segment)) return false;
    const { stream, segment } = chosen;
    const isReportedElsewhere = this.newestOf(stream) !== stream;
    const { lost: ranges, gaps } = await stream.drop(segment, reason === 'disk_full' || isReportedElsewhere);
    this.#clocks.delete(segment.path);
    this.lost(stream, ranges, reason);
    for (const gap of gaps) this.#parts.appendEvent(stream, gap);
    return true;
  }

  /** When a segment was begun, by the clock at that time, ms since 1970; null if unknown. */
  async #beginOf(segment: SealedSegment | undefined): Promise<number | null> {
    if (!segment) return null;
    const known = this.#clocks.get(segment.path);
    if (known !== undefined) return known;
    const handle = await this.#parts.disk.open(segment.path, 'r');
    try {
      const head = Buffer.alloc(headBytes);
      const { bytesRead } = await handle.read(head, 0, headBytes, 0);
      const [reading] = readSegment(head.subarray(0, bytesRead)).clocks;
      const wall = reading ? Math.max(0, Math.round(reading.wall)) : null;
      this.#clocks.set(segment.path, wall);
      return wall;
    } finally {
      await handle.close();
    }
  }
}
