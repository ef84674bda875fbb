import type { Ack, Continues, JournalEvent } from '@roastery/contract/mqtt';
import { pause } from '@roastery/runtime/backoff';
import type { Entry, RecordingContext } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import type { RecordedPast } from '../core/replay.ts';
import type { SyncPace } from '../core/sync-pace.ts';
import { Appends } from './appends.ts';
import { CurrentStream } from './current-stream.ts';
import { findStreams, type FoundStream, type FoundStreams } from './find-streams.ts';
import {
  withDefaults,
  type Journal,
  type JournalListener,
  type JournalOptions,
  type JournalSettings,
  type JournalStats,
} from './journal-types.ts';
import { lastUseOf } from './last-use.ts';
import { readPast } from './past.ts';
import { createServerStatements, type ServerStatements } from './server-statements.ts';
import { StreamReports } from './stream-reports.ts';
import type { Stream } from './stream.ts';
import { Streams, type StreamHistory } from './streams.ts';
import { Upkeep } from './upkeep.ts';

export { idleSyncIntervalMs, syncIntervalMs } from './appends.ts';
export type { Journal, JournalListener, JournalOptions, JournalStats } from './journal-types.ts';

const closeGraceMs = 4000;

class StreamJournal implements Journal {
  readonly past: RecordedPast;
  readonly #settings: JournalSettings;
  readonly #appends: Appends;
  readonly #found: FoundStreams;
  readonly #streams: Streams;
  readonly #reports: StreamReports;
  readonly #current: CurrentStream;
  readonly #serverStatements: ServerStatements;
  readonly #upkeep: Upkeep;
  readonly #listeners: JournalListener[] = [];

  private constructor(settings: JournalSettings, found: FoundStreams, past: RecordedPast) {
    this.past = past;
    this.#settings = settings;
    this.#appends = new Appends({ ...settings, current: () => this.#current });
    this.#reports = new StreamReports({
      ...settings,
      streams: () => this.#streams,
      current: () => this.#current,
      appends: this.#appends,
      durable: (stream, ranges) => this.#durable(stream, ranges),
    });
    this.#found = found;
    this.#streams = new Streams({
      ...settings,
      appendEvent: (stream, event) => this.#reports.append(stream, event),
      gone: (stream, from, to) => this.#tellGone(stream, from, to),
      noteGone: (stream) => this.#reports.noteGone(stream),
    });
    for (const { stream } of found.streams) this.#streams.add(stream);
    this.#current = new CurrentStream({
      ...settings,
      context: () => this.#appends.context,
      roastRuns: () => this.#appends.roastRuns(),
      streams: this.#streams,
      found,
      durable: (stream, ranges) => this.#durable(stream, ranges),
      segmentClosed: () => this.#streams.keepWithinCap(),
    });
    this.#serverStatements = createServerStatements({
      ...settings,
      streams: this.#streams,
      durable: (stream, ranges) => this.#durable(stream, ranges),
      withdraw: (stream) => {
        for (const [from, to] of stream.held().ranges()) this.#tellGone(stream, from, to);
      },
      sealed: (stream, owner) => {
        if (stream === this.#current.get()) this.#current.beginForOwner(owner);
      },
    });
    this.#upkeep = new Upkeep({
      ...settings,
      found,
      streams: this.#streams,
      current: this.#current,
      appends: this.#appends,
      reports: this.#reports,
    });
  }

  static async open(options: JournalOptions): Promise<Journal> {
    const settings = withDefaults(options);
    let journal: StreamJournal | undefined;
    const found = await findStreams({
      ...settings,
      damaged(stream, holes) {
        if (journal) journal.#streams.lost(stream, holes, 'damaged');
      },
    });
    const past = await readPast(found.streams, settings);
    journal = new StreamJournal(settings, found, past);
    await journal.#start();
    return journal;
  }

  async #start(): Promise<void> {
    const { clock, diskGraceMs, log } = this.#settings;
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
      log.warn({ epochs: withheld }, 'journal: history of earlier pairing withheld');
    }
    const isNew = this.past.entries.length === 0 && newest?.owner === undefined;
    await this.#current.open(lastUseOf(this.past, clock, diskGraceMs, isNew));
    this.#reports.started();
    for (const found of this.#found.streams) report(found);
    await this.#streams.keepWithinCap();
    this.#upkeep.start();
  }

  get epoch(): string {
    return this.#current.get().epoch;
  }

  listen(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  setContext(context: RecordingContext): void {
    this.#appends.setContext(context);
  }

  setPace(pace: SyncPace): void {
    this.#appends.setPace(pace);
  }

  noteClock(): void {
    this.#current.noteRecord({ k: 'clock', ...this.#settings.clock.now() });
  }

  noteState(): void {
    const state = this.#settings.state();
    if (state) this.#current.noteRecord({ k: 'state', state });
  }

  appendSample(mono: number, values: readonly (number | null)[]): number {
    return this.#appends.sample(mono, values);
  }

  appendEvent(mono: number, event: JournalEvent): number {
    return this.#appends.event(mono, event);
  }

  flush(): Promise<void> {
    return this.#appends.flush();
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

  hear(ack: Ack): void {
    this.#serverStatements.hear(ack);
    this.#upkeep.acknowledged();
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
      syncEveryMs: this.#appends.syncEveryMs(),
    };
  }

  async close(): Promise<void> {
    this.#upkeep.stop();
    await this.#current.close(closeGraceMs);
    await Promise.race([
      Promise.all([this.#upkeep.settled(), ...this.#streams.all().map((stream) => stream.settled())]),
      pause(closeGraceMs, undefined, this.#settings.time),
    ]);
  }

  #durable(stream: Stream, ranges: readonly SeqRange[]): void {
    if (ranges.length === 0 || stream.isSealed()) return;
    const own = this.#streams.withoutLater(stream, ranges);
    for (const listener of this.#listeners) if (own.length > 0) listener.durable(own, stream.epoch);
  }

  #tellGone({ epoch }: Stream, from: number, to: number): void {
    for (const listener of this.#listeners) listener.gone(from, to, epoch);
  }

  #streamOf(epoch: string | undefined): Stream | undefined {
    return epoch === undefined ? this.#current.get() : this.#streams.find(epoch);
  }
}

/**
 * Opens the journal in `folder`, whatever state the last process, a power cut or the disk left it in. It always opens.
 */
export const openJournal = (options: JournalOptions): Promise<Journal> => StreamJournal.open(options);
