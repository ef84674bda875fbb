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
import { createSealedSegments } from './sealed-segments.ts';
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
export const createStream = (parts: StreamParts) => {
  const { disk, time, log, epoch, notes, credential: ownCredential } = parts;
  const acked = new RangeSet(notes.acked ?? []);
  const gone = new RangeSet(notes.gone ?? []);
  /** The part of `gone` that a start must find missing again, because the entry that reports it is not safe yet. */
  const unreported = new RangeSet();
  const words: LateEvent[] = [...(notes.words ?? [])];
  let folder = parts.folder;
  let { owner } = notes;
  let sealed = notes.sealed === true;
  let credential = notes.credential ?? ownCredential;
  const awaitsOwner = (): boolean => ownCredential !== undefined && credential !== ownCredential;
  // The entries that continue in another stream have used its numbers, also where no segment shows them.
  const highest = Math.max(acked.last()?.[1] ?? -1, gone.last()?.[1] ?? -1, ...words.map(({ seq }) => seq));
  let nextSeq = Math.max(parts.nextSeq, highest + 1);
  let unsure: readonly UnsureNumbers[] = notes.unsure ?? [];
  /** The newest entries, which are not in a closed segment yet. */
  let tail: Writer | MemoryTail | undefined;
  /** Entries of a segment that could not be closed because the disk failed. */
  let kept: readonly Entry[] = [];
  /** The part of them that may not be on the disk before that segment is closed. */
  let keptUnsafe: readonly SeqRange[] = [];
  const inTurn = serial();
  let noted = parts.notesText;
  let wordsOnDisk = words.length;

  const segments = createSealedSegments({
    disk,
    time,
    sealed: parts.segments,
    learn: parts.learn,
    damaged: (segment, missing) => {
      const holes = new RangeSet(missing);
      for (const [from, to] of [...gone.ranges(), ...acked.ranges()]) holes.remove(from, to);
      for (const [from, to] of holes.ranges()) gone.add(from, to);
      if (!holes.first()) return;
      log.warn({ segment: segment.path, holes: holes.ranges() }, 'journal: entries damaged');
      parts.damaged(stream, holes.ranges());
    },
  });

  const wordEntries = (): Entry[] =>
    words.map(({ seq, mono, context, event }) => ({ kind: 'event', seq, mono, context, event }));
  const inMemory = (): readonly Entry[] => [...kept, ...(tail?.entries() ?? []), ...wordEntries()];

  /** Entries that can be read here. */
  const held = (): RangeSet => {
    const ranges = new RangeSet(segments.list().map(({ first, last }) => [first, last] as const));
    for (const { seq } of inMemory()) ranges.add(seq, seq);
    for (const [from, to] of [...gone.ranges(), ...keptUnsafe, ...(tail?.unsynced() ?? [])]) ranges.remove(from, to);
    for (const { seq } of words) ranges.add(seq, seq);
    return ranges;
  };

  const writeNotes = async (place: string): Promise<void> => {
    const { continues } = notes;
    const settled = new RangeSet(gone.ranges());
    for (const [from, to] of unreported.ranges()) settled.remove(from, to);
    const { length } = words;
    const content: StreamNotes = {
      owner,
      sealed,
      credential,
      ...(continues === undefined ? {} : { continues }),
      acked: acked.ranges(),
      gone: settled.ranges(),
      words,
      ...(unsure.length === 0 ? {} : { unsure }),
    };
    const text = `${JSON.stringify(content)}\n`;
    if (text === noted) return;
    await replaceFile(disk, join(place, notesName), text);
    noted = text;
    wordsOnDisk = length;
  };

  const stream = {
    epoch,
    acked,
    gone,
    unreported,
    segments: segments.list,
    bytes: (): number => segments.bytes() + (tail?.bytes() ?? 0),
    folder: (): string | undefined => folder,
    putIn: (place: string): void => void (folder = place),
    tail: () => tail,
    setTail: (next: Writer | MemoryTail | undefined): void => void (tail = next),
    kept: (): readonly Entry[] => kept,
    keep(entries: readonly Entry[], unsafe: readonly SeqRange[] = keptUnsafe): void {
      kept = entries;
      keptUnsafe = unsafe;
    },
    /** Entries are in a file that the disk does not let us close yet. */
    isUnsettled: (): boolean => keptUnsafe.length > 0,
    /** Returns the entries that have become safe through this. */
    addSegment(segment: SealedSegment, entries: readonly Entry[]): readonly SeqRange[] {
      segments.add(segment, entries);
      if (!kept[0] || kept[0].seq < segment.first) return [];
      const fresh = keptUnsafe;
      kept = [];
      keptUnsafe = [];
      return fresh;
    },
    nextSeq: (): number => nextSeq,
    takeSeq: (): number => nextSeq++,
    unsure: (): readonly UnsureNumbers[] => unsure,
    setUnsure: (numbers: readonly UnsureNumbers[]): void => void (unsure = numbers),
    /** The next numbers may have been used by a killed process. */
    skip(count: number): void {
      if (count > 0) unsure = [...unsure, { epoch, range: [nextSeq, nextSeq + count - 1] }];
      nextSeq += count;
    },

    owner: (): string | undefined => owner,
    setOwner: (name: string | undefined): void => void (owner = name),
    continues: notes.continues,
    /** Recorded with an earlier credential, and the server has not yet stated for whom it keeps it. */
    awaitsOwner,
    /** Neither sent nor deleted. */
    isSealed: (): boolean => sealed || awaitsOwner(),
    seal(yes: boolean): void {
      sealed = yes;
      credential = ownCredential ?? credential;
    },

    held,
    /** Whether this entry survives the end of this process or a power cut: the disk or the server has it. */
    isSafe(seq: number): boolean {
      if (acked.has(seq)) return true;
      const word = words.findIndex((one) => one.seq === seq);
      return word < 0 ? tail?.kind !== 'memory' && held().has(seq) : word < wordsOnDisk;
    },
    waiting(): SeqRange[] {
      const ranges = held();
      for (const [from, to] of acked.ranges()) ranges.remove(from, to);
      return ranges.ranges();
    },
    /** The end of the place that contains `from`: a segment, or the memory between two of them. */
    endOfPart(from: number, to: number): number {
      const end =
        segments.holding(from)?.last ?? (segments.list().find(({ first }) => first > from)?.first ?? Infinity) - 1;
      return Math.min(to, end);
    },
    /** Entries from `from` on in one place, and where it ends. Throws while it can't be read. */
    async read(from: number, to: number): Promise<{ entries: readonly Entry[]; to: number }> {
      const last = stream.endOfPart(from, to);
      const segment = segments.holding(from);
      const all = segment ? await segments.read(segment) : inMemory();
      return { entries: all.filter(({ seq }) => seq >= from && seq <= last), to: last };
    },
    /**
     * Deletes a closed segment; returns the entries that the server will never get. If the report of the gap may have
     * to wait in memory, `keepName` leaves the segment's name for a later start.
     */
    async drop(segment: SealedSegment, keepName: boolean): Promise<{ lost: SeqRange[]; gaps: JournalEvent[] }> {
      const lost = new RangeSet([[segment.first, segment.last]]);
      for (const [from, to] of [...acked.ranges(), ...gone.ranges()]) lost.remove(from, to);
      let entries: readonly Entry[] = [];
      if (lost.first()) {
        try {
          entries = await segments.read(segment);
        } catch (error) {
          log.warn({ segment: segment.path, reason: String(error) }, 'journal: unreadable segment dropped');
        }
      }
      await segments.remove(segment, keepName && lost.first() !== undefined);
      for (const [from, to] of gone.ranges()) lost.remove(from, to);
      for (const [from, to] of lost.ranges()) gone.add(from, to);
      const gaps = entries.flatMap((entry) =>
        entry.kind === 'event' && entry.event.type === 'gap' && lost.has(entry.seq) ? [entry.event] : [],
      );
      return { lost: lost.ranges(), gaps };
    },
    acknowledge(ranges: readonly SeqRange[]): void {
      for (const [from, to] of ranges) acked.add(from, to);
      // The server knows numbers that this disk has lost: they must not be used a second time.
      nextSeq = Math.max(nextSeq, (acked.last()?.[1] ?? -1) + 1);
      if (tail?.kind === 'memory') tail.settled(acked);
    },
    /** Adds an event after the end of a stream that is no longer written. */
    appendLate(mono: number, context: RecordingContext, event: JournalEvent): SeqRange {
      const seq = nextSeq++;
      words.push({ seq, mono, context, event });
      return [seq, seq];
    },
    /**
     * Writes `stream.json` if it has changed. The server can state its content again, so a failed write does no harm.
     */
    note(): Promise<void> {
      const place = folder;
      if (place === undefined) return inTurn.settled();
      return inTurn(() => writeNotes(place)).catch((error: unknown) =>
        log.debug({ reason: String(error) }, 'journal: writing stream notes failed'),
      );
    },
    /** Writes `stream.json` into a folder that has no name yet. Throws if the disk refuses it. */
    firstNote: (place: string): Promise<void> => inTurn(() => writeNotes(place)),
    /** The folder was created again: its notes are gone. */
    noteAnew(): void {
      noted = undefined;
      void stream.note();
    },
    settled: inTurn.settled,
    /** Deletes what the disk holds of it; in the journal's own folder only its segments. Failures are tried again later. */
    async remove(journal: string): Promise<void> {
      await inTurn.settled();
      const place = folder;
      folder = undefined;
      try {
        const listed = [...segments.list()];
        for (const segment of listed) await segments.remove(segment, false);
        if (place !== undefined && place !== journal) await disk.rm(place, { recursive: true, force: true });
      } catch (error) {
        log.warn({ epoch, reason: String(error) }, 'journal: old stream not removed');
      }
    },
  };
  return stream;
};
export type Stream = ReturnType<typeof createStream>;

/** Names the recording that a stream is part of: the first stream of it. */
export const recordingOf = (stream: Stream): string => stream.continues?.epoch ?? stream.epoch;
