import { join } from 'node:path';
import type { Continues, JournalEvent } from '@roastery/contract/mqtt';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import type { ClockReading, Entry, RecordingContext } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import { replaceFile, type JournalDisk } from './disk.ts';
import type { MemoryTail } from './memory-tail.ts';
import type { SealedSegment } from './segment.ts';
import { createSealedSegments, type SealedSegments } from './sealed-segments.ts';
import type { Writer } from './writer.ts';

/** The notes of a closed stream in `stream.json`; an open one also has them in its segments. */
export interface StreamNotes {
  readonly owner?: string | undefined;
  readonly sealed?: boolean | undefined;
  /** The credential with which the board recorded the stream; see `credentialId`. */
  readonly credential?: string | undefined;
  readonly continues?: Continues | undefined;
  readonly acked?: readonly SeqRange[];
  readonly gone?: readonly SeqRange[];
  /** Events after its end: gaps that were found since. */
  readonly words?: readonly LateEvent[];
  readonly unsure?: readonly UnsureNumbers[];
}
/**
 * Numbers before an entry of this stream that a killed process may have used in the stream `epoch`, though this disk
 * has no entry with them: a card may forget its last writes in a power cut. The server states which of them it has;
 * the others are a gap.
 */
export interface UnsureNumbers {
  readonly epoch: string;
  readonly range: SeqRange;
}
/** An event that was appended behind the end of a closed stream. */
export interface LateEvent {
  readonly seq: number;
  readonly mono: number;
  readonly context: RecordingContext;
  readonly event: JournalEvent;
}

export interface StreamParts {
  readonly disk: JournalDisk;
  readonly time: Clock;
  readonly log: Logger;
  readonly epoch: string;
  /** Undefined: none of it is on the disk. */
  readonly folder: string | undefined;
  readonly segments: readonly SealedSegment[];
  readonly nextSeq: number;
  readonly notes: StreamNotes;
  /** The text of the notes on the disk. */
  readonly notesText?: string | undefined;
  /** The credential that the board has now; undefined where it does not matter. */
  readonly credential: string | undefined;
  readonly learn: (reading: ClockReading) => void;
  /** Entries that damage destroyed; reported once. */
  readonly damaged: (stream: Stream, holes: readonly SeqRange[]) => void;
}

export const notesName = 'stream.json';

/** One sequence of entries under its own id: their places, the entries that the server has, and the owner. */
export class Stream {
  readonly epoch: string;
  readonly acked: RangeSet;
  readonly gone: RangeSet;
  /** The part of `gone` that a start must find missing again, because the entry that reports it is not safe yet. */
  readonly unreported = new RangeSet();
  /** The recording that it continues. */
  readonly continues: Continues | undefined;
  /** Undefined: none of it is on the disk. */
  folder: string | undefined;
  owner: string | undefined;
  unsure: readonly UnsureNumbers[];
  /** The newest entries, which are not in a closed segment yet. */
  tail: Writer | MemoryTail | undefined;
  readonly #parts: StreamParts;
  readonly #log: Logger;
  readonly #words: LateEvent[];
  readonly #segments: SealedSegments;
  readonly #inTurn = serial();
  #sealed: boolean;
  #credential: string | undefined;
  #nextSeq: number;
  /** Entries of a segment that could not be closed because the disk failed. */
  #kept: readonly Entry[] = [];
  /** The part of them that may not be on the disk before that segment is closed. */
  #keptUnsafe: readonly SeqRange[] = [];
  #noted: string | undefined;
  #wordsOnDisk: number;

  constructor(parts: StreamParts) {
    const { disk, time, log, epoch, notes } = parts;
    this.epoch = epoch;
    this.acked = new RangeSet(notes.acked ?? []);
    this.gone = new RangeSet(notes.gone ?? []);
    this.continues = notes.continues;
    this.#parts = parts;
    this.#log = log;
    this.#words = [...(notes.words ?? [])];
    this.#segments = createSealedSegments({
      disk,
      time,
      sealed: parts.segments,
      learn: parts.learn,
      damaged: (segment, missing) => this.#damaged(segment, missing),
    });
    this.folder = parts.folder;
    this.owner = notes.owner;
    this.#sealed = notes.sealed === true;
    this.#credential = notes.credential ?? parts.credential;
    // The entries that continue in another stream have used its numbers, also where no segment shows them.
    const used = [this.acked.last()?.[1] ?? -1, this.gone.last()?.[1] ?? -1, ...this.#words.map(({ seq }) => seq)];
    this.#nextSeq = Math.max(parts.nextSeq, Math.max(...used) + 1);
    this.unsure = notes.unsure ?? [];
    this.#noted = parts.notesText;
    this.#wordsOnDisk = this.#words.length;
  }

  segments(): readonly SealedSegment[] {
    return this.#segments.list();
  }

  bytes(): number {
    return this.#segments.bytes() + (this.tail?.bytes() ?? 0);
  }

  kept(): readonly Entry[] {
    return this.#kept;
  }

  keep(entries: readonly Entry[], unsafe: readonly SeqRange[] = this.#keptUnsafe): void {
    this.#kept = entries;
    this.#keptUnsafe = unsafe;
  }

  /** Entries are in a file that the disk does not let us close yet. */
  isUnsettled(): boolean {
    return this.#keptUnsafe.length > 0;
  }

  /** Returns the entries that have become safe through this. */
  addSegment(segment: SealedSegment, entries: readonly Entry[]): readonly SeqRange[] {
    this.#segments.add(segment, entries);
    if (!this.#kept[0] || this.#kept[0].seq < segment.first) return [];
    const fresh = this.#keptUnsafe;
    this.#kept = [];
    this.#keptUnsafe = [];
    return fresh;
  }

  nextSeq(): number {
    return this.#nextSeq;
  }

  takeSeq(): number {
    return this.#nextSeq++;
  }

  /** The next numbers may have been used by a killed process. */
  skip(count: number): void {
    if (count > 0)
      this.unsure = [...this.unsure, { epoch: this.epoch, range: [this.#nextSeq, this.#nextSeq + count - 1] }];
    this.#nextSeq += count;
  }

  /** Recorded with an earlier credential, and the server has not yet stated for whom it keeps it. */
  awaitsOwner(): boolean {
    const { credential } = this.#parts;
    return credential !== undefined && this.#credential !== credential;
  }

  /** Neither sent nor deleted. */
  isSealed(): boolean {
    return this.#sealed || this.awaitsOwner();
  }

  seal(yes: boolean): void {
    this.#sealed = yes;
    this.#credential = this.#parts.credential ?? this.#credential;
  }

  /** Whether this entry survives the end of this process or a power cut: the disk or the server has it. */
  isSafe(seq: number): boolean {
    if (this.acked.has(seq)) return true;
    const word = this.#words.findIndex((one) => one.seq === seq);
    return word < 0 ? this.tail?.kind !== 'memory' && this.held().has(seq) : word < this.#wordsOnDisk;
  }

  waiting(): SeqRange[] {
    const ranges = this.held();
    for (const [from, to] of this.acked.ranges()) ranges.remove(from, to);
    return ranges.ranges();
  }

  /** The end of the place that contains `from`: a segment, or the memory between two of them. */
  endOfPart(from: number, to: number): number {
    const end =
      this.#segments.holding(from)?.last ??
      (this.#segments.list().find(({ first }) => first > from)?.first ?? Infinity) - 1;
    return Math.min(to, end);
  }

  /** Entries from `from` on in one place, and where it ends. Throws while it can't be read. */
  async read(from: number, to: number): Promise<{ entries: readonly Entry[]; to: number }> {
    const last = this.endOfPart(from, to);
    const segment = this.#segments.holding(from);
    const all = segment ? await this.#segments.read(segment) : this.#inMemory();
    return { entries: all.filter(({ seq }) => seq >= from && seq <= last), to: last };
  }

  /**
   * Deletes a closed segment; returns the entries that the server will never get. If the report of the gap may have
   * to wait in memory, `keepName` leaves the segment's name for a later start.
   */
  async drop(segment: SealedSegment, keepName: boolean): Promise<{ lost: SeqRange[]; gaps: JournalEvent[] }> {
    const lost = new RangeSet([[segment.first, segment.last]]);
    for (const [from, to] of [...this.acked.ranges(), ...this.gone.ranges()]) lost.remove(from, to);
    let entries: readonly Entry[] = [];
    if (lost.first()) {
      try {
        entries = await this.#segments.read(segment);
      } catch (error) {
        this.#log.warn({ segment: segment.path, reason: String(error) }, 'journal: unreadable segment dropped');
      }
    }
    await this.#segments.remove(segment, keepName && lost.first() !== undefined);
    for (const [from, to] of this.gone.ranges()) lost.remove(from, to);
    for (const [from, to] of lost.ranges()) this.gone.add(from, to);
    const gaps = entries.flatMap((entry) =>
      entry.kind === 'event' && entry.event.type === 'gap' && lost.has(entry.seq) ? [entry.event] : [],
    );
    return { lost: lost.ranges(), gaps };
  }

  acknowledge(ranges: readonly SeqRange[]): void {
    for (const [from, to] of ranges) this.acked.add(from, to);
    // The server knows numbers that this disk has lost: they must not be used a second time.
    this.#nextSeq = Math.max(this.#nextSeq, (this.acked.last()?.[1] ?? -1) + 1);
    if (this.tail?.kind === 'memory') this.tail.settled(this.acked);
  }

  /** Adds an event after the end of a stream that is no longer written. */
  appendLate(mono: number, context: RecordingContext, event: JournalEvent): SeqRange {
    const seq = this.#nextSeq++;
    this.#words.push({ seq, mono, context, event });
    return [seq, seq];
  }

  /**
   * Writes `stream.json` if it has changed. The server can state its content again, so a failed write does no harm.
   */
  note(): Promise<void> {
    const place = this.folder;
    if (place === undefined) return this.#inTurn.settled();
    return this.#inTurn(() => this.#writeNotes(place)).catch((error: unknown) =>
      this.#log.debug({ reason: String(error) }, 'journal: writing stream notes failed'),
    );
  }

  /** Writes `stream.json` into a folder that has no name yet. Throws if the disk refuses it. */
  firstNote(place: string): Promise<void> {
    return this.#inTurn(() => this.#writeNotes(place));
  }

  /** The folder was created again: its notes are gone. */
  noteAnew(): void {
    this.#noted = undefined;
    void this.note();
  }
  settled(): Promise<void> {
    return this.#inTurn.settled();
  }

  /** Deletes what the disk holds of it; in the journal's own folder only its segments. Failures are tried again later. */
  async remove(journal: string): Promise<void> {
    await this.#inTurn.settled();
    const place = this.folder;
    this.folder = undefined;
    try {
      const listed = [...this.#segments.list()];
      for (const segment of listed) await this.#segments.remove(segment, false);
      if (place !== undefined && place !== journal) await this.#parts.disk.rm(place, { recursive: true, force: true });
    } catch (error) {
      this.#log.warn({ epoch: this.epoch, reason: String(error) }, 'journal: old stream not removed');
    }
  }

  /** Entries that can be read here. */
  held(): RangeSet {
    const ranges = new RangeSet(this.#segments.list().map(({ first, last }) => [first, last] as const));
    for (const { seq } of this.#inMemory()) ranges.add(seq, seq);
    for (const [from, to] of [...this.gone.ranges(), ...this.#keptUnsafe, ...(this.tail?.unsynced() ?? [])])
      ranges.remove(from, to);
    for (const { seq } of this.#words) ranges.add(seq, seq);
    return ranges;
  }

  #damaged(segment: SealedSegment, missing: readonly SeqRange[]): void {
    const holes = new RangeSet(missing);
    for (const [from, to] of [...this.gone.ranges(), ...this.acked.ranges()]) holes.remove(from, to);
    for (const [from, to] of holes.ranges()) this.gone.add(from, to);
    if (!holes.first()) return;
    this.#log.warn({ segment: segment.path, holes: holes.ranges() }, 'journal: entries damaged');
    this.#parts.damaged(this, holes.ranges());
  }

  #wordEntries(): Entry[] {
    return this.#words.map(({ seq, mono, context, event }) => ({ kind: 'event', seq, mono, context, event }));
  }

  #inMemory(): readonly Entry[] {
    return [...this.#kept, ...(this.tail?.entries() ?? []), ...this.#wordEntries()];
  }

  async #writeNotes(place: string): Promise<void> {
    const { continues } = this;
    const settled = new RangeSet(this.gone.ranges());
    for (const [from, to] of this.unreported.ranges()) settled.remove(from, to);
    const { length } = this.#words;
    const content: StreamNotes = {
      owner: this.owner,
      sealed: this.#sealed,
      credential: this.#credential,
      ...(continues === undefined ? {} : { continues }),
      acked: this.acked.ranges(),
      gone: settled.ranges(),
      words: this.#words,
      ...(this.unsure.length === 0 ? {} : { unsure: this.unsure }),
    };
    const text = `${JSON.stringify(content)}\n`;
    if (text === this.#noted) return;
    await replaceFile(this.#parts.disk, join(place, notesName), text);
    this.#noted = text;
    this.#wordsOnDisk = length;
  }
}

/** Names the recording that a stream is part of: the first stream of it. */
export const recordingOf = (stream: Stream): string => stream.continues?.epoch ?? stream.epoch;
