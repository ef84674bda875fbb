import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import type { Appends } from './appends.ts';
import { lastRetryMs, type CurrentStream } from './current-stream.ts';
import type { FoundStreams } from './find-streams.ts';
import type { StreamReports } from './stream-reports.ts';
import type { Streams } from './streams.ts';

/** Acknowledgements are recorded at most this often: losing them only costs a resend. */
const noteEveryMs = 5000;
const tickMs = 500;

export interface UpkeepParts {
  readonly time: Clock;
  readonly log: Logger;
  readonly diskGraceMs: number;
  readonly found: FoundStreams;
  readonly streams: Streams;
  readonly current: CurrentStream;
  readonly appends: Appends;
  readonly reports: StreamReports;
}

/** What is due again and again: syncs, notes of acknowledgements, folders that are no longer needed, a disk that hangs. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #tidying = serial();
  #ackToNote = false;
  #notedAt = 0;
  #lookedAt: number;
  #cancelTicks: Cancel | undefined;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#lookedAt = parts.time.monotonic();
  }

  start(): void {
    const { time } = this.#parts;
    this.#tidy();
    this.#lookedAt = time.monotonic();
    this.#cancelTicks = time.every(tickMs, () => this.#tick(), { keepsAlive: false });
  }

  acknowledged(): void {
    this.#ackToNote = true;
  }

  /** The last notes. */
  stop(): void {
    this.#cancelTicks?.();
    this.#noteAcked(this.#parts.time.monotonic());
  }

  settled(): Promise<unknown> {
    return this.#tidying.settled();
  }

  #tidy(): void {
    const { streams, current } = this.#parts;
    void this.#tidying(() => streams.tidy(current.get()));
  }

  #noteAcked(now: number): void {
    const { streams, current } = this.#parts;
    this.#ackToNote = false;
    this.#notedAt = now;
    for (const stream of streams.all()) if (stream !== current.get()) void stream.note();
    current.noteRecord({ k: 'acked', ranges: current.get().acked.ranges() });
    this.#tidy();
  }

  #tick(): void {
    const { time, log, diskGraceMs, found, current, appends, reports } = this.#parts;
    const now = time.monotonic();
    const { tail } = current.get();
    if (this.#ackToNote && now - this.#notedAt >= noteEveryMs) this.#noteAcked(now);
    reports.settle();
    if (now - this.#lookedAt >= lastRetryMs) {
      this.#lookedAt = now;
      found.retry().catch((error: unknown) => log.warn({ reason: String(error) }, 'journal: streams unreadable'));
    }
    if (tail?.kind !== 'disk') return;
    if (tail.stalledMs() > diskGraceMs + tickMs) current.leaveDisk('the disk does not answer');
    else appends.syncIfDue(tickMs / 2);
  }
}
