import type { JournalEvent } from '@roastery/contract/mqtt';
import type { SeqRange } from '../core/ranges.ts';
import type { WallClock } from '../core/wall-clock.ts';
import type { Appends } from './appends.ts';
import type { CurrentStream } from './current-stream.ts';
import { recordingOf, type Stream } from './stream.ts';
import type { Streams } from './streams.ts';

interface GapReport {
  /** The stream that lost entries, and the entry of a later stream of its recording that reports it. */
  readonly stream: Stream;
  readonly from: number;
  readonly to: number;
  readonly seq: number;
}

export interface StreamReportsParts {
  readonly clock: WallClock;
  readonly streams: () => Streams;
  readonly current: () => CurrentStream;
  readonly appends: Appends;
  /** These entries may be sent. */
  readonly durable: (stream: Stream, ranges: readonly SeqRange[]) => void;
}

/**
 * Reports what happened to a stream, in the newest stream of its recording. Until the report of a gap is safe, the notes
 * of the earlier stream do not list it, so that a start after a kill finds and reports it again.
 */
export class StreamReports {
  readonly #parts: StreamReportsParts;
  #gaps: readonly GapReport[] = [];
  /** What is to be done as soon as a stream is open. */
  #whenStarted: (() => void)[] | undefined = [];

  constructor(parts: StreamReportsParts) {
    this.#parts = parts;
  }

  /** A stream is open. */
  started(): void {
    const owed = this.#whenStarted ?? [];
    this.#whenStarted = undefined;
    for (const work of owed) work();
  }

  /** Appends what happened to a stream: to the newest of its recording, whose numbers continue across streams. */
  append(stream: Stream, event: JournalEvent): void {
    if (stream.tail === undefined && this.#whenStarted) {
      this.#whenStarted.push(() => this.append(stream, event));
      return;
    }
    const { clock, streams, current, appends, durable } = this.#parts;
    const { mono } = clock.now();
    const newest = streams().newestOf(stream);
    if (newest === current().get()) {
      const seq = appends.event(mono, event);
      if (newest !== stream) this.#addGap(stream, event, seq);
      return;
    }
    const late = newest.appendLate(mono, appends.context, event);
    if (newest !== stream) this.#addGap(stream, event, late[0]);
    durable(newest, [late]);
    void newest.note();
  }

  /** Records which entries of a stream are lost. */
  noteGone(stream: Stream): void {
    if (this.#whenStarted) {
      this.#whenStarted.push(() => this.noteGone(stream));
      return;
    }
    const current = this.#parts.current();
    if (stream === current.get()) current.noteRecord({ k: 'gone', ranges: stream.gone.ranges() });
    else void stream.note();
  }

  /** Notes the gaps whose reports have become safe. */
  settle(): void {
    if (this.#gaps.length === 0) return;
    const safe = this.#gaps.filter((report) => this.#isSafe(report));
    this.#gaps = this.#gaps.filter((report) => !safe.includes(report));
    for (const { stream, from, to } of safe) stream.unreported.remove(from, to);
    for (const stream of new Set(safe.map((report) => report.stream))) void stream.note();
  }

  #addGap(stream: Stream, event: JournalEvent, seq: number): void {
    if (event.type !== 'gap') return;
    const { from_seq: from, to_seq: to } = event;
    stream.unreported.add(from, to);
    this.#gaps = [...this.#gaps, { stream, from, to, seq }];
  }

  #isSafe({ stream, seq }: GapReport): boolean {
    return this.#parts
      .streams()
      .all()
      .some((other) => other !== stream && recordingOf(other) === recordingOf(stream) && other.isSafe(seq));
  }
}
