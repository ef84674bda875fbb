import { pause } from '@roastery/runtime/backoff';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { Entry } from '../core/entry.ts';
import type { SeqRange } from '../core/ranges.ts';
import { isFull } from './disk.ts';
import type { GivenUp } from './open-segment.ts';
import type { JournalRecord } from './record.ts';
import { SegmentWriter, type SegmentWriterParts } from './segment-writer.ts';

export interface WriterParts extends SegmentWriterParts {
  readonly time: Clock;
  /** Makes room on a full disk; false when there is nothing left to drop. */
  readonly freeSpace: () => Promise<boolean>;
  /** The disk has refused writes for `graceMs`: entries must continue in memory. */
  readonly gaveUp: () => void;
  /** How long the disk may refuse. */
  readonly graceMs: number;
}

interface WriterTrouble {
  readonly reason: string;
  readonly full: boolean;
  readonly since: number;
}

const retryMs = 1000;

/**
 * Writes records in order, independent of the readings: a card that stalls for a second delays no reading. While the
 * disk refuses writes, records wait in memory. The writer retries every second and gives up after `graceMs`.
 */
export class Writer {
  readonly kind = 'disk';
  readonly #parts: WriterParts;
  readonly #log: Logger;
  readonly #time: Clock;
  readonly #segments: SegmentWriter;
  #closing = false;
  #stopped = false;
  #trouble: WriterTrouble | undefined;
  #working: Promise<void> | undefined;
  #progressAt: number;
  #flushes: (() => void)[] = [];
  readonly #stopping = new AbortController();

  private constructor(parts: WriterParts, segments: SegmentWriter) {
    this.#parts = parts;
    this.#log = parts.log;
    this.#time = parts.time;
    this.#segments = segments;
    this.#progressAt = parts.time.monotonic();
  }

  /** Throws when the first segment can't be created. */
  static async create(parts: WriterParts): Promise<Writer> {
    return new Writer(parts, await SegmentWriter.create(parts));
  }

  append(record: JournalRecord, entry?: Entry): void {
    this.#segments.add(record, entry);
    this.#kick();
  }

  requestSync(): void {
    this.#segments.requestSync();
    this.#kick();
  }

  /** The next write begins a new segment. */
  requestRoll(): void {
    this.#segments.requestRoll();
  }

  /** Resolves when everything appended so far is synced, or the disk has refused it. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushes.push(resolve);
      this.requestSync();
    });
  }

  entries(): readonly Entry[] {
    return this.#segments.segment.entries;
  }

  first(): number {
    return this.#segments.segment.first;
  }

  unsynced(): SeqRange[] {
    return this.#segments.unsynced();
  }

  bytes(): number {
    return this.#segments.segment.file.size;
  }

  path(): string {
    return this.#segments.segment.file.path;
  }

  dirty(): boolean {
    return this.#segments.isDirty;
  }

  /** Why the disk refuses writes, while it does. */
  trouble(): WriterTrouble | undefined {
    return this.#trouble;
  }

  /** How long there has been no progress although there should be, ms. */
  stalledMs(): number {
    return this.#working ? this.#time.monotonic() - this.#progressAt : 0;
  }

  /** Stops at once. Returns the entries that are not safe on the disk; the safe ones stay with their segment. */
  giveUp(): GivenUp {
    this.#stop();
    return this.#segments.leave();
  }

  /** Writes and syncs the waiting records; gives up after `graceMs`. Whether all of them are on the disk. */
  async close(graceMs: number): Promise<boolean> {
    this.requestSync();
    this.#closing = true;
    await Promise.race([this.#working, pause(graceMs, this.#stopping.signal, this.#time)]);
    const { file } = this.#segments.segment;
    const isWhole = !this.#stopped && !this.#segments.hasWork && this.#trouble === undefined && !file.dirty;
    this.#stop();
    this.#segments.stop();
    await Promise.race([file.close().catch(() => undefined), pause(graceMs, undefined, this.#time)]);
    return isWhole;
  }

  #stop(): void {
    this.#stopped = true;
    this.#stopping.abort();
    this.#settleFlushes();
  }

  #settleFlushes(): void {
    const waiting = this.#flushes;
    this.#flushes = [];
    for (const settle of waiting) settle();
  }

  async #afterFailure(error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const full = isFull(error);
    if (this.#trouble === undefined) this.#log.error({ reason }, 'journal: disk not writable');
    this.#trouble = { reason, full, since: this.#trouble?.since ?? this.#time.monotonic() };
    this.#settleFlushes();
    try {
      await this.#segments.syncEarlier();
    } catch (failure) {
      this.#log.debug({ reason: String(failure) }, 'journal: sync failed');
    }
    try {
      if (full && (await this.#parts.freeSpace())) return;
    } catch (failure) {
      this.#log.error({ err: failure }, 'journal: freeing space failed');
    }
    if (this.#time.monotonic() - this.#trouble.since >= this.#parts.graceMs) return this.#parts.gaveUp();
    await pause(Math.min(retryMs, this.#parts.graceMs), this.#stopping.signal, this.#time);
  }

  #hasWork(): boolean {
    return !this.#stopped && (this.#segments.hasWork || this.#trouble !== undefined);
  }

  async #work(): Promise<void> {
    while (this.#hasWork()) {
      try {
        await this.#segments.step();
        if (this.#trouble !== undefined) this.#log.info('journal: disk recovered');
        this.#trouble = undefined;
      } catch (error) {
        if (this.#closing || this.#stopped) return;
        await this.#afterFailure(error);
      }
      // An attempt counts as progress: a watchdog restart would not enlarge a full disk.
      this.#progressAt = this.#time.monotonic();
    }
    this.#settleFlushes();
  }

  #kick(): void {
    if (this.#stopped) return this.#settleFlushes();
    this.#progressAt = this.#working ? this.#progressAt : this.#time.monotonic();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (!this.#closing && this.#hasWork()) this.#kick();
    });
  }
}
